"""Sentences for people: one for each violation of a turn, in the current language."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from tilekeeper.engine.language import gettext, join_with_and, join_with_or, ngettext
from tilekeeper.engine.rules.violations import Code, Side, Violation
from tilekeeper.engine.tiles.table import Meld, Table
from tilekeeper.engine.tiles.words import TileText, capitalize, colour_words


def sentence(violation: Violation, before: Table, after: Table) -> str:
    """Return the sentence for a violation.

    Args:
        violation: a violation of a verdict.
        before: the table before the turn.
        after: the table after the turn.
    """
    return f"{capitalize(str(fault_text(violation, before if violation.side is Side.BEFORE else after)))}."


def sentence_parts(violation: Violation, before: Table, after: Table) -> Iterator[str | Meld]:
    """Yield the words and the tiles of the sentence for a violation, for a page that draws tiles."""
    parts = [*fault_text(violation, before if violation.side is Side.BEFORE else after).parts(), "."]
    if isinstance(parts[0], str):
        parts[0] = capitalize(parts[0])
    yield from parts


def fault_text(violation: Violation, table: Table) -> TileText:
    """Return the clause for a violation, without a capital letter and a full stop.

    Args:
        violation: a violation.
        table: the table that it points into.
    """
    tiles = [table.tile_at(place) for place in violation.tiles]
    names = [f"tile{at}" for at in range(len(tiles))]
    rows = {name: ((tile,),) for name, tile in zip(names, tiles, strict=True)}
    template = _template(violation, [f"{{{name}}}" for name in names], table)
    return TileText(template, rows | {"melds": tuple(table.melds[index] for index in violation.melds)})


def _template(violation: Violation, tiles: list[str], table: Table) -> str:  # noqa: C901, PLR0912, a case for each code
    """Return the clause with `{melds}` in the place of melds, and these names in the place of tiles."""
    found, bound = violation.found or 0, violation.bound or 0
    values = {"melds": "{melds}", "tiles": join_with_and(tiles) if tiles else "", "found": found, "bound": bound}
    earlier = violation.side is Side.BEFORE
    match violation.code:
        case Code.UNKNOWN_TILE:
            different = {table.tile_at(place): name for place, name in zip(violation.tiles, tiles, strict=True)}
            values["tiles"] = join_with_or(different.values())
            if earlier:
                return gettext("this edition has no {tiles}, though one was read before the turn", **values)
            return gettext("this edition has no {tiles}, though one was read", **values)
        case Code.TOO_MANY_COPIES:
            values["tiles"] = tiles[0]
            if earlier:
                return gettext(
                    "{found} of {tiles} were read before the turn, but the box holds {bound}: the table was misread",
                    **values,
                )
            return gettext(
                "{found} of {tiles} lie on the table, but the box holds {bound}: the table was misread", **values
            )
        case Code.MELD_TOO_SHORT:
            return ngettext(
                "{melds}: only {count} tile, and a meld has at least {bound}",
                "{melds}: only {count} tiles, and a meld has at least {bound}",
                found,
                **values,
            )
        case Code.RUN_BROKEN:
            return gettext("{melds}: no run, for {tiles} do not follow one another", **values)
        case Code.WRAPS_PAST_HIGHEST:
            return gettext("{melds}: a run lies between 1 and {bound}, and never goes on from {bound} to 1", **values)
        case Code.GROUP_COLOUR_TWICE:
            inks = [table.tile_at(place).colour for place in violation.tiles]
            colours = [*dict.fromkeys(colour_words(ink) for ink in inks if ink)]
            return ngettext(
                "{melds}: {colours} lies in this group more than once",
                "{melds}: {colours} lie in this group more than once",
                len(colours),
                colours=join_with_and(colours),
                **values,
            )
        case Code.GROUPS_NOT_PLAYED:
            return gettext("{melds}: in this edition there are runs only, no groups of one number", **values)
        case Code.GROUP_TOO_LONG:
            return gettext("{melds}: {found} tiles, and a group has at most {bound}", **values)
        case Code.RUN_TOO_LONG:
            return gettext("{melds}: {found} tiles, and a run has at most {bound}", **values)
        case Code.TOO_MANY_JOKERS:
            return ngettext(
                "{melds}: {count} joker, and a set has at most {bound}",
                "{melds}: {count} jokers, and a set has at most {bound}",
                found,
                **values,
            )
        case Code.NOT_A_MELD:
            return gettext("{melds}: neither a run of one colour nor a group of one number", **values)
        case Code.TILE_TAKEN:
            return ngettext(
                "{tiles} lay on the table before the turn and is gone",
                "{tiles} lay on the table before the turn and are gone",
                len(tiles),
                **values,
            )
        case Code.EXTEND_ONLY:
            return gettext("melds on the table are added to and not taken apart, as this one was: {melds}", **values)
        case Code.ORIGINAL_TOO_SHORT:
            if found < bound:
                return ngettext(
                    "where part of a set is taken, at least {count} tile of it stays together in a valid set; "
                    "of this one only {found} did: {melds}",
                    "where part of a set is taken, at least {count} tiles of it stay together in a valid set; "
                    "of this one only {found} did: {melds}",
                    bound,
                    **values,
                )
            return ngettext(
                "where part of a set is taken, at least {count} tile of it stays together in a valid set, "
                "not so of {melds}",
                "where part of a set is taken, at least {count} tiles of it stay together in a valid set, "
                "not so of {melds}",
                bound,
                **values,
            )
        case Code.JOKER_SET_LOCKED:
            return gettext(
                "a set with a joker is not split, and nothing but a replaced joker is taken out of it: {melds}",
                **values,
            )
        case Code.NOTHING_PLACED if found:
            return ngettext(
                "only {count} tile came from the rack, and a turn asks for at least {bound}",
                "only {count} tiles came from the rack, and a turn asks for at least {bound}",
                found,
                **values,
            )
        case Code.NOTHING_PLACED:
            return gettext("no tile came from the rack; whoever lays none draws one, and the table stays as it was")
        case Code.OPENING_TOO_LOW:
            return gettext(
                "the opening asks for at least {points} in new sets from the rack alone; these are worth {worth}: "
                "{missing}",
                points=points_words(bound),
                worth=points_words(found),
                missing=ngettext("{count} is missing", "{count} are missing", bound - found),
            )
        case Code.OPENING_USED_TABLE if earlier:
            return gettext("before the opening the table stays as it lies; this is gone: {melds}", **values)
        case Code.OPENING_USED_TABLE:
            return gettext("before the opening the table stays as it lies; these melds use it: {melds}", **values)
        case Code.OPENING_TABLE_NOT_EMPTY:
            return gettext("the opening is laid on an empty table, and there lay {melds}", **values)
        case Code.JOKER_BEFORE_OPENING:
            return gettext("before the opening no joker on the table is replaced or moved: {melds}", **values)
        case Code.JOKER_NOT_FROM_RACK if bound:
            return ngettext(
                "a joker leaves its run when a tile from the rack is laid in its place, or where at least {count} tile "
                "remains of each part; not so in {melds}",
                "a joker leaves its run when a tile from the rack is laid in its place, or where at least "
                "{count} tiles "
                "remain of each part; not so in {melds}",
                bound,
                **values,
            )
        case Code.JOKER_NOT_FROM_RACK:
            return gettext(
                "a joker leaves its set only when a tile from the rack is laid in its place, which was not so in "
                "{melds}",
                **values,
            )
        case Code.JOKER_NEEDS_RACK_TILES:
            asked = ngettext("{count} tile", "{count} tiles", bound)
            if not found:
                return gettext(
                    "a joker that came free is laid with at least {asked} from the rack, and there are none in {melds}",
                    asked=asked,
                    **values,
                )
            return ngettext(
                "a joker that came free is laid with at least {asked} from the rack, and there is {count} in {melds}",
                "a joker that came free is laid with at least {asked} from the rack, and there are {count} in {melds}",
                found,
                asked=asked,
                **values,
            )
        case Code.JOKER_NOT_REUSED if bound and earlier:
            return ngettext(
                "a joker is taken out where at least {count} tile remains, and laid at once to a run there; it is gone "
                "from {melds}",
                "a joker is taken out where at least {count} tiles remain, and laid at once to a run there; it is gone "
                "from {melds}",
                bound,
                **values,
            )
        case Code.JOKER_NOT_REUSED if bound:
            return ngettext(
                "a joker is taken out where at least {count} tile remains, and laid at once to a run there, which this "
                "is not: {melds}",
                "a joker is taken out where at least {count} tiles remain, and laid at once to a run there, which this "
                "is not: {melds}",
                bound,
                **values,
            )
        case Code.JOKER_NOT_REUSED if earlier:
            return gettext(
                "a joker that came free goes into a new meld in the same turn; it is gone from {melds}", **values
            )
        case Code.JOKER_NOT_REUSED:
            return gettext(
                "a joker that came free goes into a new meld in the same turn, which this is not: {melds}", **values
            )
        case _ as never:  # pragma: no cover - the type checker proves it
            assert_never(never)


def points_words(points: int) -> str:
    """Return a number of points in words, `1 point` or `30 points`."""
    return ngettext("{count} point", "{count} points", points)
