"""The board: possible provenances of tiles in changed melds, the likeliest first, and misread tables."""

import pytest

from tilekeeper.engine.provenance.board import RACK, Board, Provenance
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
    ("before", "after", "expected"),
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
def test_provenances_of_a_tile_are_listed(before: str, after: str, expected: list[Provenance]) -> None:
    """Each possible one, once."""
    found = board(before, after).provenances(tile("R7"))
    assert sorted(map(sorted, found)) == sorted(map(sorted, expected))


def test_tile_outside_the_changed_melds_has_one_empty_provenance() -> None:
    assert board("R7 R8 R9", "R7 R8 R9 R10").provenances(tile("K1")) == [()]


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
def test_table_with_too_many_copies_is_misread(before: str, after: str, misread: bool) -> None:
    """More copies than the box holds, before or after; jokers count only if a changed meld had one."""
    assert board(before, after).was_misread is misread


def test_board_links_old_sets_and_new_melds() -> None:
    """Old sets that share a tile with a new meld, and new melds that an old set may have become."""
    cards = board("K4 K5 K6 K7 | Y4 Y5 J", "K4 Y4 B4 | K5 K6 K7 | Y5 J Y7", "cards")
    assert cards.sets_sharing_tiles(0) == [0, 1]
    assert cards.sets_sharing_tiles(1) == [0]
    assert cards.sets_sharing_tiles(2) == [1]
    # Rows that are no valid melds are not known as sets.


def test_jokers_of_valid_sets_and_invalid_rows() -> None:
    """A joker in an invalid row is loose; a joker of a set has its stand-ins and the places where it can stay."""
    changed = board("R4 J R6 | J K7", "R4 R5 R6 J | K7 K8 J")
    assert changed.set_jokers == (Place(0, 1),)
    assert changed.loose_jokers == 1
    assert changed.joker_goals == (Place(0, 3), Place(1, 2))
    assert list(changed.stood_for(Place(0, 1))) == [tile("R5")]
    assert not changed.can_stay(Place(0, 1), Place(0, 3))
    assert not changed.can_stay(Place(0, 1), Place(1, 2))
    assert board("R4 J R6", "J R6 R7").can_stay(Place(0, 1), Place(0, 0))
    # In an invalid row a joker stands for nothing, so it can be the one that stayed.
    assert board("R4 J R6", "J R6").can_stay(Place(0, 1), Place(0, 0))
    assert list(board("R4 B4 J", "R4 B4 O4").stood_for(Place(0, 2))) == [tile("K4"), tile("O4")]
