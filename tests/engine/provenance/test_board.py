"""The board: where the tiles of changed melds can have gone, the likeliest way first, and when nothing is followed."""

import pytest

from tilekeeper.engine.provenance.board import RACK, Board, Paths
from tilekeeper.engine.provenance.changes import find_changes
from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.engine.tiles.notation import parse_table
from tilekeeper.engine.tiles.table import Place
from tilekeeper.engine.tiles.tile import Tile


def board(before: str, after: str, edition: str = "finnish") -> Board:
    rules = rule_set(edition)
    return Board(find_changes(parse_table(before), parse_table(after), rules), rules)


def tile(text: str) -> Tile:
    return parse_table(text).melds[0][0]


@pytest.mark.parametrize(
    ("before", "after", "paths"),
    [
        pytest.param(
            "R7 R8 R9 | K7 B7 R7", "K7 B7 R7 O7 | R7 R8 R9 R10", [((0, 1), (1, 0)), ((0, 0), (1, 1))], id="two copies"
        ),
        pytest.param(
            "R7 R8 | K1 K2 K3",
            "R7 R8 K1 K2 K3 | R7 O1",
            [((RACK, 1), (0, 0)), ((RACK, 0), (0, 1))],
            id="one of the rack, which is like no meld",
        ),
        pytest.param("R7 R8 R9", "R8 R9 R10", [()], id="gone"),
        pytest.param("R8 R9 R10", "R7 R8 R9 R10", [((RACK, 0),)], id="laid"),
        pytest.param("R7 R8 R9", "R7 R8 R9 R10 | R7 O7 B7", [((0, 0), (RACK, 1)), ((RACK, 0), (0, 1))], id="one more"),
    ],
)
def test_the_ways_of_a_tile(before: str, after: str, paths: list[Paths]) -> None:
    """Every way in which its copies can have gone, those first in which they went to melds most like their own."""
    assert [set(found) for found in board(before, after).paths(tile("R7"))] == [set(one) for one in paths]


def test_a_tile_that_lies_nowhere_went_nowhere() -> None:
    """There is one way for it, and nothing in that."""
    assert board("R7 R8 R9", "R7 R8 R9 R10").paths(tile("K1")) == [()]


@pytest.mark.parametrize(
    ("before", "after", "misread"),
    [
        ("R4 J R6 | J K7", "R4 R5 R6 | J J K7 K8", False),
        ("R4 J R6 | B4 J B6 | J K7", "R4 R5 R6", True),
        ("R4 J R6 | J K7", "R4 R5 R6 | J K7 K8 | J | J", True),
        ("R4 R5 R6", "R4 R5 R6 J J J", False),
        ("J K7", "K7 K8 J J J", True),
        ("R4 R5 R6 | R4 B4 O4", "R4 R5 R6 | R4 B4 O4 | R4 R5 R6", False),
        ("R4 R5 R6 | R4 B4 O4", "R4 R5 R6 R7 | R4 B4 O4 K4 | R4 K4 B4", True),
        ("R4 R5 R6 | R4 B4 O4 | R4 R3 R2", "R4 R5 R6 R7 | B4 O4 K4 | R3 R2 R1", True),
    ],
)
def test_more_than_the_box_holds_is_not_followed(before: str, after: str, misread: bool) -> None:
    """Of a tile or of jokers, before or after; jokers count only where some lay in a meld that changed."""
    assert board(before, after).was_misread is misread


def test_what_an_old_set_can_be_found_by() -> None:
    """The sets that share a tile with a new meld, and the new melds in which enough of a set can lie."""
    cards = board("K4 K5 K6 K7 | Y4 Y5 J", "K4 Y4 B4 | K5 K6 K7 | Y5 J Y7", "cards")
    assert cards.akin(0) == [0, 1]
    assert cards.akin(1) == [0]
    assert cards.akin(2) == [1]
    assert cards.hosts(0) == [1]
    # Two tiles and the joker are three, but of the two no two lie together: one and the joker are too few.
    assert cards.hosts(1) == []
    assert board("K4 K5 J K7 | Y1", "K4 K5 B1 | K7 Y1", "cards").hosts(0) == [0]


def test_jokers_of_sets_and_of_rows_that_are_none() -> None:
    """A joker in no valid set is loose; what the others stood for, and where they may have stayed, is known."""
    looked = board("R4 J R6 | J K7", "R4 R5 R6 J | K7 K8 J")
    assert looked.set_jokers == (Place(0, 1),)
    assert looked.loose_jokers == 1
    assert looked.joker_goals == (Place(0, 3), Place(1, 2))
    assert list(looked.stood_for(Place(0, 1))) == [tile("R5")]
    assert not looked.can_stay(Place(0, 1), Place(0, 3))
    assert not looked.can_stay(Place(0, 1), Place(1, 2))
    assert board("R4 J R6", "J R6 R7").can_stay(Place(0, 1), Place(0, 0))
    # In a row that is no valid meld a joker stands for nothing, so that it can be the one that stayed.
    assert board("R4 J R6", "J R6").can_stay(Place(0, 1), Place(0, 0))
    assert list(board("R4 B4 J", "R4 B4 O4").stood_for(Place(0, 2))) == [tile("K4"), tile("O4")]
