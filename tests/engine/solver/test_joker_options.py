"""Options of jokers in melds that stay together, and the new sets of freed jokers."""

from collections import Counter

from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.engine.solver.joker_options import joker_options, new_sets
from tilekeeper.engine.tiles.notation import parse_table
from tilekeeper.engine.tiles.table import Meld, Table

FINNISH, JUNIOR = rule_set("finnish"), rule_set("junior")


def rows_of(table: str, rack: str, edition: str) -> set[str]:
    """Return the possible rows after each meld was given an option."""
    melds = parse_table(table).melds
    found = joker_options(melds, [True] * len(melds), Counter(tiles(rack)), rule_set(edition))
    return {str(Table(tuple(row for option in options for row in option.rows))) for options in found}


def tiles(text: str) -> Meld:
    return parse_table(text).melds[0]


def test_one_tile_replaces_one_of_two_jokers() -> None:
    """If two jokers stand for a tile that the rack has once, either one is replaced, never both."""
    assert rows_of("R4 J R6 | R4 J R6", "R5 B9", "finnish") == {
        "R4 J R6 | R4 J R6",
        "R4 R5 R6 | R4 J R6",
        "R4 J R6 | R4 R5 R6",
    }


def test_joker_is_taken_out_if_the_parts_are_sets() -> None:
    """At an end, or between two runs; in the middle of a short run it stays or is replaced."""
    assert rows_of("R1 R2 R3 J", "B1", "junior") == {"R1 R2 R3 J", "R1 R2 R3"}
    assert rows_of("R1 R2 R3 J R5 R6 R7", "B1", "junior") == {"R1 R2 R3 J R5 R6 R7", "R1 R2 R3 | R5 R6 R7"}
    assert rows_of("R1 J R3", "R2", "junior") == {"R1 J R3", "R1 R2 R3"}


def test_two_freed_jokers_get_new_sets() -> None:
    """Each gets a set of its own if a set may hold one joker, with tiles of the rack only."""
    found = {str(Table(rows)) for rows in new_sets(Counter(tiles("B9 O9 K11 K12")), 2, FINNISH)}
    assert "O9 B9 J | K11 K12 J" in found or "B9 O9 J | K11 K12 J" in found
    for rows in new_sets(Counter(tiles("B9 O9 K11 K12")), 2, FINNISH):
        assert len(rows) == 2
        assert sum(row.count(tiles("J")[0]) for row in rows) == 2
    assert not list(new_sets(Counter(tiles("B9 O9 K11")), 2, FINNISH))
    assert any(len(rows) == 1 for rows in new_sets(Counter(tiles("R4 R5")), 2, JUNIOR))
