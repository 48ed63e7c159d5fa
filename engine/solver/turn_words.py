"""Words for a turn: "put blue 3 before blue 4 5 6; took red 1 from the group of ones"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from enum import Enum
from functools import reduce
from itertools import groupby

from tilekeeper.engine.language import gettext, gettext_noop, join_with_and, ngettext, ngettext_noop, pgettext
from tilekeeper.engine.rules.meld import Kind, best_reading
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.solver.tile_moves import TileMove
from tilekeeper.engine.tiles.table import Meld, Place, Table
from tilekeeper.engine.tiles.tile import Tile
from tilekeeper.engine.tiles.words import numbers_words, tile_words

_NUMBERS = (
    # Translators: what the tiles of a group are called together, "the group of ones".
    *(gettext_noop("zeros"), gettext_noop("ones"), gettext_noop("twos"), gettext_noop("threes"), gettext_noop("fours")),
    *(gettext_noop("fives"), gettext_noop("sixes"), gettext_noop("sevens"), gettext_noop("eights")),
    *(gettext_noop("nines"), gettext_noop("tens"), gettext_noop("elevens"), gettext_noop("twelves")),
    gettext_noop("thirteens"),
)


class _Where(Enum):
    """Where a tile is put in a meld that continues: the preposition of the clause."""

    TO = "to"
    INTO = "into"
    BEFORE = "before"
    AFTER = "after"


_PUT = {
    _Where.TO: gettext_noop("added {tiles} to {meld}"),
    _Where.INTO: gettext_noop("put {tiles} into {meld}"),
    _Where.BEFORE: gettext_noop("put {tiles} before {meld}"),
    _Where.AFTER: gettext_noop("put {tiles} after {meld}"),
}
_MOVED = {
    _Where.TO: ngettext_noop(
        "took {tiles} from {source} and added it to {meld}", "took {tiles} from {source} and added them to {meld}"
    ),
    _Where.INTO: ngettext_noop(
        "took {tiles} from {source} and put it into {meld}", "took {tiles} from {source} and put them into {meld}"
    ),
    _Where.BEFORE: ngettext_noop(
        "took {tiles} from {source} and put it before {meld}", "took {tiles} from {source} and put them before {meld}"
    ),
    _Where.AFTER: ngettext_noop(
        "took {tiles} from {source} and put it after {meld}", "took {tiles} from {source} and put them after {meld}"
    ),
}
_TAKEN = {
    (False, False): ngettext_noop("took {sources} and laid it as {what}", "took {sources} and laid them as {what}"),
    (True, False): ngettext_noop(
        "took {sources} and laid it with {own} as {what}", "took {sources} and laid them with {own} as {what}"
    ),
    (False, True): ngettext_noop(
        "took {sources} and put it with {stayed} to make {what}",
        "took {sources} and put them with {stayed} to make {what}",
    ),
    (True, True): ngettext_noop(
        "took {sources} and laid it with {own} beside {stayed} as {what}",
        "took {sources} and laid them with {own} beside {stayed} as {what}",
    ),
}
"""The clauses for a new meld with tiles of the table.

The key says whether tiles of the rack are in it, too, and whether it has tiles that were not moved."""


def turn_words(
    moves: Sequence[TileMove], continued_from: Mapping[int, int], before: Table, after: Table, rules: RuleSet
) -> tuple[str, ...]:
    """Return a clause for each step of a turn; empty if nothing was moved.

    The moves and `continued_from` are those of an `Explanation`.
    """
    words: list[str] = []
    replaced = _replaced_jokers(moves, continued_from, before, rules)
    freed = set(replaced.values())
    for goal, group in groupby(moves, key=lambda move: move.goal.meld if move.goal else None):
        group_moves = list(group)
        if goal is None:
            words += [gettext("took the joker onto the rack") for move in group_moves if move in freed]
            words += _removal_clauses([move for move in group_moves if move not in freed], before, rules)
            continue
        new = after.melds[goal]
        words += [_replacement_words(move, replaced[move], before, rules) for move in group_moves if move in replaced]
        # A freed joker is in the hand of the player, like a tile of the rack.
        group_moves = [
            replace(move, origin=None) if move in freed else move for move in group_moves if move not in replaced
        ]
        if not group_moves:
            continue
        old = before.melds[continued_from[goal]] if goal in continued_from else None
        if old is not None and _is_changed_meld(old, new, group_moves, rules):
            words += _addition_clauses(group_moves, old, new, before, rules)
        else:
            words.append(_new_meld_clause(group_moves, new, before, rules))
    return tuple(words)


def _replaced_jokers(
    moves: Sequence[TileMove], continued_from: Mapping[int, int], before: Table, rules: RuleSet
) -> dict[TileMove, TileMove]:
    """Return a map from each move of a tile that replaces a joker to the move of this joker to another place."""
    replaced: dict[TileMove, TileMove] = {}
    for joker in (move for move in moves if move.tile.is_joker and move.origin is not None):
        assert joker.origin is not None  # it lay on the table
        for move in moves:
            is_beside = move.goal is not None and continued_from.get(move.goal.meld) == joker.origin.meld
            if is_beside and move not in replaced and _stands_for(joker.origin, move.tile, before, rules):
                replaced[move] = joker
                break
    return replaced


def _stands_for(place: Place, tile: Tile, table: Table, rules: RuleSet) -> bool:
    """Return whether the joker at a place stands for a tile."""
    meld = table.melds[place.meld]
    reading = best_reading(meld, rules)
    if reading is None or tile.is_joker:
        return False
    if reading.kind is Kind.GROUP:
        return tile.number == reading.tiles[0].number and tile not in meld
    return reading.tiles[place.position] == tile


def _replacement_words(move: TileMove, joker: TileMove, before: Table, rules: RuleSet) -> str:
    assert joker.origin is not None  # it lay on the table
    meld = before.melds[joker.origin.meld]
    partner_words = _words([tile for position, tile in enumerate(meld) if position != joker.origin.position])
    values = {"tile": _tiles([move]), "others": partner_words}
    if move.origin is None:
        return gettext("replaced the joker beside {others} by {tile}", **values)
    source = _source_words(before.melds[move.origin.meld], rules)
    return gettext("replaced the joker beside {others} by {tile} from {source}", source=source, **values)


def _is_changed_meld(old: Meld, new: Meld, moves: Sequence[TileMove], rules: RuleSet) -> bool:
    """Return whether players would say that an old meld was changed, not that a new meld was made with tiles of it."""
    was, now = best_reading(old, rules), best_reading(new, rules)
    return was is None or now is None or was.kind is now.kind or len(new) - len(moves) == len(old)


def _removal_clauses(moves: Sequence[TileMove], before: Table, rules: RuleSet) -> Iterator[str]:
    for origin, group in _origins(moves):
        assert origin is not None  # only tiles of the table can be taken off it
        source = _source_words(before.melds[origin], rules)
        yield gettext("took {tiles} from {source} off the table", tiles=_tiles(group), source=source)


def _origins(moves: Sequence[TileMove]) -> Iterator[tuple[int | None, list[TileMove]]]:
    """Yield the moves by their origins: first the rack (None), then each meld of the table before."""
    found: dict[int | None, list[TileMove]] = {}
    for move in moves:
        found.setdefault(move.origin.meld if move.origin else None, []).append(move)
    yield from sorted(found.items(), key=lambda item: -1 if item[0] is None else item[0])


def _addition_clauses(moves: Sequence[TileMove], old: Meld, new: Meld, before: Table, rules: RuleSet) -> Iterator[str]:
    for origin, group in _origins(moves):
        for where, side in groupby(group, key=lambda move: _where(move.goal, old, new, rules)):
            tiles = list(side)
            values = {"tiles": _tiles(tiles), "meld": _target_words(old, rules)}
            if origin is None:
                yield gettext(_PUT[where], **values)
            else:
                source = _source_words(before.melds[origin], rules)
                yield ngettext(*_MOVED[where], len(tiles), source=source, **values)


def _where(goal: Place | None, old: Meld, new: Meld, rules: RuleSet) -> _Where:
    """Return where a tile is put in a run, read upwards, beside the tiles that stayed; `_Where.TO` for other melds."""
    reading = best_reading(new, rules)
    if goal is None or reading is None or reading.kind is Kind.GROUP:
        return _Where.TO
    unmatched = list(old)
    stayed = []
    for position, tile in enumerate(new):
        if tile in unmatched and position != goal.position:
            unmatched.remove(tile)
            stayed.append(position)
    rises = (reading.tiles[0].number or 0) < (reading.tiles[-1].number or 0)
    if not stayed or stayed[0] < goal.position < stayed[-1]:
        return _Where.INTO
    return _Where.BEFORE if (goal.position < stayed[0]) == rises else _Where.AFTER


def _new_meld_clause(moves: Sequence[TileMove], new: Meld, before: Table, rules: RuleSet) -> str:
    taken = [(origin, group) for origin, group in _origins(moves) if origin is not None]
    from_rack = [move for move in moves if move.origin is None]
    stayed = list(new)
    for move in moves:
        stayed.remove(move.tile)
    values = {"what": _what_words(new, rules), "stayed": _words(stayed) if stayed else ""}
    if not taken:
        if stayed:
            return gettext("laid {tiles} beside {stayed} as {what}", tiles=_tiles(from_rack), **values)
        return gettext("laid {tiles} as {what}", tiles=_tiles(from_rack), **values)
    sources = [
        gettext("{tiles} from {source}", tiles=_tiles(group), source=_source_words(before.melds[origin], rules))
        for origin, group in taken
    ]
    # With commas, tiles of the next part would be read as tiles of the first.
    values["sources"] = reduce(lambda first, last: gettext("{first} and {last}", first=first, last=last), sources)
    values["own"] = _tiles(from_rack) if from_rack else ""
    return ngettext(*_TAKEN[bool(from_rack), bool(stayed)], len(moves) - len(from_rack), **values)


def _what_words(meld: Meld, rules: RuleSet) -> str:
    reading = best_reading(meld, rules)
    if reading is None:
        return pgettext("laid as", "a row")
    return pgettext("laid as", "a new run") if reading.kind is Kind.RUN else pgettext("laid as", "a new group")


def _tiles(moves: Sequence[TileMove]) -> str:
    return _words([move.tile for move in moves])


def _words(tiles: Sequence[Tile]) -> str:
    """Return tiles in words, with each colour named once: `red 6 7 8, black 7 and joker`."""
    words = []
    for colour, group in groupby(tiles, key=lambda tile: tile.colour):
        colour_tiles = list(group)
        if colour is None:
            words += [tile_words(tile) for tile in colour_tiles]
        else:
            words.append(numbers_words(colour, " ".join(str(tile.number) for tile in colour_tiles)))
    return join_with_and(words)


def _source_words(meld: Meld, rules: RuleSet) -> str:
    """Return the words for a meld that loses tiles: `blue 4 5 6`, or for a group `the group of ones`."""
    numbers = _group_words(meld, rules)
    return pgettext("taken from", "the group of {numbers}", numbers=numbers) if numbers else _row_words(meld, rules)


def _target_words(meld: Meld, rules: RuleSet) -> str:
    """Return the words for a meld that gets tiles: `blue 4 5 6`, or for a group `the group of ones`."""
    numbers = _group_words(meld, rules)
    return pgettext("put to", "the group of {numbers}", numbers=numbers) if numbers else _row_words(meld, rules)


def _group_words(meld: Meld, rules: RuleSet) -> str:
    """Return the word for the tiles of a group, such as `ones`; an empty string for any other row."""
    reading = best_reading(meld, rules)
    if reading is None or reading.kind is not Kind.GROUP:
        return ""
    number = reading.tiles[0].number or 0
    return gettext(_NUMBERS[number]) if number < len(_NUMBERS) else gettext("{number}s", number=number)


def _row_words(meld: Meld, rules: RuleSet) -> str:
    reading = best_reading(meld, rules)
    falls = reading is not None and (reading.tiles[0].number or 0) > (reading.tiles[-1].number or 0)
    return _words(meld[::-1] if falls else meld)
