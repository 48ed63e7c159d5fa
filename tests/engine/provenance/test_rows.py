"""Places in sets: the smaller sets around a joker of a row."""

import pytest

from tests.engine.provenance.test_single_moves import JUNIOR
from tilekeeper.engine.provenance.rows import sets_around
from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.engine.tiles.notation import parse_rack

CARDS = rule_set("cards")


@pytest.mark.parametrize(
    ("row", "at", "sets"),
    [
        ("J K9 B9 R9", 0, [(0, 1, 2), (0, 1, 3), (0, 2, 3)]),
        ("J K9 K10 K11", 0, [(0, 1, 2)]),
        ("K8 J K10 K11", 1, [(0, 1, 2), (1, 2, 3)]),
        ("J K9 K10", 0, []),
        ("J J K10 J", 1, [(0, 1, 2), (1, 2, 3), (0, 2, 1)]),
    ],
)
def test_sets_around_a_joker_are_listed(row: str, at: int, sets: list[tuple[int, ...]]) -> None:
    """In the order of the row, whether it is read as a run or as a group."""
    assert {tuple(sorted(one)) for one in sets} <= set(sets_around(tuple(parse_rack(row)), at, CARDS))
    assert sets_around(tuple(parse_rack("K3 K4 J K6")), 2, JUNIOR) == ((0, 1, 2), (1, 2, 3))
