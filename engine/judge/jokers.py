"""Jokers of the table: which came free, where they went, and whether the edition allows it.

The camera sees the table before and after, never the hand between. Jokers look alike, and so do the copies of a
tile: a rule about the way is broken only if it is broken whichever of them is which. The ways in which the jokers
can have gone are counted out, since a box holds but a handful. Which copy of another tile is which is then asked
one tile at a time, since a valid meld never holds two copies.

A joker came *free* where it lies with no tile of its old meld any more, however that came about: replaced, or left
over when a run was split. Sets with a joker are manipulated like any others, so a joker that stays with its own has
not come free, even if it stands for another tile now.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import assert_never

from tilekeeper.engine.provenance.budget import Steps
from tilekeeper.engine.provenance.changes import Changes
from tilekeeper.engine.provenance.joker_choices import Move, Way, joker_ways
from tilekeeper.engine.rules.meld import is_valid, readings
from tilekeeper.engine.rules.policies import FreedJoker
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.rules.violations import Code, Side, Violation
from tilekeeper.engine.tiles.table import Meld, Place
from tilekeeper.engine.tiles.tile import JOKER, Tile


def judge_jokers(changes: Changes, opened: bool, rules: RuleSet, steps: Steps) -> Iterator[Violation]:
    """Judge what was done with the jokers that lay on the table.

    A player who had not opened leaves them where they are. One who had lays those that came free as the edition
    wants it. Nothing is said where more jokers are to be followed than the box holds: the table was misread.

    Raises:
        OutOfSteps: when there are more ways than may be looked into.
    """
    if not any(JOKER in changes.before.melds[index] for index in changes.gone):
        return
    find_faults = _Misplaced(changes, rules) if opened else _Moved(changes, rules)
    moves: list[Move] = []
    for rank, way in enumerate(joker_ways(changes, rules.stock.jokers)):
        steps.take(4 + 4 * len(way))
        found = find_faults(way)
        if rank == 0 or len(found) < len(moves):
            moves = found
        if not moves:
            return
    code = Code.JOKER_NOT_REUSED if opened else Code.JOKER_BEFORE_OPENING
    if lying := tuple(move.goal for move in moves if move.goal is not None):
        yield Violation.at(code, Side.AFTER, lying)
    if missing := tuple(move.origin for move in moves if move.origin is not None and move.goal is None):
        yield Violation.at(code, Side.BEFORE, missing)


def _plain(meld: Meld) -> Counter[Tile]:
    return Counter(tile for tile in meld if not tile.is_joker)


class _Moved:
    """Finds the jokers of valid melds that do not stand with their own for a tile for which they stood."""

    def __init__(self, changes: Changes, rules: RuleSet) -> None:
        self._before, self._after = changes.before, changes.after
        self._rules = rules

    def __call__(self, way: Way) -> list[Move]:
        return [move for move in way if move.origin is not None and self._is_moved(move.origin, move.goal)]

    def _is_moved(self, origin: Place, goal: Place | None) -> bool:
        stood_for = {
            reading.tiles[origin.position] for reading in readings(self._before.melds[origin.meld], self._rules)
        }
        if not stood_for:
            return False  # it lay in no valid meld, so it was no joker of a set
        if goal is None or not _plain(self._before.melds[origin.meld]) & _plain(self._after.melds[goal.meld]):
            return True
        stands_for = {reading.tiles[goal.position] for reading in readings(self._after.melds[goal.meld], self._rules)}
        return bool(stands_for) and not stood_for & stands_for


class _Misplaced:
    """Finds the jokers that came free from valid melds and lie where the edition does not want them."""

    def __init__(self, changes: Changes, rules: RuleSet) -> None:
        self._changes = changes
        self._before, self._after = changes.before.melds, changes.after.melds
        self._rules = rules
        self._valid: dict[Meld, bool] = {}
        self._like: dict[int, list[int]] = {}
        self._with_twins: dict[tuple[int, int], bool] = {}

    def _is_set(self, meld: Meld) -> bool:
        if meld not in self._valid:
            self._valid[meld] = is_valid(meld, self._rules)
        return self._valid[meld]

    def _old_like(self, meld: int) -> list[int]:
        """The old sets that held the same tiles as a new one, but for jokers."""
        if meld not in self._like:
            tiles = _plain(self._after[meld])
            self._like[meld] = [
                old
                for old in self._changes.gone
                if _plain(self._before[old]) == tiles and self._is_set(self._before[old])
            ]
        return self._like[meld]

    def __call__(self, way: Way) -> list[Move]:
        return [move for move in way if self._was_in_set(move) and self._is_misplaced(move, way)]

    def _was_in_set(self, move: Move) -> bool:
        return move.origin is not None and self._is_set(self._before[move.origin.meld])

    def _is_misplaced(self, move: Move, way: Way) -> bool:
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
                came = [other for other in way if other.goal is not None and other.goal.meld == meld]
                return any(self._is_only_joined(old, meld, came) for old in self._old_like(meld))
            case _ as never:  # pragma: no cover - the type checker proves it
                assert_never(never)

    def _is_only_joined(self, old: int, meld: int, jokers: list[Move]) -> bool:
        """Whether a meld with an old one's tiles is that one, to which nothing came but freed jokers of other sets.

        A joker from the rack, or one that lay in no valid set, is a tile laid to it, and makes it a new one.
        """
        own = [move for move in jokers if move.origin is not None and move.origin.meld == old]
        others = [move for move in jokers if move not in own]
        return (
            len(own) == self._before[old].count(JOKER)
            and bool(others)
            and all(map(self._was_in_set, others))
            and not self._may_have_a_twin(old, meld)
        )

    def _may_have_a_twin(self, old: int, meld: int) -> bool:
        """Whether any tile in the meld can be another copy than the one that lay in the old meld."""
        if (old, meld) not in self._with_twins:
            tiles = _plain(self._after[meld])
            self._with_twins[old, meld] = any(self._may_be_a_twin(tile, old, meld) for tile in tiles)
        return self._with_twins[old, meld]

    def _may_be_a_twin(self, tile: Tile, old: int, meld: int) -> bool:
        """Whether the tile in the meld can be another copy than the one that lay in the old meld.

        It can where another copy came from the rack, out of a meld that was taken apart, or with the whole of a
        smaller meld that was laid into this one. To swap copies with a meld whose tiles lie together still, and
        elsewhere, would leave both what they were.
        """
        return self._changes.placed[tile] > 0 or any(
            _plain(self._before[other]) < _plain(self._after[meld]) or not self._lies_together_still(other, meld)
            for other in self._changes.gone
            if other != old and tile in self._before[other]
        )

    def _lies_together_still(self, old: int, but_in: int) -> bool:
        return self._is_set(self._before[old]) and any(
            _plain(self._before[old]) <= _plain(self._after[index]) for index in self._changes.new if index != but_in
        )
