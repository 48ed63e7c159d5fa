"""How a row can change tile by tile: extending, shortening, and locked sets."""

import pytest

from tests.engine.provenance.test_single_moves import JUNIOR
from tilekeeper.engine.provenance.rows import RowChange, can_become, sets_around
from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.engine.rules.meld import readings
from tilekeeper.engine.tiles.notation import parse_rack
from tilekeeper.engine.tiles.tile import JOKER, Tile

CARDS = rule_set("cards")


@pytest.mark.parametrize(
    ("old", "new", "staying", "goes_on"),
    [
        # Runs: tiles are added at the ends and taken from the ends.
        ("B8 B9 B10", "B9 B10 B11", [0, 1], True),
        ("B8 B9 B10", "B10 B11 B12", [0], True),
        ("B8 B9 B10", "B11 B12 B13", [], False),
        ("R4 R5 R6 R7", "R4 R5 J R7", [0, 1, 3], False),
        ("R3 R4 R5 R6 R7", "R3 R4 R5 J R7", [0, 1, 2, 4], True),
        ("R4 R5 R6 R7", "R5 R6 J", [0, 1], True),
        ("R4 R5 R6", "R4 R5 J", [0, 1], False),
        ("R4 R5 R6", "R3 R4 R5 J", [1, 2], True),
        ("R1 R2 R3 R4", "R1 R2 J", [0, 1], False),
        ("R4 R5 R6", "K4 K5 K6", [], False),
        # Groups: a group of four can spare one, a group of three only after another colour was added.
        ("B8 K8 R8", "B8 K8 Y8", [0, 1], True),
        ("B8 K8 R8", "B8 K8 R8", [0, 1], False),
        ("B8 K8 R8 Y8", "B8 K8 R8", [0, 1], True),
        ("B8 K8 R8 Y8", "B8 K8 R8", [0, 1, 2], True),
        ("B8 K8 R8", "B9 K9 R9", [], False),
        ("B8 K8 R8", "B7 B8 B9", [1], False),
        ("B8 K8 R8 Y8", "B8 K8", [0, 1], False),
    ],
)
def test_set_continues_if_three_tiles_stay_together(old: str, new: str, staying: list[int], goes_on: bool) -> None:
    """Three of its tiles stay together at any time, added ones included."""
    found = any(
        RowChange(was, now, frozenset(staying), frozenset()).is_possible(3, CARDS)
        for was in readings(parse_rack(old), CARDS)
        for now in readings(parse_rack(new), CARDS)
    )
    assert found is goes_on


@pytest.mark.parametrize(
    ("old", "new", "staying", "goes_on"),
    [
        ("B8 K8 R8", "B8 J R8", [0, 2], False),
        ("B8 K8 R8 Y8", "B8 J R8 Y8", [0, 2, 3], True),
        ("R4 R5 R6", "R5 R6 J", [0, 1], False),
        ("R4 R5 R6", "R5 R6 R7 J", [0, 1], True),
        ("R4 R5 R6", "R5 R6 J R8", [0, 1], False),
    ],
)
def test_joker_that_locks_a_set_is_added_last(old: str, new: str, staying: list[int], goes_on: bool) -> None:
    """Three of its tiles stay together without the joker."""
    rows = parse_rack(new)
    locking = frozenset(at for at, tile in enumerate(rows) if tile is JOKER)
    found = any(
        RowChange(was, now, frozenset(staying), frozenset(), locking).is_possible(3, CARDS)
        for was in readings(parse_rack(old), CARDS)
        for now in readings(rows, CARDS)
    )
    assert found is goes_on


def test_most_possible_tiles_stay_if_there_is_a_choice() -> None:
    """As many as possible."""
    assert can_become(parse_rack("R4 R5 R6 R7"), parse_rack("R4 R5 J R7"), 3, CARDS)
    assert not can_become(parse_rack("R4 R5 R6 R7"), parse_rack("K4 R4 J"), 3, CARDS)
    assert not can_become(parse_rack("K4 R4 B4"), parse_rack("K5 R5 J"), 3, CARDS)


def test_tiles_can_be_lent_to_a_set() -> None:
    """They are beside the set for a while, so that enough tiles stay together on one side of a joker."""
    was, now = readings(parse_rack("K3 K4 J"), CARDS)[0], readings(parse_rack("K1 K2 J K4 J"), CARDS)[0]
    lent = frozenset([Tile("K6")])
    assert not RowChange(was, now, frozenset([3, 4]), frozenset()).is_possible(3, CARDS)
    assert RowChange(was, now, frozenset([3, 4]), lent).is_possible(3, CARDS)
    groups = readings(parse_rack("B8 K8 R8"), CARDS)[0]
    assert not RowChange(groups, groups, frozenset([0, 1]), frozenset([Tile("Y7")])).is_possible(3, CARDS)
    assert RowChange(groups, groups, frozenset([0, 1]), frozenset([Tile("Y8")])).is_possible(3, CARDS)


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
    assert sets_around(tuple(parse_rack("K3 K4 J K6")), 2, JUNIOR) == [(0, 1, 2), (1, 2, 3)]
