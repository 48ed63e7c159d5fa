"""How many melds there are, counted two ways: figures that anyone can check."""

from itertools import combinations

import pytest

from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.engine.rules.house_rules import with_house_rules
from tilekeeper.engine.rules.meld import is_valid
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.tiles.table import Meld
from tilekeeper.engine.tiles.tile import JOKER, Tile

Melds = set[frozenset[Tile]]


def plain_melds(rules: RuleSet) -> Melds:
    """Every run and every group without jokers, as the rulebooks describe them."""
    highest, inks = rules.stock.numbers, rules.stock.inks
    runs = {
        frozenset(Tile(ink, number) for number in range(first, last + 1))
        for ink in inks
        for first in range(1, highest - 1)
        for last in range(first + 2, highest + 1)
    }
    sizes = (3, 4) if rules.melds.largest_group else ()
    groups = {
        frozenset(Tile(ink, number) for ink in chosen)
        for number in range(1, highest + 1)
        for size in sizes
        for chosen in combinations(inks, size)
    }
    return runs | groups


def with_jokers(rules: RuleSet, jokers: int) -> Melds:
    """What is left of each meld when some of its tiles are jokers; jokers alone are none."""
    if rules.joker.most_in_set is not None and jokers > rules.joker.most_in_set:
        return set()
    return {
        meld - set(gone) for meld in plain_melds(rules) for gone in combinations(meld, jokers) if len(meld) > jokers
    }


def rows(tiles: tuple[Tile, ...], jokers: int) -> list[Meld]:
    """Every order of some tiles of one colour, and jokers, that could be a run, and one that could be a group."""
    whole = []
    for first in range(jokers + 1):
        row = [JOKER] * first
        for here, there in zip(tiles, (*tiles[1:], None), strict=True):
            row.append(here)
            if there is not None:
                row += [JOKER] * ((there.number or 0) - (here.number or 0) - 1)
        row += [JOKER] * (jokers + len(tiles) - len(row))
        if row.count(JOKER) == jokers:
            whole.append(tuple(row))
    return whole


def judged_valid(rules: RuleSet, jokers: int) -> Melds:
    """Every choice of tiles of one colour, or of one number, that is a valid meld with so many jokers in some order."""
    found: Melds = set()
    numbers = range(1, rules.stock.numbers + 1)
    for size in range(1, rules.stock.numbers + 1):
        for chosen in combinations(numbers, size):
            if chosen[-1] - chosen[0] >= size + jokers:
                continue  # more gaps than jokers
            for ink in rules.stock.inks:
                tiles = tuple(Tile(ink, number) for number in chosen)
                if any(is_valid(row, rules) for row in rows(tiles, jokers)):
                    found.add(frozenset(tiles))
    for number in numbers:
        for size in range(1, len(rules.stock.inks) + 1):
            for inks in combinations(rules.stock.inks, size):
                tiles = tuple(Tile(ink, number) for ink in inks)
                if is_valid((*tiles, *[JOKER] * jokers), rules):
                    found.add(frozenset(tiles))
    return found


JUNIOR_WITH_GROUPS = with_house_rules(rule_set("junior"), ("melds.largest_group=4",))


@pytest.mark.parametrize(
    ("rules", "counts"),
    [
        pytest.param(rule_set("large-numbers"), (329, 1582, 4390), id="large-numbers"),
        pytest.param(rule_set("finnish"), (329, 1582, 0), id="finnish"),
        pytest.param(rule_set("travel"), (329, 1582, 4390), id="travel"),
        pytest.param(rule_set("junior"), (144, 656, 1496), id="junior"),
        pytest.param(JUNIOR_WITH_GROUPS, (194, 756, 1556), id="junior with groups"),
        pytest.param(rule_set("cards"), (329, 1582, 4390), id="cards"),
    ],
)
def test_how_many_melds_there_are(rules: RuleSet, counts: tuple[int, int, int]) -> None:
    """As sets of numbered tiles: without a joker, with one, and with two; the judge's count is the brute one."""
    for jokers, count in enumerate(counts):
        found = judged_valid(rules, jokers)
        assert len(found) == count
        assert found == with_jokers(rules, jokers)
