"""Sentences that explain the violations of a turn to the players, in the current language."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from tilekeeper.engine.language import gettext, join_with_and, join_with_or, ngettext
from tilekeeper.engine.rules.violations import Code, Side, Violation
from tilekeeper.engine.tiles.table import Meld, Table
from tilekeeper.engine.tiles.words import TileText, capitalize, colour_words


def sentence(violation: Violation, before: Table, after: Table) -> str:
    """Return the sentence for a violation."""
    return f"{capitalize(str(fault_text(violation, before if violation.side is Side.BEFORE else after)))}."


def sentence_parts(violation: Violation, before: Table, after: Table) -> Iterator[str | Meld]:
    """Yield the words and the tiles of the sentence for a violation, for a page that shows tiles as pictures."""
    parts = [*fault_text(violation, before if violation.side is Side.BEFORE else after).parts(), "."]
    if isinstance(parts[0], str):
        parts[0] = capitalize(parts[0])
    yield from parts


def fault_text(violation: Violation, table: Table) -> TileText:
    """Return the clause for a violation of this table, without a capital letter and a full stop."""
    tiles = [table.tile_at(place) for place in violation.tiles]
    names = [f"tile{at}" for at in range(len(tiles))]
    rows = {name: ((tile,),) for name, tile in zip(names, tiles, strict=True)}
    template = _template(violation, [f"{{{name}}}" for name in names], table)
    return TileText(template, rows | {"melds": tuple(table.melds[index] for index in violation.melds)})


def _template(violation: Violation, tiles: list[str], table: Table) -> str:  # noqa: C901, PLR0912, a case for each code
    """Return the clause with the placeholder `{melds}` for melds, and the placeholders in `tiles` for tiles."""
    found, bound = violation.found or 0, violation.bound or 0
    values = {"melds": "{melds}", "tiles": join_with_and(tiles) if tiles else "", "found": found, "bound": bound}
    earlier = violation.side is Side.BEFORE
    match violation.code:
        case Code.UNKNOWN_TILE:
            different = {table.tile_at(place): name for place, name in zip(violation.tiles, tiles, strict=True)}
            values["tiles"] = join_with_or(different.values())
            if earlier:
                return gettext("the box has no {tiles}, but one was read before the turn", **values)
            return gettext("the box has no {tiles}, but one was read", **values)
        case Code.TOO_MANY_COPIES:
            values["tiles"] = tiles[0]
            if earlier:
                return gettext(
                    "{tiles} was read {found} times before the turn, but the box has only {bound}: the table was "
                    "misread",
                    **values,
                )
            return gettext(
                "{tiles} is on the table {found} times, but the box has only {bound}: the table was misread", **values
            )
        case Code.MELD_TOO_SHORT:
            return ngettext(
                "{melds}: only {count} tile, but a set needs at least {bound}",
                "{melds}: only {count} tiles, but a set needs at least {bound}",
                found,
                **values,
            )
        case Code.RUN_BROKEN:
            return gettext("{melds}: not a run, because {tiles} do not follow each other", **values)
        case Code.WRAPS_PAST_HIGHEST:
            return gettext("{melds}: a run goes up to {bound}; it never goes on from {bound} to 1", **values)
        case Code.GROUP_COLOUR_TWICE:
            inks = [table.tile_at(place).colour for place in violation.tiles]
            colours = [*dict.fromkeys(colour_words(ink) for ink in inks if ink)]
            return ngettext(
                "{melds}: {colours} is in this group more than once",
                "{melds}: {colours} are in this group more than once",
                len(colours),
                colours=join_with_and(colours),
                **values,
            )
        case Code.GROUPS_NOT_PLAYED:
            return gettext("{melds}: this box plays runs only, no groups of one number", **values)
        case Code.GROUP_TOO_LONG:
            return gettext("{melds}: {found} tiles, but a group has at most {bound}", **values)
        case Code.RUN_TOO_LONG:
            return gettext("{melds}: {found} tiles, but a run has at most {bound}", **values)
        case Code.TOO_MANY_JOKERS:
            return ngettext(
                "{melds}: {count} joker, but a set has at most {bound}",
                "{melds}: {count} jokers, but a set has at most {bound}",
                found,
                **values,
            )
        case Code.NOT_A_MELD:
            return gettext("{melds}: neither a run of one colour nor a group of one number", **values)
        case Code.TILE_TAKEN:
            return ngettext(
                "{tiles} was on the table before the turn and is missing now",
                "{tiles} were on the table before the turn and are missing now",
                len(tiles),
                **values,
            )
        case Code.EXTEND_ONLY:
            return gettext(
                "you may add to a set on the table but not take it apart, as happened here: {melds}", **values
            )
        case Code.ORIGINAL_TOO_SHORT:
            return ngettext(
                "if you take part of a set, at least {count} tile of it must stay together in a valid set. Here only "
                "{found} stayed together: {melds}",
                "if you take part of a set, at least {count} tiles of it must stay together in a valid set. Here only "
                "{found} stayed together: {melds}",
                bound,
                **values,
            )
        case Code.JOKER_SET_LOCKED:
            return gettext(
                "you may not split a set with a joker, and you may take only a replaced joker out of it: {melds}",
                **values,
            )
        case Code.NOTHING_PLACED if found:
            return ngettext(
                "only {count} tile came from the rack, but you must lay at least {bound} in a turn",
                "only {count} tiles came from the rack, but you must lay at least {bound} in a turn",
                found,
                **values,
            )
        case Code.NOTHING_PLACED:
            return gettext("no tile came from the rack. If you lay none, leave the table as it was and draw one")
        case Code.OPENING_TOO_LOW:
            return gettext(
                "the opening needs at least {points} in new sets from the rack alone. These count {worth}: {missing}",
                points=points_words(bound),
                worth=points_words(found),
                missing=ngettext("{count} is missing", "{count} are missing", bound - found),
            )
        case Code.OPENING_USED_TABLE if earlier:
            return gettext("before you have opened you may not change the table. This is missing: {melds}", **values)
        case Code.OPENING_USED_TABLE:
            return gettext(
                "before you have opened you may not change the table. These sets use tiles from it: {melds}", **values
            )
        case Code.OPENING_TABLE_NOT_EMPTY:
            return gettext("you may open only on an empty table. These sets are already there: {melds}", **values)
        case Code.JOKER_BEFORE_OPENING:
            return gettext("before you have opened you may not replace or move a joker on the table: {melds}", **values)
        case Code.JOKER_NOT_FROM_RACK if bound:
            return ngettext(
                "a joker may leave its run only if a tile from the rack takes its place, or if at least {count} tile "
                "of each part stays. Here this is not the case: {melds}",
                "a joker may leave its run only if a tile from the rack takes its place, or if at least {count} tiles "
                "of each part stay. Here this is not the case: {melds}",
                bound,
                **values,
            )
        case Code.JOKER_NOT_FROM_RACK:
            return gettext(
                "a joker may leave its set only if a tile from the rack takes its place. Here this is not the case: "
                "{melds}",
                **values,
            )
        case Code.JOKER_NEEDS_RACK_TILES:
            wanted = ngettext("{count} tile", "{count} tiles", bound)
            if not found:
                return gettext(
                    "a joker you free needs at least {asked} from the rack in its new set. There are none in {melds}",
                    asked=wanted,
                    **values,
                )
            return ngettext(
                "a joker you free needs at least {asked} from the rack in its new set. There is {count} in {melds}",
                "a joker you free needs at least {asked} from the rack in its new set. There are {count} in {melds}",
                found,
                asked=wanted,
                **values,
            )
        case Code.JOKER_NOT_REUSED if bound and earlier:
            return ngettext(
                "a joker you take out must leave at least {count} tile behind and go at once to a "
                "run on the table. It is missing from {melds}",
                "a joker you take out must leave at least {count} tiles behind and go at once to a "
                "run on the table. It is missing from {melds}",
                bound,
                **values,
            )
        case Code.JOKER_NOT_REUSED if bound:
            return ngettext(
                "a joker you take out must leave at least {count} tile behind and go at once to a run on the table. "
                "Here this is not the case: {melds}",
                "a joker you take out must leave at least {count} tiles behind and go at once to a run on the table. "
                "Here this is not the case: {melds}",
                bound,
                **values,
            )
        case Code.JOKER_NOT_REUSED if earlier:
            return gettext(
                "a joker you free must go into a new set in the same turn. It is missing from {melds}", **values
            )
        case Code.JOKER_NOT_REUSED:
            return gettext(
                "a joker you free must go into a new set in the same turn. Here this is not the case: {melds}", **values
            )
        case _ as never:  # pragma: no cover - the type checker proves it
            assert_never(never)


def points_words(points: int) -> str:
    """Return a number of points in words, `1 point` or `30 points`."""
    return ngettext("{count} point", "{count} points", points)
