"""An oracle that tries every single move, for editions with rules about how a tile gets to its place.

It starts from the table before, and knows the final place of each tile. It does what a hand may do at each moment: add
a tile to a set, take tiles from a set, replace a joker, and lay a freed
joker in a new set. A tile of the rack is laid at its final place; no tile is laid only to be moved again. The tiles
that the jokers stand for are chosen once, before the first move. The oracle shares no code with the judge except the
data of rules, tables and tiles.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import combinations, product
from typing import NamedTuple

from tests.support.single_moves import TooManyMoves
from tilekeeper.engine.rules.policies import FreedJoker, JokerSets, Regrouping
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.tiles.table import Meld, Place, Table
from tilekeeper.engine.tiles.tile import JOKER, Tile

Piece = int
"""A tile of the table after, numbered in the order of the melds."""
Row = tuple[Piece, ...]
Pieces = frozenset[Piece]
JokerTiles = Mapping[Place, Tile | int | None]
"""The tile that each joker of the table before stands for; in a group any colour of a number."""

_RACK = -1
_NONE: Pieces = frozenset()


def depends_on_moves(rules: RuleSet) -> bool:
    """Return whether single moves matter to the rules: jokers lock their sets."""
    return rules.joker.sets is JokerSets.LOCKED


class _State(NamedTuple):
    rows: frozenset[Row]
    """The rows on the table."""
    hand: Pieces
    """The tiles still on the rack."""
    loose: Pieces
    """The tiles taken from a set and not laid yet."""
    free: Pieces
    """The replaced jokers that are not laid yet."""
    done: Pieces
    """The replaced jokers."""
    mended: frozenset[tuple[int, Piece]] = frozenset()
    """The old sets of replaced jokers, each with the tile that took a joker's place."""


Fillings = Callable[[Meld], frozenset[Meld]]


def _stands_for(filling: Meld, at: int) -> Tile | int | None:
    """Return the tile of a joker in a run, or its number in a group."""
    return filling[at].number if filling[0].number == filling[1].number else filling[at]


def joker_choices(before: Table, fillings: Fillings) -> list[JokerTiles]:
    """Return every choice of tiles for the jokers of a table; jokers of one set agree with one reading of it."""
    of_sets = []
    for at, row in enumerate(before.melds):
        jokers = [position for position, tile in enumerate(row) if tile is JOKER]
        choices = {tuple(_stands_for(filling, position) for position in jokers) for filling in fillings(row)}
        of_sets.append(
            [dict(zip((Place(at, position) for position in jokers), each, strict=True)) for each in choices] or [{}]
        )
    return [{place: tile for each in choice for place, tile in each.items()} for choice in product(*of_sets)]


class ByHand:
    """The moves between two tables, for one assignment of tiles to places.

    Args:
        before: the table before.
        after: the table after it.
        goals: for every place before, the place after of its tile.
        stood_for: the tiles of the jokers of the table before.
        fillings: the choices of tiles for the jokers of a row that make it a run or a group.
        rules: the edition in play.
    """

    def __init__(
        self,
        before: Table,
        after: Table,
        goals: Mapping[Place, Place],
        stood_for: JokerTiles,
        fillings: Fillings,
        rules: RuleSet,
    ) -> None:
        self._rules, self._fillings = rules, fillings
        places = [place for place, _ in after.places()]
        number = {place: at for at, place in enumerate(places)}
        self._tile = [tile for _, tile in after.places()]
        self._meld = [place.meld for place in places]
        self._stood_for = {number[goals[place]]: tile for place, tile in stood_for.items()}
        self._rows_of = [
            tuple(number[Place(at, position)] for position in range(len(row))) for at, row in enumerate(after.melds)
        ]
        self._from_rack = frozenset(number.values()).difference(number[goal] for goal in goals.values())
        self._set_of = [_RACK] * len(places)
        for origin, goal in goals.items():
            self._set_of[number[goal]] = origin.meld
        self._extends_only = rules.manipulation.regrouping is Regrouping.EXTEND_ONLY
        self._groups: dict[Row, bool] = {}
        self._keys: dict[Row, Row] = {}
        self._known: dict[Row, tuple[Pieces, ...]] = {}
        self.tried = 0
        """The number of tables that were reached."""
        self._ends = frozenset(map(self._key, self._rows_of))
        rows = [
            tuple(number[goals[Place(at, position)]] for position in range(len(row)))
            for at, row in enumerate(before.melds)
        ]
        self._start = self._unlocked(_State(frozenset(map(self._key, rows)), self._from_rack, _NONE, _NONE, _NONE))

    def _tiles(self, row: Row) -> Meld:
        return tuple([self._tile[piece] for piece in row])

    def _melds(self, row: Row) -> set[int]:
        return {self._meld[piece] for piece in row}

    def _key(self, row: Row) -> Row:
        """Return a row seen from one side, a group in one order."""
        key = self._keys.get(row)
        if key is None:
            key = self._keys[row] = tuple(sorted(row)) if self._is_group(row) else min(row, row[::-1])
        return key

    def _is_group(self, row: Row) -> bool:
        known = self._groups.get(row)
        if known is None:
            numbers = [tile.number for tile in self._tiles(row) if tile is not JOKER]
            known = self._groups[row] = len(numbers) > 1 and len(set(numbers)) == 1
        return known

    def _valid(self, row: Row, done: Pieces) -> bool:
        """Return whether a row is a set in which each joker that was never replaced stands for its old tile."""
        known = self._known.get(row)
        if known is None:
            fillings = self._fillings(self._tiles(row))
            known = self._known[row] = tuple({self._strange(row, filling) for filling in fillings})
        return any(strange <= done for strange in known)

    def _strange(self, row: Row, filling: Meld) -> Pieces:
        """Return the jokers of a row that stand for another tile than before."""
        return frozenset(
            piece
            for at, piece in enumerate(row)
            if piece in self._stood_for and self._stood_for[piece] != _stands_for(filling, at)
        )

    def _has_joker(self, row: Iterable[Piece]) -> bool:
        return any(self._tile[piece] is JOKER for piece in row)

    def reaches(self, most: int) -> bool:
        """Return whether some sequence of moves leads to the table after.

        Raises:
            TooManyMoves: if more than `most` tables can be reached.
        """
        visited, front = {self._start}, [self._start]
        while front:
            state = front.pop()
            self.tried = len(visited)
            if self._is_end(state):
                return True
            for following in self._moves(state):
                if following not in visited:
                    visited.add(following)
                    front.append(following)
            if len(visited) > most:
                raise TooManyMoves
        return False

    def _is_end(self, state: _State) -> bool:
        """Return whether the rows are final, and the loose tiles make whole rows."""
        if state.free and self._rules.joker.freed is not FreedJoker.ANY_MELD:
            return False
        return state.rows <= self._ends

    def _unlocked(self, state: _State) -> _State:
        """Return the state with all tiles loose except locked sets, if sets may be split."""
        if self._extends_only:
            return state
        open_rows = {row for row in state.rows if not self._has_joker(row)}
        return state._replace(rows=state.rows - open_rows, loose=state.loose.union(*open_rows))

    def _moves(self, state: _State) -> Iterator[_State]:
        for row in state.rows:
            other_rows = state.rows - {row}
            yield from self._add(state, row, other_rows)
            yield from self._replace(state, row, other_rows)
        yield from self._lay_free(state)

    def _add(self, state: _State, row: Row, other_rows: frozenset[Row]) -> Iterator[_State]:
        anywhere = state.free if self._rules.joker.freed is FreedJoker.ANY_MELD else _NONE
        melds = self._melds(row)
        for piece in (*state.hand, *state.loose, *anywhere):
            if self._meld[piece] in melds:
                for longer in {self._key((*row, piece)), self._key((piece, *row))}:
                    if self._valid(longer, state.done):
                        only = {piece}
                        yield state._replace(
                            rows=other_rows | {longer},
                            hand=state.hand - only,
                            loose=state.loose - only,
                            free=state.free - only,
                        )

    def _replace(self, state: _State, row: Row, other_rows: frozenset[Row]) -> Iterator[_State]:
        for at, joker in enumerate(row):
            if joker not in self._stood_for or joker in state.done:
                continue
            for piece in state.hand:
                tile = self._tile[piece]
                if self._stood_for[joker] not in (tile, tile.number):
                    continue
                hand, free, done = state.hand - {piece}, state.free | {joker}, state.done | {joker}
                sets = state.mended | {(self._set_of[joker], piece)}
                mended = (*row[:at], piece, *row[at + 1 :])
                if self._valid(mended, done):
                    rows = other_rows | {self._key(mended)}
                    yield self._unlocked(_State(rows, hand, state.loose, free, done, sets))

    def _lay_free(self, state: _State) -> Iterator[_State]:
        """Yield states after laying a freed joker in a new set."""
        available = state.hand | state.loose | state.free
        for joker in state.free:
            for row in self._windows(self._rows_of[self._meld[joker]], joker):
                if available.issuperset(row) and self._valid(row, state.done) and self._is_new_set(row, state):
                    yield state._replace(
                        rows=state.rows | {self._key(row)},
                        hand=state.hand.difference(row),
                        loose=state.loose.difference(row),
                        free=state.free.difference(row),
                    )

    def _windows(self, row: Row, joker: Piece) -> Iterator[Row]:
        for size in range(self._rules.melds.shortest, len(row) + 1):
            if self._is_group(row) or sum(tile is not JOKER for tile in self._tiles(row)) < 2:
                yield from (chosen for chosen in combinations(row, size) if joker in chosen)
            else:
                starts = range(len(row) - size + 1)
                yield from (row[start : start + size] for start in starts if joker in row[start : start + size])

    def _is_old_set(self, row: Row, state: _State) -> bool:
        """Return whether enough tiles of one old set are in this row, and in no other, for it to be that set still.

        A tile that replaced a joker counts as one of its set.
        """
        shortest = self._rules.melds.shortest
        for old in {self._set_of[piece] for piece in row} - {_RACK}:
            pieces = {piece for of, piece in state.mended if of == old}
            pieces.update(at for at, of in enumerate(self._set_of) if of == old and self._tile[at] is not JOKER)
            elsewhere = Counter(self._meld[piece] for piece in pieces if self._meld[piece] != self._meld[row[0]])
            if len(pieces.intersection(row)) >= shortest > max(elsewhere.values(), default=0):
                return True
        return False

    def _is_new_set(self, row: Row, state: _State) -> bool:
        """Return whether enough tiles of a new set are from the rack; a joker's replacement in the whole set counts."""
        other_rows = frozenset(row) - state.free
        whole = len(row) == len(self._rows_of[self._meld[row[0]]])
        from_rack = other_rows & (self._from_rack if whole else state.hand)
        if self._rules.joker.freed is FreedJoker.SET_FROM_RACK and from_rack != other_rows:
            return False
        if self._rules.joker.freed is FreedJoker.NEW_SET and self._is_old_set(row, state):
            return False
        return len(from_rack) >= self._rules.joker.rack_tiles
