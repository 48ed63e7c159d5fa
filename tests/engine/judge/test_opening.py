"""The opening from the rack alone: the choice among rows that compete for the same tiles."""

import pytest

from tilekeeper.engine.judge.opening import RackRow, count_points, find_rack_rows, judge_closed_table
from tilekeeper.engine.provenance.changes import find_changes
from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.engine.rules.house_rules import with_house_rules
from tilekeeper.engine.rules.violations import Code, Side
from tilekeeper.engine.tiles.notation import parse_table
from tilekeeper.engine.tiles.table import Place

RULES = rule_set("large-numbers")


def laid(before: str, after: str, *house: str) -> list[RackRow]:
    rules = with_house_rules(RULES, house)
    return find_rack_rows(find_changes(parse_table(before), parse_table(after), rules), rules)


@pytest.mark.parametrize(
    ("before", "after", "rows", "points"),
    [
        pytest.param("", "R3 R4 R5 | K7 B7 O7", [0, 1], 33, id="nothing is wanted twice"),
        pytest.param("R3 R4 R5 R6", "R3 R4 R5 | R6 R7 R8 | K1 B1 O1", [2], 3, id="a tile came from the table"),
        pytest.param("R10 K10", "R10 R11 R12 | R10 B10 O10 | K10 K11 K12", [0], 33, id="the dearer of two"),
        pytest.param("R10 K10", "R10 B10 O10 | R10 R11 R12 | K10 K11 K12", [1], 33, id="wherever it lies"),
        pytest.param(
            "R10 B10 O10",
            "R10 B10 K10 | R10 R11 R12 | B10 B11 B12 | O10 O9 O8",
            [1, 2],
            66,
            id="two against one that is dearer than none of them",
        ),
        pytest.param(
            "R12 R13 B13",
            "R11 R12 R13 | R13 B13 O13 K13 | R12 K12 B12 | B13 B12 B11",
            [1, 2],
            88,
            id="with the dearest",
        ),
        pytest.param(
            "R4 O4 | R6 O6",
            "R4 R5 R6 R7 R8 | R4 B4 K4 | R6 B6 K6 | O4 | O6",
            [1, 2],
            30,
            id="of equal choices, the one with more tiles",
        ),
        pytest.param("R10 K10", "R10 B10 O10 | R10 R1 B1 O1 | K10", [0], 30, id="points before tiles"),
        pytest.param("R1 R2", "R1 | R1 | R2", [1], 0, id="a lone tile"),
        pytest.param("R1 R2", "R1 R2 | R2 R3 R1 | R7 B7 O7", [1, 2], 21, id="no meld counts 0"),
        pytest.param("R7 B7", "R7 B7 O7 | R7 B7 O7 K7", [1], 28, id="of equal rows, the one with more tiles"),
    ],
)
def test_competing_rows_are_chosen_for_the_most_points(before: str, after: str, rows: list[int], points: int) -> None:
    """Within the tiles of the rack."""
    found = laid(before, after)
    assert [row.index for row in found] == rows
    assert count_points(found, RULES) == points


def test_only_the_best_row_counts_if_one_set_must_open() -> None:
    """Among equal points the row with more tiles."""
    rules = with_house_rules(RULES, ["opening.several_sets=no"])
    found = laid("", "R3 R4 R5 | K7 B7 O7 | K8 B8 O8", "opening.several_sets=no")
    assert ([row.index for row in found], count_points(found, rules)) == ([2], 24)
    found = laid("", "K8 B8 O8 | R3 R4 R5 R6 R2 J", "opening.several_sets=no")
    assert [row.index for row in found] == [0]
    found = laid("R3 R4 R5", "R3 R4 R5 R6", "opening.several_sets=no")
    assert (found, count_points(found, rules)) == ([], 0)


def test_hundreds_of_competing_rows_are_decided_at_once() -> None:
    """Only the dearest ten are considered."""
    found = laid("R10 B10 O10 K10", " | ".join(["R10 B10 O10"] * 200))
    assert count_points(found, RULES) == 30 * 10
    cheap = find_changes(parse_table("R1 R2 B1 K1"), parse_table(" | ".join(["R1 R2 B1"] * 200)), RULES)
    assert Code.OPENING_TOO_LOW in {violation.code for violation in judge_closed_table(cheap, RULES).violations}


def test_used_table_tiles_are_named() -> None:
    """The last of identical tiles are those of the rack."""
    changes = find_changes(parse_table("R1 R2 R3 | R1 B1 O1"), parse_table("R1 R2 R3 R4 | R1 B1 O1 K1"), RULES)
    (too_low, used) = judge_closed_table(changes, RULES).violations
    assert (too_low.code, too_low.found) == (Code.OPENING_TOO_LOW, 0)
    assert used.code is Code.OPENING_USED_TABLE
    assert used.side is Side.AFTER
    assert used.tiles == (
        *(Place(0, position) for position in range(3)),
        *(Place(1, position) for position in range(3)),
    )
    changes = find_changes(parse_table("R7 R8 R9"), parse_table("R7 B7 O7 | R7 R8 R9 R10 | K11 B11 O11"), RULES)
    (used,) = judge_closed_table(changes, RULES).violations
    assert used.tiles == tuple(Place(1, position) for position in range(3))


def test_first_of_identical_tiles_counts_as_the_table_tile() -> None:
    """Only as many are named as were on the table, without those from the rack."""
    changes = find_changes(parse_table("R7 R8 R9"), parse_table("R7 R8 R10 | R9 R7 R1"), RULES)
    used = judge_closed_table(changes, RULES).violations[-1]
    assert used.code is Code.OPENING_USED_TABLE
    assert used.tiles == (Place(0, 0), Place(0, 1), Place(1, 0))


@pytest.mark.parametrize(
    ("before", "after", "side", "places"),
    [
        pytest.param("R4 J R6", "R4 R5 R6 | K10 B10 J", Side.AFTER, [Place(1, 2)], id="moved into a new set"),
        pytest.param("R4 J R6", "R4 R5 R6 | K10 B10 O10", Side.BEFORE, [Place(0, 1)], id="taken off the table"),
        pytest.param(
            "R4 J R6 | K7 J K9", "R4 R5 R6 | K7 J K9 K10 | J B8 B9", Side.AFTER, [Place(2, 0)], id="one of two"
        ),
        pytest.param("R4 J R6", "R4 J R6 R7", None, [], id="stayed"),
        pytest.param("R4 J", "R4 R5 R6 | J K8 K9", None, [], id="in no valid set"),
        pytest.param("R4 J R6 | J J K9", "R4 R5 R6 | J K8 K9 J", None, [], id="misread"),
    ],
)
def test_joker_moved_before_the_opening_is_named(
    before: str, after: str, side: Side | None, places: list[Place]
) -> None:
    """Where it lies now, or where it was."""
    changes = find_changes(parse_table(before), parse_table(after), RULES)
    found = [one for one in judge_closed_table(changes, RULES).violations if one.code is Code.JOKER_BEFORE_OPENING]
    assert [(one.side, list(one.tiles)) for one in found] == ([] if side is None else [(side, places)])
