"""What is wrong with a turn, in English: one sentence for each violation."""

from __future__ import annotations

from typing import assert_never

from tilekeeper.engine.rules.violations import Code, Side, Violation
from tilekeeper.engine.tiles.table import Table
from tilekeeper.engine.tiles.words import counted, listed, meld_words, tile_words


def sentence(violation: Violation, before: Table, after: Table) -> str:
    """What is wrong, in one sentence.

    Args:
        violation: one of a verdict's violations.
        before: the table before the turn that was judged.
        after: the table after it.
    """
    words = fault_words(violation, before if violation.side is Side.BEFORE else after)
    return f"{words[0].upper()}{words[1:]}."


def fault_words(violation: Violation, table: Table) -> str:  # noqa: C901, PLR0912, a case for each code
    """What is wrong, without the capital and the full stop of a sentence.

    Args:
        violation: a violation.
        table: the table into which it points.
    """
    melds = "; ".join(meld_words(table.melds[index]) for index in violation.melds)
    tiles = [table.tile_at(place) for place in violation.tiles]
    found, bound = violation.found or 0, violation.bound or 0
    earlier = violation.side is Side.BEFORE
    match violation.code:
        case Code.UNKNOWN_TILE:
            names = listed(dict.fromkeys(map(tile_words, tiles)), "or")
            return f"this edition has no {names}, though one was read{' before the turn' if earlier else ''}"
        case Code.TOO_MANY_COPIES:
            where = "were read before the turn" if earlier else "lie on the table"
            return f"{found} of {tile_words(tiles[0])} {where}, but the box holds {bound}: the table was misread"
        case Code.MELD_TOO_SHORT:
            return f"{melds}: only {counted(found, 'tile')}, and a meld has at least {bound}"
        case Code.RUN_BROKEN:
            return f"{melds}: no run, for {listed(map(tile_words, tiles))} do not follow one another"
        case Code.WRAPS_PAST_HIGHEST:
            return f"{melds}: a run lies between 1 and {bound}, and never goes on from {bound} to 1"
        case Code.GROUP_COLOUR_TWICE:
            colours = dict.fromkeys(tile.colour.word for tile in tiles if tile.colour)
            verb = "lies" if len(colours) == 1 else "lie"
            return f"{melds}: {listed(colours)} {verb} in this group more than once"
        case Code.GROUPS_NOT_PLAYED:
            return f"{melds}: in this edition there are runs only, no groups of one number"
        case Code.GROUP_TOO_LONG:
            return f"{melds}: {counted(found, 'tile')}, and a group has at most {bound}"
        case Code.RUN_TOO_LONG:
            return f"{melds}: {counted(found, 'tile')}, and a run has at most {bound}"
        case Code.TOO_MANY_JOKERS:
            return f"{melds}: {counted(found, 'joker')}, and a set has at most {bound}"
        case Code.NOT_A_MELD:
            return f"{melds}: neither a run of one colour nor a group of one number"
        case Code.TILE_TAKEN:
            verb = "is" if len(tiles) == 1 else "are"
            return f"{listed(map(tile_words, tiles))} lay on the table before the turn and {verb} gone"
        case Code.EXTEND_ONLY:
            return f"melds on the table are added to and not taken apart, as this one was: {melds}"
        case Code.ORIGINAL_TOO_SHORT:
            rule = f"where part of a set is taken, at least {counted(bound, 'tile')} of it stay together in a valid set"
            return f"{rule}; of this one only {found} did: {melds}" if found < bound else f"{rule}, not so of {melds}"
        case Code.JOKER_SET_LOCKED:
            return f"a set with a joker is not split, and nothing but a replaced joker is taken out of it: {melds}"
        case Code.NOTHING_PLACED:
            if found:
                return f"only {counted(found, 'tile')} came from the rack, and a turn asks for at least {bound}"
            return "no tile came from the rack; whoever lays none draws one, and the table stays as it was"
        case Code.OPENING_TOO_LOW:
            lacking = bound - found
            asked = f"the opening asks for at least {counted(bound, 'point')} in new sets from the rack alone"
            missing = f"{lacking} {'is' if lacking == 1 else 'are'} missing"
            return f"{asked}; these are worth {counted(found, 'point')}: {missing}"
        case Code.OPENING_USED_TABLE:
            rule = "before the opening the table stays as it lies"
            return f"{rule}; this is gone: {melds}" if earlier else f"{rule}; these melds use it: {melds}"
        case Code.OPENING_TABLE_NOT_EMPTY:
            return f"the opening is laid on an empty table, and there lay {melds}"
        case Code.JOKER_BEFORE_OPENING:
            return f"before the opening no joker on the table is replaced or moved: {melds}"
        case Code.JOKER_NOT_FROM_RACK if bound:
            rule = "a joker leaves its run when a tile from the rack is laid in its place"
            return f"{rule}, or where at least {counted(bound, 'tile')} remain of each part; not so in {melds}"
        case Code.JOKER_NOT_FROM_RACK:
            rule = "a joker leaves its set only when a tile from the rack is laid in its place"
            return f"{rule}, which was not so in {melds}"
        case Code.JOKER_NEEDS_RACK_TILES:
            asked = f"a joker that came free is laid with at least {counted(bound, 'tile')} from the rack"
            return f"{asked}, and there {'is' if found == 1 else 'are'} {found or 'none'} in {melds}"
        case Code.JOKER_NOT_REUSED if bound:
            rule = (
                f"a joker is taken out where at least {counted(bound, 'tile')} remain, and laid at once to a run there"
            )
            return f"{rule}; it is gone from {melds}" if earlier else f"{rule}, which this is not: {melds}"
        case Code.JOKER_NOT_REUSED:
            rule = "a joker that came free goes into a new meld in the same turn"
            return f"{rule}; it is gone from {melds}" if earlier else f"{rule}, which this is not: {melds}"
        case _ as never:  # pragma: no cover - the type checker proves it
            assert_never(never)
