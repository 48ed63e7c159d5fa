"""Exact seating against every possible seating."""

import random

import pytest

from tests.companion.tournament.test_pairing import every_seating
from tilekeeper.companion.tournament.exact_seating import MOST_PLAYERS, cheapest_seating
from tilekeeper.companion.tournament.meetings import count_repeats


@pytest.mark.parametrize("sizes", [(4, 4), (3, 3, 3), (4, 3), (2, 2, 2, 2), (3, 2, 2), (4, 4, 3)])
@pytest.mark.parametrize("seed", range(4))
def test_seating_has_the_least_cost(sizes: tuple[int, ...], seed: int) -> None:
    """Random costs, with sizes in any combination."""
    rng, count = random.Random(seed), sum(sizes)
    costs = [[0] * count for _ in range(count)]
    for one in range(count):
        for other in range(one):
            costs[one][other] = costs[other][one] = rng.choice((0, 1, 1, 5))
    found = cheapest_seating(rng.sample(range(count), count), sizes, costs)
    assert found is not None
    assert sorted(map(len, found), reverse=True) == list(sizes)
    assert count_repeats(found, costs) == min(
        count_repeats(seating, costs) for seating in every_seating(list(range(count)), list(sizes))
    )


def test_neighbours_sit_together_if_all_costs_are_equal():
    order = [3, 1, 0, 2, 5, 4, 7, 6]
    assert cheapest_seating(order, (4, 4), [[0] * 8 for _ in range(8)]) == [[3, 1, 0, 2], [5, 4, 7, 6]]


def test_large_field_is_left_to_the_search():
    count = MOST_PLAYERS + 4
    assert cheapest_seating(range(count), (4,) * (count // 4), [[0] * count] * count) is None
