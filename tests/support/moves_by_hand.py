"""A referee that tries every single move, for editions with rules about how a tile gets where it is.

It starts from the table before and knows of each tile which one it becomes. It does what a hand may do at each moment:
add a tile to a set, take tiles from one so that enough stay together, use a set up, replace a joker, and lay one that
came free in a new set. A tile of the rack is laid where it lies at last: nothing is laid for show and lifted again. It
shares no code with the judge but the data of the rules, tables and tiles.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations, product

from tests.support.single_moves import TooManyMoves
from tilekeeper.engine.rules.policies import FreedJoker, JokerSets, Regrouping
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.tiles.table import Meld, Place, Table
from tilekeeper.engine.tiles.tile import JOKER, Tile

Row = tuple[Place, ...]
"""A row of pieces; a piece is known by its place on the table after."""


def are_told_by_moves(rules: RuleSet) -> bool:
    """Whether how a tile got where it is matters: sets are locked by jokers, or some of their tiles stay together."""
    return rules.joker.sets is JokerSets.LOCKED or (
        rules.joker.sets is JokerSets.JOKER_STAYS and rules.manipulation.staying_together > 0
    )


@dataclass(frozen=True, slots=True)
class _State:
    rows: frozenset[Row]
    """The rows that lie together."""
    hand: frozenset[Place]
    """What is still on the rack."""
    loose: frozenset[Place]
    """What was taken from a set and is not laid yet."""
    free: frozenset[Place]
    """The jokers that were replaced and are not laid yet."""
    done: frozenset[Place]
    """The jokers that were replaced."""


Fillings = Callable[[Meld], frozenset[Meld]]


def _stands_for(filling: Meld, at: int) -> Tile | int | None:
    """What a joker stands for: in a run a tile, in a group any colour of a number."""
    return filling[at].number if filling[0].number == filling[1].number else filling[at]


class ByHand:
    """The moves from one table to another, for one way of telling which tile went where.

    Args:
        before: the table before.
        after: the table after it.
        goals: for every place before the place after to which its tile went.
        fillings: what the jokers of a row can stand for: every choice that makes it a run or a group.
        rules: the edition in play.
    """

    def __init__(
        self, before: Table, after: Table, goals: dict[Place, Place], fillings: Fillings, rules: RuleSet
    ) -> None:
        self._after, self._rules, self._fillings = after, rules, fillings
        self._stood_for = {
            goals[Place(at, position)]: {_stands_for(filling, position) for filling in fillings(row)}
            for at, row in enumerate(before.melds)
            for position, tile in enumerate(row)
            if tile is JOKER
        }
        self._rows_of = [
            tuple(Place(at, position) for position in range(len(row))) for at, row in enumerate(after.melds)
        ]
        self._from_rack = {place for place, _ in after.places()}.difference(goals.values())
        self._set_of = {goal: origin.meld for origin, goal in goals.items()}
        rows = [
            tuple(goals[Place(at, position)] for position in range(len(row))) for at, row in enumerate(before.melds)
        ]
        self._least = rules.manipulation.staying_together
        self._extends_only = rules.manipulation.regrouping is Regrouping.EXTEND_ONLY
        self._start = self._unlocked(
            _State(frozenset(map(self._key, rows)), frozenset(self._from_rack), frozenset(), frozenset(), frozenset())
        )

    def _tile(self, place: Place) -> Tile:
        return self._after.tile_at(place)

    def _tiles(self, row: Row) -> Meld:
        return tuple(map(self._tile, row))

    def _key(self, row: Row) -> Row:
        """A row seen from one side; a group in one order."""
        return tuple(sorted(row)) if self._is_group(row) else min(row, row[::-1])

    def _is_group(self, row: Row) -> bool:
        numbers = [tile.number for tile in self._tiles(row) if tile is not JOKER]
        return len(numbers) > 1 and len(set(numbers)) == 1

    def _valid(self, row: Row, done: frozenset[Place]) -> bool:
        return any(True for _ in self._read(row, done))

    def _read(self, row: Row, done: frozenset[Place]) -> Iterator[Meld]:
        """The fillings in which each joker that was never replaced stands for what it stood for."""
        for filling in self._fillings(self._tiles(row)):
            if all(
                place in done or place not in self._stood_for or _stands_for(filling, at) in self._stood_for[place]
                for at, place in enumerate(row)
            ):
                yield filling

    def _has_joker(self, row: Iterable[Place]) -> bool:
        return any(self._tile(place) is JOKER for place in row)

    def reaches(self, most: int) -> bool:
        """Whether some sequence of moves leads to the table after.

        Raises:
            TooManyMoves: if more than `most` tables can be reached.
        """
        seen, front = {self._start}, [self._start]
        while front:
            state = front.pop()
            if self._is_end(state):
                return True
            for following in self._moves(state):
                if following not in seen:
                    seen.add(following)
                    front.append(following)
            if len(seen) > most:
                raise TooManyMoves
        return False

    def _is_end(self, state: _State) -> bool:
        """Whether what lies there lies as it should, and what is loose makes whole rows."""
        if state.free and self._rules.joker.freed is not FreedJoker.ANY_MELD:
            return False
        return all(row == self._key(self._rows_of[row[0].meld]) for row in state.rows)

    def _unlocked(self, state: _State) -> _State:
        """Where tiles need not stay together, everything but sets that a joker locks is loose."""
        if self._least or self._extends_only:
            return state
        open_rows = {row for row in state.rows if not self._has_joker(row)}
        loose = state.loose.union(*open_rows)
        return replace(state, rows=state.rows - open_rows, loose=loose)

    def _moves(self, state: _State) -> Iterator[_State]:
        for row in state.rows:
            others = state.rows - {row}
            yield from self._add(state, row, others)
            yield from self._replace(state, row, others)
            if self._least and not self._extends_only and not self._is_locked(row):
                yield from self._take(state, row, others)
                yield from self._use_up(state, row, others)
        yield from self._lay_free(state)
        if self._least and not self._extends_only:
            yield from self._join(state)
            yield from self._exchange(state)

    def _is_locked(self, row: Row) -> bool:
        return self._rules.joker.sets is JokerSets.LOCKED and self._has_joker(row)

    def _add(self, state: _State, row: Row, others: frozenset[Row]) -> Iterator[_State]:
        anywhere = state.free if self._rules.joker.freed is FreedJoker.ANY_MELD else frozenset()
        melds = {place.meld for place in row}
        for piece in (*state.hand, *state.loose, *anywhere):
            if piece.meld in melds:
                for longer in {self._key((*row, piece)), self._key((piece, *row))}:
                    if self._valid(longer, state.done):
                        yield replace(
                            state,
                            rows=others | {longer},
                            hand=state.hand - {piece},
                            loose=state.loose - {piece},
                            free=state.free - {piece},
                        )

    def _replace(self, state: _State, row: Row, others: frozenset[Row]) -> Iterator[_State]:
        for at, joker in enumerate(row):
            if self._tile(joker) is not JOKER or joker in state.done or joker in self._from_rack:
                continue
            for piece in state.hand:
                mended = (*row[:at], piece, *row[at + 1 :])
                fits = any(_fits(self._tile(piece), filling, at) for filling in self._read(row, state.done))
                came = {"hand": state.hand - {piece}, "free": state.free | {joker}, "done": state.done | {joker}}
                if fits and self._valid(mended, state.done):
                    yield self._unlocked(replace(state, rows=others | {self._key(mended)}, **came))
                left = (*row[:at], *row[at + 1 :])
                tile = self._tile(piece)
                stood_for_it = not {tile, tile.number}.isdisjoint(self._stood_for[joker])
                if stood_for_it and self._least and not self._extends_only and self._valid(left, state.done):
                    # It replaced the joker when the turn began, and went on since.
                    yield replace(state, rows=others | {self._key(left)}, loose=state.loose | {piece}, **came)

    def _take(self, state: _State, row: Row, others: frozenset[Row]) -> Iterator[_State]:
        """Take some tiles, a joker only with one that lies beside it."""
        for stay, parts in self._partings(row):
            if self._valid(stay, state.done):
                whole = {self._key(part) for part in parts if self._has_joker(part)}
                if all(self._valid(part, state.done) or self._is_beside_its_own(part) for part in whole):
                    loose = {place for part in parts for place in part if not self._has_joker(part)}
                    yield replace(state, rows=others | {self._key(stay)} | whole, loose=state.loose | loose)

    def _is_beside_its_own(self, part: Row) -> bool:
        """Whether the jokers of a part too short to be a set lie with a numbered tile of their own."""
        jokers = {self._set_of.get(place) for place in part if self._tile(place) is JOKER}
        own = {self._set_of.get(place) for place in part if self._tile(place) is not JOKER}
        return not self._is_group(part) and None not in jokers and jokers <= own

    def _join(self, state: _State) -> Iterator[_State]:
        """Push two sets together."""
        for one, other in combinations(state.rows, 2):
            if {place.meld for place in one}.isdisjoint(place.meld for place in other):
                continue
            for first, second in product((one, one[::-1]), (other, other[::-1])):
                if self._valid((*first, *second), state.done):
                    yield replace(state, rows=state.rows - {one, other} | {self._key((*first, *second))})

    def _exchange(self, state: _State) -> Iterator[_State]:
        """Let two sets exchange a tile at once, where neither could spare it before."""
        for one, other in combinations(state.rows, 2):
            if self._is_locked(one) or self._is_locked(other):
                continue
            for given, taken in product(one, other):
                if self._tile(given) is JOKER or self._tile(taken) is JOKER:
                    continue
                if given.meld not in {place.meld for place in other} or taken.meld not in {place.meld for place in one}:
                    continue
                for mine, theirs in product(self._swapped(one, given, taken), self._swapped(other, taken, given)):
                    if self._valid(mine, state.done) and self._valid(theirs, state.done):
                        rows = state.rows - {one, other} | {self._key(mine), self._key(theirs)}
                        yield replace(state, rows=rows)

    def _swapped(self, row: Row, gone: Place, came: Place) -> tuple[Row, Row]:
        left = tuple(place for place in row if place != gone)
        return (came, *left), (*left, came)

    def _partings(self, row: Row) -> Iterator[tuple[Row, list[Row]]]:
        for size in range(self._least, len(row)):
            if self._is_group(row) or sum(tile is not JOKER for tile in self._tiles(row)) < 2:
                for stay in combinations(row, size):
                    yield stay, [tuple(place for place in row if place not in stay)]
            else:
                for start in range(len(row) - size + 1):
                    yield row[start : start + size], [part for part in (row[:start], row[start + size :]) if part]

    def _use_up(self, state: _State, row: Row, others: frozenset[Row]) -> Iterator[_State]:
        """Use all tiles of a set, each in another one."""
        if not self._has_joker(row) and len({place.meld for place in row}) == len(row):
            yield replace(state, rows=others, loose=state.loose.union(row))

    def _lay_free(self, state: _State) -> Iterator[_State]:
        """Lay a joker that came free in a new set."""
        there = state.hand | state.loose | state.free
        for joker in state.free:
            for row in self._windows(self._rows_of[joker.meld], joker):
                if there.issuperset(row) and self._valid(row, state.done) and self._is_new_set(row, state):
                    left = {"hand": state.hand.difference(row), "loose": state.loose.difference(row)}
                    yield replace(state, rows=state.rows | {self._key(row)}, free=state.free.difference(row), **left)

    def _windows(self, row: Row, joker: Place) -> Iterator[Row]:
        for size in range(self._rules.melds.shortest, len(row) + 1):
            if self._is_group(row) or sum(tile is not JOKER for tile in self._tiles(row)) < 2:
                yield from (chosen for chosen in combinations(row, size) if joker in chosen)
            else:
                starts = range(len(row) - size + 1)
                yield from (row[start : start + size] for start in starts if joker in row[start : start + size])

    def _old_parts(self, row: Row) -> Iterator[Row]:
        """The tiles of a new set that lay in one old set."""
        for old in {self._set_of[place] for place in row if place in self._set_of}:
            yield tuple(place for place in row if self._set_of.get(place) == old and self._tile(place) is not JOKER)

    def _is_old_set(self, part: set[Place]) -> bool:
        """Whether so much of an old set lies there, and nowhere else, that it is the old set still."""
        if len(part) < self._rules.melds.shortest:
            return False
        old, meld = next((self._set_of[place], place.meld) for place in part)
        elsewhere = Counter(place.meld for place, set_of in self._set_of.items() if set_of == old)
        return not any(count >= self._rules.melds.shortest for at, count in elsewhere.items() if at != meld)

    def _is_new_set(self, row: Row, state: _State) -> bool:
        """Whether enough of a new set is the rack's; what replaced a joker and goes on into the whole set counts."""
        others = set(row) - state.free
        own = others & (self._from_rack if len(row) == len(self._rows_of[row[0].meld]) else state.hand)
        if self._rules.joker.freed is FreedJoker.SET_FROM_RACK and own != others:
            return False
        if self._rules.joker.freed is FreedJoker.NEW_SET and any(map(self._is_old_set, map(set, self._old_parts(row)))):
            return False
        return len(own) >= self._rules.joker.rack_tiles


def _fits(tile: Tile, filling: Meld, at: int) -> bool:
    """Whether a tile may replace the joker at a place."""
    stands_for = _stands_for(filling, at)
    return tile is stands_for or (tile.number is not None and tile.number == stands_for)
