"""English words for what happened in a turn: "put blue 3 before blue 4 5 6; took red 1 from the group of ones"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from tilekeeper.engine.rules.meld import Kind, best_reading
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.solver.tile_moves import TileMove
from tilekeeper.engine.tiles.table import Meld, Place, Table
from tilekeeper.engine.tiles.tile import Tile

_NUMBERS = (
    *("zeros", "ones", "twos", "threes", "fours", "fives", "sixes", "sevens", "eights", "nines", "tens", "elevens"),
    *("twelves", "thirteens"),
)


def turn_words(
    moves: Sequence[TileMove], continued_from: Mapping[int, int], before: Table, after: Table, rules: RuleSet
) -> tuple[str, ...]:
    """What happened in a turn, a clause for each step; none where nothing was moved.

    Args:
        moves: the tiles that were laid, moved or taken, in the order of the table after; taken ones last.
        continued_from: the changed melds that continue: from the index after to the index before.
        before: the table before the turn.
        after: the table after it.
        rules: the rules by which runs and groups are told apart.
    """
    words: list[str] = []
    for goal, group in groupby(moves, key=lambda move: move.goal.meld if move.goal else None):
        its = list(group)
        if goal is None:
            words += _gone(its, before, rules)
            continue
        new = after.melds[goal]
        old = before.melds[continued_from[goal]] if goal in continued_from else None
        if old is not None and _goes_on(old, new, its, rules):
            words += _added(its, old, new, before, rules)
        else:
            words.append(_laid_anew(its, new, before, rules))
    return tuple(words)


def _goes_on(old: Meld, new: Meld, moves: Sequence[TileMove], rules: RuleSet) -> bool:
    """Whether people would say that a meld is the old one still, rather than a new one around a tile of it."""
    was, now = best_reading(old, rules), best_reading(new, rules)
    return was is None or now is None or was.kind is now.kind or len(new) - len(moves) == len(old)


def _gone(moves: Sequence[TileMove], before: Table, rules: RuleSet) -> Iterator[str]:
    for origin, group in _origins(moves):
        assert origin is not None  # only what lay on the table can be taken off it
        yield f"took {_tiles(group)} from {_meld_words(before.melds[origin], rules)} off the table"


def _origins(moves: Sequence[TileMove]) -> Iterator[tuple[int | None, list[TileMove]]]:
    """The moves by where they came from: none for the rack, first, or a meld of the table before."""
    found: dict[int | None, list[TileMove]] = {}
    for move in moves:
        found.setdefault(move.origin.meld if move.origin else None, []).append(move)
    yield from sorted(found.items(), key=lambda item: -1 if item[0] is None else item[0])


def _added(moves: Sequence[TileMove], old: Meld, new: Meld, before: Table, rules: RuleSet) -> Iterator[str]:
    for origin, group in _origins(moves):
        for where, side in groupby(group, key=lambda move: _where(move.goal, old, new, rules)):
            tiles = list(side)
            target = f"{where} {_meld_words(old, rules)}"
            if origin is None:
                yield f"put {_tiles(tiles)} {target}"
            else:
                pronoun = "it" if len(tiles) == 1 else "them"
                yield f"took {_tiles(tiles)} from {_meld_words(before.melds[origin], rules)} and put {pronoun} {target}"


def _where(goal: Place | None, old: Meld, new: Meld, rules: RuleSet) -> str:
    """Where a tile lies beside the old tiles of a run, read upwards; in a group there is no before and after."""
    reading = best_reading(new, rules)
    if goal is None or reading is None or reading.kind is Kind.GROUP:
        return "to"
    left = list(old)
    stayed = []
    for position, tile in enumerate(new):
        if tile in left and position != goal.position:
            left.remove(tile)
            stayed.append(position)
    rises = (reading.tiles[0].number or 0) < (reading.tiles[-1].number or 0)
    if not stayed or stayed[0] < goal.position < stayed[-1]:
        return "into"
    return "before" if (goal.position < stayed[0]) == rises else "after"


def _laid_anew(moves: Sequence[TileMove], new: Meld, before: Table, rules: RuleSet) -> str:
    reading = best_reading(new, rules)
    what = "a row" if reading is None else f"a new {reading.kind.value}"
    taken = [(origin, group) for origin, group in _origins(moves) if origin is not None]
    own = [move for move in moves if move.origin is None]
    stayed = list(new)
    for move in moves:
        stayed.remove(move.tile)
    beside = f" beside {_words(stayed)}" if stayed else ""
    if not taken:
        return f"laid {_tiles(own)}{beside} as {what}"
    sources = " and ".join(
        f"{_tiles(group)} from {_meld_words(before.melds[origin], rules)}" for origin, group in taken
    )
    pronoun = "it" if len(moves) - len(own) == 1 else "them"
    company = f" with {_tiles(own)}" if own else ""
    return f"took {sources} and laid {pronoun}{company}{beside} as {what}"


def _tiles(moves: Sequence[TileMove]) -> str:
    return _words([move.tile for move in moves])


def _words(tiles: Sequence[Tile]) -> str:
    """Tiles in words, a colour said once where numbers follow: `red 6 7 8, black 7 and joker`."""
    said = []
    for colour, group in groupby(tiles, key=lambda tile: tile.colour):
        numbers = [str(tile.number) for tile in group]
        said += [f"{colour.word} {' '.join(numbers)}"] if colour is not None else ["joker"] * len(numbers)
    *first, last = said
    return f"{', '.join(first)} and {last}" if first else last


def _meld_words(meld: Meld, rules: RuleSet) -> str:
    """A meld in words: `blue 4 5 6`, or for a group that can be named so `the group of ones`."""
    reading = best_reading(meld, rules)
    if reading is not None and reading.kind is Kind.GROUP:
        number = reading.tiles[0].number or 0
        return f"the group of {_NUMBERS[number] if number < len(_NUMBERS) else f'{number}s'}"
    rising = meld[::-1] if reading is not None and reading.kind is Kind.RUN and _falls(reading.tiles) else meld
    return _words(rising)


def _falls(tiles: Meld) -> bool:
    return (tiles[0].number or 0) > (tiles[-1].number or 0)
