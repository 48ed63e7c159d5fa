"""A best-first search for single moves from the table before a turn to the table after.

It decides turns in editions in which melds may only be extended and jokers may be taken out. There a turn may need
steps in between: a tile laid to a run makes it long enough for its joker to leave, and a joker laid at one end for a
moment allows another joker to leave. The moves are: lay a tile at the end of a row or in the place of a joker, lay a
new row, lay a joker, push two rows together, and take a joker out and lay it at the end of a row, if all parts that
remain are valid. Numbered tiles stay where they were laid, and the provenance gives their goals. So only the moves of
jokers must be searched, and a box holds few jokers.

Only a replacement brings a joker back to the rack, and it needs a tile of the rack. So a table with too many jokers is
a dead end. A row whose tiles belong to two melds of the table after is one, too, if no joker between them can leave.
The first search is hasty: it follows the first move that leads nearer, and looks for as few replaced jokers as the
lower bound allows. The next one accepts any sequence of moves, which decides the turn. Later searches look for one with
fewer replaced jokers, because each of them drops every table with a joker too many.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import combinations, count, product
from typing import Final

from tilekeeper.engine.provenance.board import RACK, Board, Provenance
from tilekeeper.engine.provenance.budget import TURN_BUDGET, Budget, BudgetExceeded
from tilekeeper.engine.provenance.move_rows import JOKER_PIECE, Piece, Row, Rows, can_be_parted, piece_key
from tilekeeper.engine.provenance.replacement_bounds import LockedJokers, find_new_melds
from tilekeeper.engine.rules.meld import is_group
from tilekeeper.engine.rules.policies import FreedJoker, JokerSets, Regrouping
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.tiles.table import Meld
from tilekeeper.engine.tiles.tile import JOKER, Tile

_MOVES_BUDGET: Final = 150_000
"""Moves for one turn, a step each; of 2,100 random turns with the whole box the hardest needs 109,000 (0.3 s)."""
_HASTY_BUDGET: Final = 5_000
"""Moves to look for the fewest possible replaced jokers at once, by the first move that leads nearer (0.03 s)."""
_FEWEST_BUDGET: Final = 50_000
"""Moves to look for fewer replaced jokers in a turn that is legal (0.25 s); 1 of 1,465 random turns needs more."""


@dataclass(frozen=True, slots=True)
class Replacements:
    """The replaced jokers of a legal turn."""

    count: int
    """The fewest of all known sequences of moves."""
    proved: bool
    """Whether it is proved that no sequence of moves replaces fewer."""


@dataclass(frozen=True, slots=True)
class _State:
    """A table in the middle of a turn."""

    rows: tuple[int, ...]
    """The numbers of the rows that differ from the table after, hold a joker or are near tiles of the rack; sorted."""
    rack: frozenset[Piece]
    """The numbered tiles on the rack that must still be laid."""
    jokers: int
    """The number of jokers on the rack."""
    parked: int
    """The number of jokers that are at the ends of rows not in `rows` for a while, and must leave them again."""


def are_decisive(rules: RuleSet) -> bool:
    """Return whether, in this edition, a search for single moves decides whether a turn is legal.

    In such an edition melds may only be extended, and a joker leaves its set by a replacement or by being taken out.
    """
    return (
        rules.manipulation.regrouping is Regrouping.EXTEND_ONLY
        and rules.joker.sets is JokerSets.JOKER_MOVES
        and rules.joker.freed in (FreedJoker.RACK, FreedJoker.ANY_MELD)
        and rules.manipulation.staying_together == 0
        and rules.joker.rack_tiles == 0
        and not rules.manipulation.take_back
    )


def turn_budget(rules: RuleSet, within: Budget | None = None) -> Budget:
    """Return the budget of the judge's search for one turn; `within` is the budget of a larger search, if any."""
    return Budget(_MOVES_BUDGET if are_decisive(rules) else TURN_BUDGET, within)


def is_in_order(board: Board) -> bool:
    """Return whether all changed melds are valid and no tile is missing illegally; otherwise a search is useless."""
    changes = board.changes
    missing = changes.taken.total() - (changes.taken[JOKER] if board.rules.joker.freed is FreedJoker.RACK else 0)
    melds = len(changes.changed_before) + len(changes.changed_after)
    return not missing and len(board.sets_before) + len(board.sets_after) == melds


def fewest_replaced(board: Board, budget: Budget, improve: bool = True) -> Replacements | None:
    """Return the fewest replaced jokers of a sequence of single moves to the table after; None if there is none.

    If the budget suffices to find a sequence of moves, but not to prove that no other one replaces fewer jokers, the
    result is not `proved`. Without `improve` the search ends with the first sequence, so fewer jokers may be enough.

    Raises:
        BudgetExceeded: if the search needs more steps.
    """
    tiles = sorted(board.tiles)
    searches = []
    for choice in product(*(board.provenances(tile) for tile in tiles)):
        budget.spend(len(tiles) + 1)
        search = _Search(board, dict(zip(tiles, choice, strict=True)))
        if search.is_promising:
            searches.append(search)
    most_replaced = board.changes.placed.total()
    if not improve:
        known = _find_way(searches, most_replaced, budget)
        return None if known is None else Replacements(known, proved=not known)
    least = min((search.least_replaced for search in searches), default=0)
    hasty = Budget(min(_HASTY_BUDGET, budget.left // 4), within=budget)
    with suppress(BudgetExceeded):
        if _find_way(searches, least, hasty, hasty=True) is not None:
            return Replacements(least, proved=True)
        least += 1
    known = _find_way(searches, most_replaced, budget)
    if known is None:
        return None
    to_improve = Budget(_FEWEST_BUDGET, within=budget)
    try:
        for most in range(least, known):
            if _find_way(searches, most, to_improve) is not None:
                return Replacements(most, proved=True)
    except BudgetExceeded:
        return Replacements(known, proved=False)
    return Replacements(known, proved=True)


def _find_way(searches: Sequence[_Search], most_replaced: int, budget: Budget, hasty: bool = False) -> int | None:
    ways = (search.find_way(most_replaced, budget, hasty) for search in searches)
    return next((replaced for replaced in ways if replaced is not None), None)


class _Search:
    """The search for single moves, given one provenance of all numbered tiles."""

    def __init__(self, board: Board, provenance: dict[Tile, Provenance]) -> None:
        self._rules = board.rules
        self._rows = Rows(board.rules)
        before, after, changes = board.before, board.after, board.changes
        goal_of = {(origin, tile): goal for tile, pairs in provenance.items() for origin, goal in pairs}
        nearby = [index for index in changes.unchanged if self._is_near(after[index], changes.placed)]
        rows = [
            tuple(JOKER_PIECE if tile.is_joker else (tile, goal_of[old, tile]) for tile in before[old])
            for old in changes.changed_before
        ]
        rows += [_as_it_lies(after[index], index) for index in nearby]
        self.is_promising = all(can_be_parted(row, board.rules) for row in rows)
        self._room = sum(self._room_in(after[index]) for index in changes.unchanged if index not in nearby)
        goals = [_as_it_lies(after[index], index) for index in (*changes.changed_after, *nearby)]
        self._end = tuple(sorted(map(self._rows.number, goals)))
        # In a fixed order, so that a search within a budget finds the same on every machine.
        self._pieces = sorted(
            ((tile, goal) for tile, pairs in provenance.items() for origin, goal in pairs if origin == RACK),
            key=piece_key,
        )
        self._start = _State(
            tuple(sorted(map(self._rows.number, rows))),
            frozenset(self._pieces),
            self._rules.stock.jokers - changes.counts_before[JOKER],
            0,
        )
        self._final_jokers = sum(map(self._rows.jokers.__getitem__, self._end))
        self._new_melds = tuple(find_new_melds(provenance, board))
        self._locked = LockedJokers(self._rows, frozenset(self._pieces), board.rules)
        self.least_replaced = self._excess(self._start)
        """A lower bound of the number of jokers that must be replaced."""

    def _is_near(self, meld: Meld, placed: Iterable[Tile]) -> bool:
        """Return whether moves may need an unchanged meld.

        It may lend a joker, or jokers may connect it with a tile of the rack for a while.
        """
        if JOKER in meld:
            return True
        reach = self._rules.stock.jokers + 1
        return any(
            tile.colour is there.colour and abs((tile.number or 0) - (there.number or 0)) <= reach
            for tile in placed
            for there in meld
        )

    def _room_in(self, meld: Meld) -> int:
        """Return how many jokers can be added to a meld that has no joker."""
        most = len(self._rules.stock.inks) if is_group(meld, self._rules) else self._rules.stock.numbers
        limit = self._rules.joker.most_in_set
        return max(0, most - len(meld)) if limit is None else min(limit, max(0, most - len(meld)))

    def find_way(self, most_replaced: int, budget: Budget, hasty: bool) -> int | None:
        """Search for moves to the table after that replace at most `most_replaced` jokers.

        Returns:
            The number of jokers that the moves replace; None if there are no such moves.

        Raises:
            BudgetExceeded: if the search needs more steps.
        """
        if self.least_replaced > most_replaced:
            return None
        fewest = {self._start: 0}
        order = count(step=-1)  # of equal estimates the latest state comes first: a sequence is followed to its end
        heap = [(self._distance(self._start), next(order), 0, self._start, self._moves(self._start))]
        while heap:
            distance, _, replaced, state, moves = heappop(heap)
            if not state.rack and not state.parked and state.rows == self._end:
                return replaced
            if replaced > fewest[state]:
                continue
            for following in moves:
                budget.spend(1)
                then_replaced = replaced + (following.jokers > state.jokers)
                if then_replaced >= fewest.get(following, then_replaced + 1):
                    continue
                excess = self._excess(following)
                if excess > min(len(following.rack), most_replaced - then_replaced):
                    continue
                fewest[following] = then_replaced
                nearer = self._distance(following)
                heappush(heap, (nearer, next(order), then_replaced, following, self._moves(following)))
                if hasty and nearer < distance:
                    # The other moves of this state wait until this one leads nowhere.
                    heappush(heap, (distance, next(order), replaced, state, moves))
                    break
        return None

    def _excess(self, state: _State) -> int:
        """Return a lower bound of the number of jokers that must still be replaced, 0 or more.

        Only a replacement brings a joker back to the rack, so each joker too many on the table needs one, and so does
        each joker that can't be taken out of the place of a tile.
        """
        on_table = sum([self._rows.jokers[row] for row in state.rows]) + state.parked
        to_come = sum([jokers for tiles, jokers in self._new_melds if tiles <= state.rack])
        return max(on_table + to_come - self._final_jokers, sum([self._locked[row] for row in state.rows]))

    def _distance(self, state: _State) -> int:
        """Return an estimate of the number of moves to the table after; states with a low estimate are tried first."""
        return 2 * sum(row not in self._end for row in state.rows) + len(state.rack) + state.parked

    def _moves(self, state: _State) -> Iterator[_State]:
        """Yield every state that one move makes of a state; replaced jokers come last, because they should be few."""
        yield from self._lay_tiles(state)
        yield from self._lay_jokers(state)
        yield from self._take_jokers_out(state)
        yield from self._push_together(state)
        yield from self._replace_jokers(state)

    def _lay_tiles(self, state: _State) -> Iterator[_State]:
        """Yield the states after a new row was laid, rows of the table after first, or a tile at an end of a row."""
        for new, jokers, rack in self._rows.new(state.rack, self._end):
            if jokers <= state.jokers:
                yield _State(_changed(state.rows, (), (new,)), rack, state.jokers - jokers, state.parked)
        for piece in filter(state.rack.__contains__, self._pieces):
            rack = state.rack - {piece}
            for row in dict.fromkeys(state.rows):
                for longer in self._rows.longer(row, piece):
                    yield _State(_changed(state.rows, (row,), (longer,)), rack, state.jokers, state.parked)

    def _replace_jokers(self, state: _State) -> Iterator[_State]:
        """Yield the states after a tile of the rack was laid in the place of a joker, which goes to the rack."""
        for piece in filter(state.rack.__contains__, self._pieces):
            rack = state.rack - {piece}
            for row in dict.fromkeys(state.rows):
                for changed_row in self._rows.with_joker_replaced(row, piece):
                    yield _State(_changed(state.rows, (row,), (changed_row,)), rack, state.jokers + 1, state.parked)

    def _lay_jokers(self, state: _State) -> Iterator[_State]:
        """Yield the states after a joker of the rack, or a parked joker, was laid at an end of a row.

        A joker of the rack is never parked: it can wait on the rack as well.
        """
        for row in dict.fromkeys(state.rows):
            for longer in self._rows.longer(row, JOKER_PIECE):
                rows = _changed(state.rows, (row,), (longer,))
                if state.jokers:
                    yield _State(rows, state.rack, state.jokers - 1, state.parked)
                if state.parked:
                    yield _State(rows, state.rack, state.jokers, state.parked - 1)

    def _take_jokers_out(self, state: _State) -> Iterator[_State]:
        """Yield the states after a joker was taken out of a row and laid at the end of a row, or parked."""
        for row in dict.fromkeys(state.rows):
            for parts in self._rows.parts(row):
                left = _changed(state.rows, (row,), parts)
                if state.parked < self._room:
                    yield _State(left, state.rack, state.jokers, state.parked + 1)
                for goal in dict.fromkeys(left):
                    for longer in self._rows.longer(goal, JOKER_PIECE):
                        yield _State(_changed(left, (goal,), (longer,)), state.rack, state.jokers, state.parked)

    def _push_together(self, state: _State) -> Iterator[_State]:
        """Yield the states after two rows were pushed together."""
        for row, other in combinations(state.rows, 2):
            for joined in self._rows.joined(row, other):
                yield _State(_changed(state.rows, (row, other), (joined,)), state.rack, state.jokers, state.parked)


def _as_it_lies(meld: Meld, index: int) -> Row:
    """Return the pieces of a meld of the table after; all its tiles have this meld as their goal."""
    return tuple(JOKER_PIECE if tile.is_joker else (tile, index) for tile in meld)


def _changed(rows: tuple[int, ...], removed: Iterable[int], added: Iterable[int]) -> tuple[int, ...]:
    rest = list(rows)
    for row in removed:
        rest.remove(row)
    return tuple(sorted((*rest, *added)))
