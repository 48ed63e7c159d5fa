"""The parts of a sentence about a violation: words, and the tiles among them."""

import pytest

from tilekeeper.engine.judge.sentences import sentence, sentence_parts
from tilekeeper.engine.rules.violations import Code, Side, Violation
from tilekeeper.engine.tiles.notation import parse_table
from tilekeeper.engine.tiles.table import Place

LEAVING = [
    (
        Violation.from_tiles(Code.ORIGINAL_TOO_SHORT, Side.BEFORE, (Place(0, 0),), found=2, bound=3),
        (
            "If you take part of a set, at least 3 tiles of it must stay together in a valid set. "
            "Here only 2 stayed together: red 4, joker and red 6."
        ),
    ),
    (
        Violation.from_tiles(Code.JOKER_NOT_FROM_RACK, Side.BEFORE, (Place(0, 1),), bound=3),
        (
            "A joker may leave its run only if a tile from the rack takes its place, or if at "
            "least 3 tiles of each part stay. Here this is not the case: red 4, joker and red 6."
        ),
    ),
    (
        Violation.from_tiles(Code.JOKER_NOT_FROM_RACK, Side.BEFORE, (Place(0, 1),)),
        (
            "A joker may leave its set only if a tile from the rack takes its place. Here this is not the case: red 4, "
            "joker and red 6."
        ),
    ),
    (
        Violation.from_tiles(Code.JOKER_NEEDS_RACK_TILES, Side.AFTER, (Place(0, 0),), found=0, bound=2),
        (
            "A joker you free needs at least 2 tiles from the rack in its new set. There are none "
            "in joker, black 8 and black 9."
        ),
    ),
    (
        Violation.from_tiles(Code.JOKER_NEEDS_RACK_TILES, Side.AFTER, (Place(0, 0),), found=1, bound=2),
        (
            "A joker you free needs at least 2 tiles from the rack in its new set. There is 1 in "
            "joker, black 8 and black 9."
        ),
    ),
    (
        Violation.from_tiles(Code.JOKER_NOT_REUSED, Side.BEFORE, (Place(0, 1),), bound=3),
        (
            "A joker you take out must leave at least 3 tiles behind and go at once to a run on "
            "the table. It is missing from red 4, joker and red 6."
        ),
    ),
    (
        Violation.from_tiles(Code.JOKER_NOT_REUSED, Side.AFTER, (Place(0, 0),), bound=3),
        (
            "A joker you take out must leave at least 3 tiles behind and go at once to a run on "
            "the table. Here this is not the case: joker, black 8 and black 9."
        ),
    ),
]


@pytest.mark.parametrize(("violation", "words"), LEAVING)
def test_sentence_about_missing_tiles_has_the_numbers(violation: Violation, words: str) -> None:
    """Its parts are the same sentence with tiles."""
    before, after = parse_table("R4 J R6"), parse_table("J K8 K9")
    assert sentence(violation, before, after) == words
    parts = list(sentence_parts(violation, before, after))
    table = before if violation.side is Side.BEFORE else after
    assert table.melds[0] in parts
    assert isinstance(parts[0], str)
    assert parts[0][0].isupper()
    assert parts[-1] == "."
    assert words.startswith(parts[0])


def test_sentence_that_begins_with_tiles_has_no_capital() -> None:
    """Then nothing of it is a capital."""
    table = parse_table("R4 R5")
    violation = Violation.from_tiles(Code.MELD_TOO_SHORT, Side.AFTER, (Place(0, 0),), found=2, bound=3)
    parts = list(sentence_parts(violation, table, table))
    assert parts[0] == table.melds[0]
    assert parts[1] == ": only 2 tiles, but a set needs at least 3"


def test_too_few_laid_tiles_are_counted_by_house_rule() -> None:
    """Under a house rule by which a turn needs two tiles, one is counted."""
    table = parse_table("R3 R4 R5 R6")
    words = sentence(Violation(Code.NOTHING_PLACED, Side.AFTER, (), (), 1, 2), table, table)
    assert words == "Only 1 tile came from the rack, but you must lay at least 2 in a turn."
