"""The rules about jokers of the table, for editions that restrict only the places of jokers.

The camera sees the tables before and after a turn, not the moves between. Jokers look alike, and so do the copies of a
tile. A rule counts as broken only if every possible identity of the tiles breaks it. A box holds few jokers, so all
their possible moves are tried. The copies of other tiles are checked one tile at a time, because a valid meld never
holds two copies.

A joker is *free* if its new meld holds no tile of its old meld: it was replaced, or a split run left it over. A joker
that stays with tiles of its old meld is not free, even if it stands for another tile now.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import assert_never

from tilekeeper.engine.provenance.budget import Budget
from tilekeeper.engine.provenance.changes import Changes
from tilekeeper.engine.provenance.joker_moves import JokerMove, JokerMoves, joker_moves
from tilekeeper.engine.rules.meld import is_valid, stand_ins
from tilekeeper.engine.rules.policies import FreedJoker
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.rules.violations import Code, Side, Violation
from tilekeeper.engine.tiles.table import Meld, Place
from tilekeeper.engine.tiles.tile import JOKER, Tile


def judge_jokers(changes: Changes, opened: bool, rules: RuleSet, budget: Budget) -> Iterator[Violation]:
    """Judge the moves of the jokers of the table.

    A player who has not opened must not move them. Other players must lay freed jokers as the edition requires. If the
    changed melds hold more jokers than the box, the table was misread and nothing is reported.

    Args:
        changes: the changes of the turn.
        opened: whether the player had opened.
        rules: the edition in play.
        budget: the steps that the search may take.

    Raises:
        BudgetExceeded: if there are too many possible moves.
    """
    if not any(JOKER in changes.before.melds[index] for index in changes.changed_before):
        return
    find_violations = _MisplacedJokers(changes, rules) if opened else _MovedJokers(changes, rules)
    fewest: list[JokerMove] = []
    for rank, moves in enumerate(joker_moves(changes, rules.stock.jokers)):
        budget.spend(4 + 4 * len(moves))
        found = find_violations(moves)
        if rank == 0 or len(found) < len(fewest):
            fewest = found
        if not fewest:
            return
    code = Code.JOKER_NOT_REUSED if opened else Code.JOKER_BEFORE_OPENING
    if on_table := tuple(move.goal for move in fewest if move.goal is not None):
        yield Violation.from_tiles(code, Side.AFTER, on_table)
    if missing := tuple(move.origin for move in fewest if move.origin is not None and move.goal is None):
        yield Violation.from_tiles(code, Side.BEFORE, missing)


def _plain(meld: Meld) -> Counter[Tile]:
    """Return the numbered tiles of a meld."""
    return Counter(tile for tile in meld if not tile.is_joker)


class _MovedJokers:
    """Finds the jokers of valid melds that left the tiles of their meld, or stand for another tile."""

    def __init__(self, changes: Changes, rules: RuleSet) -> None:
        self._before, self._after = changes.before, changes.after
        self._rules = rules

    def __call__(self, moves: JokerMoves) -> list[JokerMove]:
        return [move for move in moves if move.origin is not None and self._is_moved(move.origin, move.goal)]

    def _is_moved(self, origin: Place, goal: Place | None) -> bool:
        stood_for = stand_ins(self._before.melds[origin.meld], origin.position, self._rules)
        if not stood_for:
            return False  # the row was not a valid meld, so the joker belonged to no set
        if goal is None or not _plain(self._before.melds[origin.meld]) & _plain(self._after.melds[goal.meld]):
            return True
        stands_for = stand_ins(self._after.melds[goal.meld], goal.position, self._rules)
        return bool(stands_for) and stood_for.keys().isdisjoint(stands_for)


class _MisplacedJokers:
    """Finds the freed jokers of valid melds that are in places that the edition does not allow."""

    def __init__(self, changes: Changes, rules: RuleSet) -> None:
        self._changes = changes
        self._before, self._after = changes.before.melds, changes.after.melds
        self._rules = rules
        self._valid: dict[Meld, bool] = {}
        self._equal_sets: dict[int, list[int]] = {}
        self._other_copies: dict[int, bool] = {}

    def _is_set(self, meld: Meld) -> bool:
        if meld not in self._valid:
            self._valid[meld] = is_valid(meld, self._rules)
        return self._valid[meld]

    def _old_sets_equal_to(self, meld: int) -> list[int]:
        """Return the old sets with the same numbered tiles as a new meld."""
        if meld not in self._equal_sets:
            tiles = _plain(self._after[meld])
            self._equal_sets[meld] = [
                old
                for old in self._changes.changed_before
                if _plain(self._before[old]) == tiles and self._is_set(self._before[old])
            ]
        return self._equal_sets[meld]

    def __call__(self, moves: JokerMoves) -> list[JokerMove]:
        return [move for move in moves if self._was_in_set(move) and self._is_misplaced(move, moves)]

    def _was_in_set(self, move: JokerMove) -> bool:
        return move.origin is not None and self._is_set(self._before[move.origin.meld])

    def _is_misplaced(self, move: JokerMove, moves: JokerMoves) -> bool:
        assert move.origin is not None
        if move.goal is None:
            return True
        meld = move.goal.meld
        if not self._is_set(self._after[meld]):
            return not _plain(self._before[move.origin.meld]) & _plain(self._after[meld])
        match self._rules.joker.freed:
            case FreedJoker.ANY_MELD:
                return False
            case FreedJoker.NEW_COMBINATION | FreedJoker.NEW_SET | FreedJoker.SET_FROM_RACK | FreedJoker.RACK:
                jokers = [joker for joker in moves if joker.goal is not None and joker.goal.meld == meld]
                return any(self._only_gained_jokers(old, meld, jokers) for old in self._old_sets_equal_to(meld))
            case _ as never:  # pragma: no cover - the type checker proves it
                assert_never(never)

    def _only_gained_jokers(self, old: int, meld: int, jokers: list[JokerMove]) -> bool:
        """Return whether a meld is an old one with nothing but freed jokers of other sets added.

        A joker from the rack, or from a row that was not a valid set, counts as a laid tile and makes it a new meld.
        """
        kept_jokers = [move for move in jokers if move.origin is not None and move.origin.meld == old]
        added_jokers = [move for move in jokers if move not in kept_jokers]
        return (
            len(kept_jokers) == self._before[old].count(JOKER)
            and bool(added_jokers)
            and all(map(self._was_in_set, added_jokers))
            and not self._can_hold_another_copy(old)
        )

    def _can_hold_another_copy(self, old: int) -> bool:
        """Return whether a meld with the tiles of an old one can hold another copy of one of them."""
        if old not in self._other_copies:
            self._other_copies[old] = any(self._can_be_another_copy(tile, old) for tile in _plain(self._before[old]))
        return self._other_copies[old]

    def _can_be_another_copy(self, tile: Tile, old: int) -> bool:
        """Return whether a tile can be another copy than the one of the old meld.

        It can if another copy came from the rack or from another changed meld. An unchanged meld keeps its copies,
        because none of them needs to have moved.
        """
        return self._changes.placed[tile] > 0 or any(
            tile in self._before[meld] for meld in self._changes.changed_before if meld != old
        )
