"""The rules of manipulation as constraints on provenances: what an edition forbids with melds of the table and jokers.

The scenario says what happened to each joker; it is fixed here, and the judge tries every scenario. Each constraint
belongs to one old set, or to one joker of an old set, and depends on the provenance of a few tiles.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial
from itertools import islice
from typing import assert_never

from tilekeeper.engine.provenance.board import RACK, Board
from tilekeeper.engine.provenance.joker_fates import RELEASED, Release, needs_new_set
from tilekeeper.engine.provenance.joker_releases import JokerOutcome, Scenario
from tilekeeper.engine.provenance.old_sets import OldSets
from tilekeeper.engine.provenance.search import Assignment, Constraint
from tilekeeper.engine.rules.policies import FreedJoker, JokerSets, Regrouping, ReplacedFrom
from tilekeeper.engine.rules.violations import Code, Side, Violation
from tilekeeper.engine.tiles.table import Place
from tilekeeper.engine.tiles.tile import JOKER, Tile


class ScenarioConstraints:
    """The constraints that hold in one scenario of the jokers."""

    def __init__(self, board: Board, scenario: Scenario) -> None:
        self._board = board
        self._rules = board.rules
        self._outcomes = scenario.outcomes
        self._rack_jokers = scenario.rack_jokers
        self._sets = OldSets(board, scenario)
        self._related = {
            goal: [*board.sets_sharing_tiles(goal), *self._related_by_replacement(goal)]
            for goal in {outcome.meld for outcome in scenario.outcomes}
            if goal is not None
        }
        """For each new meld with a joker of an old set, the old sets from which it can have tiles."""

    def _related_by_replacement(self, goal: int) -> list[int]:
        """Return the old sets that share no tile with a new meld, except a tile that replaced one of their jokers."""
        replaced_in = {
            outcome.origin.meld
            for outcome in self._outcomes
            if outcome.replaced_by and outcome.replaced_by in self._board.after[goal]
        }
        return sorted(replaced_in.difference(self._board.sets_sharing_tiles(goal)))

    def on_melds(self) -> Iterator[Constraint]:
        """Yield the constraints of the old sets, one for each set that a rule limits."""
        for meld in filter(self._is_constrained, self._board.sets_before):
            broken, prunes = partial(self._meld_violations, meld), partial(self._is_already_violated, meld)
            yield Constraint(self._sets.tiles_of(meld), broken, prunes)

    def on_jokers(self) -> Iterator[Constraint]:
        """Yield the constraints of the jokers of old sets, one for each joker."""
        for outcome in self._outcomes:
            yield Constraint(
                self._tiles_around(outcome),
                partial(self._joker_violations, outcome),
                partial(self._lacks_rack_tiles, outcome.goal.meld)
                if outcome.release is Release.REPLACED and outcome.goal
                else None,
            )

    def _is_constrained(self, meld: int) -> bool:
        """Return whether any rule limits the manipulation of an old set."""
        return (
            self._rules.manipulation.regrouping is not Regrouping.ANY
            or self._rules.manipulation.staying_together > 0
            or (self._rules.joker.sets is JokerSets.LOCKED and bool(self._sets.outcomes_of(meld)))
            or self._sets.lost_joker(meld)
        )

    def _tiles_around(self, outcome: JokerOutcome) -> frozenset[Tile]:
        """Return the tiles on whose provenance the constraint of a joker depends."""
        tiles = set(self._sets.tiles_of(outcome.origin.meld))
        stayed = outcome.release in (Release.STAYED, Release.SHIFTED)
        needs_new_meld = needs_new_set(self._rules) or self._rules.joker.rack_tiles > 0
        if not stayed and outcome.meld is not None and (needs_new_meld or outcome.release is Release.TAKEN_OUT):
            tiles.update(self._sets.plain(outcome.meld))
            for meld in self._related[outcome.meld]:
                tiles |= self._sets.tiles_of(meld)
        return frozenset(tiles)

    def _is_already_violated(self, meld: int, assignment: Assignment) -> bool:
        """Return whether an assignment of some tiles is enough to break the constraint of an old set."""
        if self._sets.lost_joker(meld):
            return False
        if self._rules.manipulation.regrouping is Regrouping.ANY and not self._sets.is_locked(meld):
            return False
        tiles = [tile for tile in self._board.plain_before[meld] if tile in assignment]
        return len({goal for tile in tiles for origin, goal in assignment[tile] if origin == meld}) > 1

    def _meld_violations(self, meld: int, assignment: Assignment) -> Iterator[Violation]:
        """Yield the violations of the rules on how an old set may be extended or separated."""
        parts = self._sets.parts(meld, assignment)
        if self._rules.manipulation.regrouping is Regrouping.EXTEND_ONLY and not self._sets.is_only_extended(
            meld, assignment
        ):
            yield self._at_meld(Code.EXTEND_ONLY, meld)
        elif (self._sets.lost_joker(meld) and not self._sets.is_only_extended(meld, assignment)) or (
            self._sets.is_locked(meld) and len(parts) > 1
        ):
            yield self._at_meld(Code.JOKER_SET_LOCKED, meld)
        needed = self._rules.manipulation.staying_together
        is_used_up = all(len(part) == 1 and JOKER not in part for part in parts.values())
        if needed and len(parts) > 1 and not is_used_up and parts.keys() <= self._board.sets_after:
            most = max(self._sets.count_together(meld, goal, part) for goal, part in parts.items())
            if most < needed:
                yield self._at_meld(Code.ORIGINAL_TOO_SHORT, meld, most, needed)

    def _at_meld(self, code: Code, meld: int, found: int | None = None, bound: int | None = None) -> Violation:
        tiles = tuple(Place(meld, position) for position in range(len(self._board.before[meld])))
        return Violation(code, Side.BEFORE, (meld,), tiles, found, bound)

    def _joker_violations(self, outcome: JokerOutcome, assignment: Assignment) -> Iterator[Violation]:
        """Yield the violations of the rules on how a joker leaves its old set, and on where it is now."""
        match outcome.release:
            case Release.STAYED | Release.SHIFTED:
                # All other tiles may have left a joker that kept its place, if only jokers are bound to their set.
                may_be_alone = self._rules.joker.sets is JokerSets.JOKER_STAYS and outcome.release is Release.STAYED
                if not may_be_alone and not self._sets.is_with_own_set(outcome, assignment):
                    yield self._joker_fault(Code.JOKER_NOT_FROM_RACK, Side.BEFORE, outcome.origin)
            case Release.TAKEN_OUT:
                assert outcome.goal is not None
                if not self._old_sets_in(outcome.goal.meld, assignment):
                    yield self._joker_fault(Code.JOKER_NOT_REUSED, Side.AFTER, outcome.goal)
            case Release.REPLACED:
                yield from self._released_violations(outcome, assignment)
            case Release.UNRESTRICTED | Release.FORBIDDEN:
                with_own_set = self._sets.is_with_own_set(outcome, assignment)
                if self._was_not_replaced_from_rack(outcome, with_own_set, assignment):
                    yield self._joker_fault(Code.JOKER_NOT_FROM_RACK, Side.BEFORE, outcome.origin)
                if not with_own_set:
                    yield from self._released_violations(outcome, assignment)
                elif outcome.goal is not None and self._rules.joker.freed is FreedJoker.NEW_COMBINATION:
                    yield from islice(self._violations_in_old_sets(outcome.goal, assignment), 1)
            case _ as never:  # pragma: no cover - the type checker proves it
                assert_never(never)

    def _joker_fault(self, code: Code, side: Side, place: Place) -> Violation:
        """Return a violation at the place of a joker.

        If the edition lets players take jokers out, the bound of the violation is the fewest tiles that must remain.
        """
        moves = self._rules.joker.sets is JokerSets.JOKER_MOVES
        return Violation.from_tiles(code, side, (place,), bound=self._rules.melds.shortest if moves else None)

    def _was_not_replaced_from_rack(self, outcome: JokerOutcome, with_own_set: bool, assignment: Assignment) -> bool:
        """Return whether a joker left its set without a tile of the rack in its place, which the edition requires."""
        if outcome.release is Release.FORBIDDEN:
            # If a locked set was split, the split is the violation, not the freed joker.
            return not (
                self._rules.joker.sets is JokerSets.LOCKED
                and len(self._sets.parts(outcome.origin.meld, assignment)) > 1
            )
        return not with_own_set and self._was_replaced_from_table(outcome, assignment)

    def _was_replaced_from_table(self, outcome: JokerOutcome, assignment: Assignment) -> bool:
        """Return whether a tile of the table replaced a joker, although the edition requires a tile of the rack.

        The rest of the old set must be in one new meld with a tile for which the joker stood.
        """
        if self._rules.joker.replaced_from is ReplacedFrom.ANYWHERE:
            return False
        parts = self._sets.parts(outcome.origin.meld, assignment)
        replacing = self._board.stood_for(outcome.origin)
        return len(parts) == 1 and any(
            tile in replacing and not self._board.changes.placed[tile]
            for goal in parts
            for tile in self._board.after[goal]
        )

    def _released_violations(self, outcome: JokerOutcome, assignment: Assignment) -> Iterator[Violation]:
        """Yield the violations of the rules on where a released joker is now, or on its absence from the table."""
        if outcome.goal is None:
            to_rack = self._rules.joker.freed is FreedJoker.RACK and outcome.release is Release.REPLACED
            if not to_rack and not self._rules.manipulation.take_back:
                yield self._joker_fault(Code.JOKER_NOT_REUSED, Side.BEFORE, outcome.origin)
            return
        goal = outcome.goal
        in_old_sets = self._violations_in_old_sets(goal, assignment)
        if goal.meld not in self._board.sets_after:
            yield self._joker_fault(Code.JOKER_NOT_REUSED, Side.AFTER, goal)
        elif needs_new_set(self._rules) and self._grew(goal, assignment):
            return
        elif (violation := next(in_old_sets, None)) is not None:
            yield violation
        else:
            yield from self._rack_violations(goal, assignment)

    def _grew(self, goal: Place, assignment: Assignment) -> bool:
        """Return whether a released joker can have been laid in a new set to which the rest of its meld was added."""
        row = self._board.after[goal.meld]
        releases = {
            outcome.goal.position: outcome for outcome in self._outcomes if outcome.goal and outcome.meld == goal.meld
        }
        from_rack = set()
        for at, tile in enumerate(row):
            if tile is JOKER:
                if at not in releases:
                    from_rack.add(at)
            elif (RACK, goal.meld) in assignment[tile] and self._sets.is_spare(tile, goal.meld):
                from_rack.add(at)
        free = {at for at, outcome in releases.items() if outcome.release in RELEASED}
        there = Counter(
            origin for tile in self._sets.plain(goal.meld) for origin, at in assignment[tile] if at == goal.meld
        )
        shortest = self._rules.melds.shortest
        enough = [
            old
            for old in self._related[goal.meld]
            if there[old] + len(self._sets.outcomes_of(old)) >= shortest  # jokers and replacing tiles count too
        ]
        for positions in self._board.sets_around(goal):
            fixed_positions = set(positions) - free
            if self._rules.joker.freed is FreedJoker.SET_FROM_RACK:
                if fixed_positions <= from_rack and len(fixed_positions) >= self._rules.joker.rack_tiles:
                    return True
            elif len(fixed_positions & from_rack) >= self._rules.joker.rack_tiles and not any(
                self._sets.is_continued_in(old, goal.meld, assignment, {row[at] for at in fixed_positions})
                for old in enough
            ):
                return True
        return False

    def _rack_violations(self, goal: Place, assignment: Assignment) -> Iterator[Violation]:
        """Yield a violation if a released joker is in a new meld with too few tiles of the rack."""
        whole = self._rules.joker.freed is FreedJoker.SET_FROM_RACK
        bound = max(len(self._sets.plain(goal.meld)) if whole else 0, self._rules.joker.rack_tiles)
        if not bound:
            return
        found = sum(assignment[tile].count((RACK, goal.meld)) for tile in self._sets.plain(goal.meld))
        found += self._rack_jokers.count(goal.meld)
        if found < bound:
            yield Violation.from_tiles(Code.JOKER_NEEDS_RACK_TILES, Side.AFTER, (goal,), found, bound)

    def _lacks_rack_tiles(self, meld: int, assignment: Assignment) -> bool:
        """Return whether, under an assignment of some tiles, too few tiles of a new meld can come from the rack.

        A meld that may have grown from the new set of a released joker needs only the edition's `rack_tiles`. Its
        jokers from invalid rows count as tiles of the rack.
        """
        jokers = self._board.after[meld].count(JOKER) - sum(outcome.meld == meld for outcome in self._outcomes)
        numbered = sum(
            (RACK, meld) in assignment[tile] if tile in assignment else self._board.changes.placed[tile] > 0
            for tile in self._sets.plain(meld)
        )
        return numbered + jokers < self._rules.joker.rack_tiles

    def _violations_in_old_sets(self, goal: Place, assignment: Assignment) -> Iterator[Violation]:
        """Yield a violation for each old set that the new meld of a released joker continues."""
        for old in self._related[goal.meld]:
            match self._rules.joker.freed:
                case FreedJoker.ANY_MELD | FreedJoker.RACK:
                    is_old = False
                case FreedJoker.NEW_COMBINATION:
                    is_old = self._sets.only_gained_jokers(old, goal.meld)
                case FreedJoker.NEW_SET | FreedJoker.SET_FROM_RACK:
                    is_old = self._sets.is_continued_in(old, goal.meld, assignment)
                case _ as never:  # pragma: no cover - the type checker proves it
                    assert_never(never)
            if is_old:
                yield self._joker_fault(Code.JOKER_NOT_REUSED, Side.AFTER, goal)

    def _old_sets_in(self, meld: int, assignment: Assignment) -> list[int]:
        """Return the old sets of which a new meld holds enough tiles for a valid set."""
        shortest = self._rules.melds.shortest
        return [old for old in self._related[meld] if len(self._sets.parts(old, assignment).get(meld, [])) >= shortest]
