"""English words for what the judge says: verdicts and violations as sentences for people."""

from collections.abc import Iterable, Sequence
from typing import assert_never

from tilekeeper.engine.judge.verdict import Verdict
from tilekeeper.engine.rules.violations import Code, Side, Violation
from tilekeeper.engine.tiles.table import Meld, Table
from tilekeeper.engine.tiles.tile import Tile


def sentence(violation: Violation, before: Table, after: Table) -> str:
    """Say in one sentence what is wrong.

    Args:
        violation: one of a verdict's violations.
        before: the table before the turn that was judged.
        after: the table after it.
    """
    said = _violation_words(violation, before if violation.side is Side.BEFORE else after)
    return f"{said[0].upper()}{said[1:]}."


def edition_words(key: str) -> str:
    """Return what people call an edition: `Large numbers` for `large-numbers`."""
    return key.capitalize().replace("-", " ")


def _violation_words(violation: Violation, table: Table) -> str:  # noqa: C901, PLR0912, a case for each code
    """The sentence without its capital and its full stop; `table` is the one into which the violation points."""
    melds = "; ".join(meld_words(table.melds[index]) for index in violation.melds)
    tiles = [table.tile_at(place) for place in violation.tiles]
    found, bound = violation.found or 0, violation.bound or 0
    earlier = violation.side is Side.BEFORE
    match violation.code:
        case Code.UNKNOWN_TILE:
            names = _list(dict.fromkeys(map(tile_words, tiles)), "or")
            return f"this edition has no {names}, though one was read{' before the turn' if earlier else ''}"
        case Code.TOO_MANY_COPIES:
            where = "were read before the turn" if earlier else "lie on the table"
            return f"{found} of {tile_words(tiles[0])} {where}, but the box holds {bound}: the table was misread"
        case Code.MELD_TOO_SHORT:
            return f"{melds}: only {_count(found, 'tile')}, and a meld has at least {bound}"
        case Code.RUN_BROKEN:
            return f"{melds}: no run, for {_list(map(tile_words, tiles))} do not follow one another"
        case Code.WRAPS_PAST_HIGHEST:
            return f"{melds}: a run lies between 1 and {bound}, and never goes on from {bound} to 1"
        case Code.GROUP_COLOUR_TWICE:
            colours = dict.fromkeys(tile.colour.word for tile in tiles if tile.colour)
            verb = "lies" if len(colours) == 1 else "lie"
            return f"{melds}: {_list(colours)} {verb} in this group more than once"
        case Code.GROUPS_NOT_PLAYED:
            return f"{melds}: in this edition there are runs only, no groups of one number"
        case Code.GROUP_TOO_LONG:
            return f"{melds}: {_count(found, 'tile')}, and a group has at most {bound}"
        case Code.RUN_TOO_LONG:
            return f"{melds}: {_count(found, 'tile')}, and a run has at most {bound}"
        case Code.TOO_MANY_JOKERS:
            return f"{melds}: {_count(found, 'joker')}, and a set has at most {bound}"
        case Code.NOT_A_MELD:
            return f"{melds}: neither a run of one colour nor a group of one number"
        case Code.TILE_TAKEN:
            verb = "is" if len(tiles) == 1 else "are"
            return f"{_list(map(tile_words, tiles))} lay on the table before the turn and {verb} gone"
        case Code.EXTEND_ONLY:
            return f"melds on the table are added to and not taken apart, as this one was: {melds}"
        case Code.ORIGINAL_TOO_SHORT:
            rule = f"where part of a set is taken, at least {_count(bound, 'tile')} of it stay together in a valid set"
            return f"{rule}; of this one only {found} did: {melds}" if found < bound else f"{rule}, not so of {melds}"
        case Code.JOKER_SET_LOCKED:
            return f"a set with a joker is not split, and nothing but a replaced joker is taken out of it: {melds}"
        case Code.NOTHING_PLACED:
            if found:
                return f"only {_count(found, 'tile')} came from the rack, and a turn asks for at least {bound}"
            return "no tile came from the rack; whoever lays none draws one, and the table stays as it was"
        case Code.OPENING_TOO_LOW:
            lacking = _count(bound - found, "point")
            asked = f"the opening asks for at least {_count(bound, 'point')} in new sets from the rack alone"
            return f"{asked}; these have {found}, {lacking} too few"
        case Code.OPENING_USED_TABLE:
            rule = "before the opening the table stays as it lies"
            return f"{rule}; this is gone: {melds}" if earlier else f"{rule}; these melds use it: {melds}"
        case Code.OPENING_TABLE_NOT_EMPTY:
            return f"the opening is laid on an empty table, and there lay {melds}"
        case Code.JOKER_BEFORE_OPENING:
            return f"before the opening no joker on the table is replaced or moved: {melds}"
        case Code.JOKER_NOT_FROM_RACK:
            rule = "a joker leaves its set only when a tile from the rack is laid in its place"
            return f"{rule}, which was not so in {melds}"
        case Code.JOKER_NEEDS_RACK_TILES:
            asked = f"a joker that came free is laid with at least {_count(bound, 'tile')} from the rack"
            return f"{asked}, and there {'is' if found == 1 else 'are'} {found or 'none'} in {melds}"
        case Code.JOKER_NOT_REUSED:
            rule = "a joker that came free goes into a new meld in the same turn"
            return f"{rule}; it is gone from {melds}" if earlier else f"{rule}, which this is not: {melds}"
        case _ as never:  # pragma: no cover - the type checker proves it
            assert_never(never)


def summary(verdict: Verdict) -> str:
    """Say in one line whether a turn was legal, and what was laid."""
    if not verdict.legal:
        return f"Illegal: {_count(len(verdict.violations), 'violation')}."
    said = f"Legal: {_count(len(verdict.placed), 'tile')} laid ({_notation(verdict.placed)})"
    if verdict.opens:
        said += f" for {_count(verdict.points or 0, 'point')}, which opens the game"
    return f"{said}."


def caveats(verdict: Verdict) -> tuple[str, ...]:
    """Say in one line that the judge could not look into everything, where that is so; nothing where it could."""
    if verdict.proved:
        return ()
    return (
        "There are more ways to lay this than can be looked through: only how the tiles lie was judged, not how they "
        "came there.",
    )


def stand_in_sentences(verdict: Verdict, after: Table) -> tuple[str, ...]:
    """Say for each joker in a valid meld what it stands for, a sentence each.

    Args:
        verdict: what the judge said of a turn.
        after: the table after the turn.
    """
    return tuple(
        f"The joker in {meld_words(after.melds[stand_in.place.meld])} stands for {tile_words(stand_in.tile)}."
        for stand_in in verdict.stand_ins
    )


def tile_words(tile: Tile) -> str:
    """A tile in words, `red 7` or `joker`."""
    return "joker" if tile.colour is None else f"{tile.colour.word} {tile.number}"


def label_words(label: str) -> str:
    """A label of the reader in words: `red-7` is "red 7", a label that names no tile is "no tile"."""
    try:
        return tile_words(Tile.from_label(label))
    except ValueError:
        return "no tile"


def move_words(tile: Tile, goal: Meld | None, from_table: bool) -> str:
    """What a player is to do with a tile, as a sentence without its capital: `move red 7: red 5, red 6 and red 7`.

    Args:
        tile: the tile to be moved.
        goal: the meld in which it is to lie afterwards; none for off the table.
        from_table: whether it lies on the table now.
    """
    if goal is None:
        return f"take {tile_words(tile)} off the table"
    return f"{'move' if from_table else 'lay'} {tile_words(tile)}: {meld_words(goal)}"


def meld_words(meld: Meld) -> str:
    """A row in words, in the order in which it lies, `red 5, red 6 and joker`."""
    return _list(map(tile_words, meld))


def _notation(tiles: Sequence[Tile]) -> str:
    return " ".join(map(str, tiles))


def _list(words: Iterable[str], last: str = "and") -> str:
    *first, end = words
    return f"{', '.join(first)} {last} {end}" if first else end


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
