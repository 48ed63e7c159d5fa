"""The rules of manipulation as constraints on provenances: what an edition forbids with melds of the table and jokers.

The scenario says what happened to each joker; it is fixed here, and the judge tries every scenario. Each constraint
belongs to one old set, or to one joker of an old set, and depends on the provenance of a few tiles.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import assert_never

from tilekeeper.engine.provenance.board import RACK, Board
from tilekeeper.engine.provenance.joker_releases import JokerOutcome, Release, Scenario
from tilekeeper.engine.provenance.search import Assignment, Constraint
from tilekeeper.engine.rules.policies import FreedJoker, JokerSets, Regrouping, ReplacedFrom
from tilekeeper.engine.rules.violations import Code, Side, Violation
from tilekeeper.engine.tiles.table import Place
from tilekeeper.engine.tiles.tile import JOKER, Tile

_RELEASED = (Release.REPLACED, Release.FORBIDDEN, Release.UNRESTRICTED)


class ScenarioConstraints:
    """The constraints that hold in one scenario of the jokers."""

    def __init__(self, board: Board, scenario: Scenario) -> None:
        self._board = board
        self._rules = board.rules
        self._outcomes = scenario.outcomes
        self._rack_jokers = scenario.rack_jokers
        self._outcomes_by_meld: dict[int, list[JokerOutcome]] = {}
        for outcome in scenario.outcomes:
            self._outcomes_by_meld.setdefault(outcome.origin.meld, []).append(outcome)
        self._related = {
            goal: [*board.sets_sharing_tiles(goal), *self._related_by_replacement(goal)]
            for goal in {outcome.meld for outcome in scenario.outcomes}
            if goal is not None
        }
        """For each new meld with a joker of an old set, the old sets from which it can have tiles."""

    def _related_by_replacement(self, goal: int) -> list[int]:
        """The old sets that have nothing in common with a new meld but a tile that replaced one of their jokers."""
        replaced_in = {
            outcome.origin.meld
            for outcome in self._outcomes
            if outcome.replaced_by and self._board.holds(outcome.replaced_by, goal)
        }
        return sorted(replaced_in.difference(self._board.sets_sharing_tiles(goal)))

    def on_melds(self, with_jokers: bool) -> Iterator[Constraint]:
        """The constraints of old sets: of those with a joker, or of the others, which are equal in every scenario."""
        for meld in self._board.sets_before:
            if (JOKER in self._board.before[meld]) is with_jokers and self._is_constrained(meld):
                yield Constraint(
                    self._tiles_of(meld),
                    partial(self._meld_violations, meld),
                    partial(self._is_already_violated, meld),
                )

    def on_jokers(self) -> Iterator[Constraint]:
        """The constraints of the jokers of old sets, one for each joker."""
        for outcome in self._outcomes:
            yield Constraint(self._tiles_around(outcome), partial(self._joker_violations, outcome))

    def on_jokers_in_parts(self) -> Iterator[Constraint]:
        """The constraints of the jokers, split so that each depends on fewer tiles.

        They are broken by the same assignments, but one assignment may break another number of them.
        """
        for constraint, outcome in zip(self.on_jokers(), self._outcomes, strict=True):
            if outcome.release is not Release.REPLACED or outcome.goal is None:
                yield constraint
                continue
            yield Constraint(
                frozenset(self._plain(outcome.goal.meld)),
                partial(self._rack_violations, outcome.goal),
                partial(self._lacks_rack_tiles, outcome.goal.meld),
            )
            for old in self._related[outcome.goal.meld]:
                yield Constraint(self._tiles_of(old), partial(self._old_set_violations, outcome.goal, old))

    def _outcomes_of(self, meld: int) -> list[JokerOutcome]:
        return self._outcomes_by_meld.get(meld, [])

    def _tiles_of(self, meld: int) -> frozenset[Tile]:
        """The tiles of an old set, and those that replaced its jokers."""
        replacing = [outcome.replaced_by for outcome in self._outcomes_of(meld) if outcome.replaced_by]
        return frozenset((*self._board.plain_before[meld], *replacing))

    def _is_constrained(self, meld: int) -> bool:
        """Whether any rule limits what may be done with an old set."""
        return (
            self._rules.manipulation.regrouping is not Regrouping.ANY
            or self._rules.manipulation.staying_together > 0
            or (self._rules.joker.sets is JokerSets.LOCKED and bool(self._outcomes_of(meld)))
            or self._lost_joker(meld)
        )

    def _lost_joker(self, meld: int) -> bool:
        """Whether a joker was taken out of an old set with nothing in its place."""
        return any(outcome.release is Release.TAKEN_OUT for outcome in self._outcomes_of(meld))

    def _tiles_around(self, outcome: JokerOutcome) -> frozenset[Tile]:
        tiles = set(self._tiles_of(outcome.origin.meld))
        if outcome.release is not Release.STAYED and outcome.meld is not None:
            tiles.update(self._plain(outcome.meld))
            for meld in self._related[outcome.meld]:
                tiles |= self._tiles_of(meld)
        return frozenset(tiles)

    def _is_already_violated(self, meld: int, assignment: Assignment) -> bool:
        """Whether the constraint of an old set is broken whatever the provenance of its open tiles is."""
        goals: Counter[int] = Counter()
        open_tiles = []
        for tile in self._board.plain_before[meld]:
            if tile in assignment:
                goals.update(goal for origin, goal in assignment[tile] if origin == meld)
            else:
                open_tiles.append(tile)
        if len(goals) < 2 or self._lost_joker(meld):
            return False
        if self._rules.manipulation.regrouping is Regrouping.EXTEND_ONLY or self._is_locked(meld):
            return True
        needed = self._rules.manipulation.staying_together - self._board.before[meld].count(JOKER)
        return max(goals.values()) > 1 and not any(
            goals[goal] + sum(self._board.holds(tile, goal) for tile in open_tiles) >= needed
            for goal in self._board.melds_with_enough_of(meld)
        )

    def _parts(self, meld: int, assignment: Assignment) -> dict[int, list[Tile]]:
        """The tiles of an old set by the new melds that hold them; a tile that replaced a joker of it counts as one."""
        parts: dict[int, list[Tile]] = {}
        for tile in self._board.plain_before[meld]:
            for origin, goal in assignment[tile]:
                if origin == meld:
                    parts.setdefault(goal, []).append(tile)
        for outcome in self._outcomes_of(meld):
            if outcome.replaced_by is not None:
                for origin, goal in assignment[outcome.replaced_by]:
                    if goal in parts and (origin == RACK or self._rules.joker.replaced_from is ReplacedFrom.ANYWHERE):
                        parts[goal].append(outcome.replaced_by)
                        break
            elif outcome.release in (Release.STAYED, Release.UNRESTRICTED) and outcome.meld in parts:
                assert outcome.goal is not None
                parts[outcome.goal.meld].append(self._board.before[meld][outcome.origin.position])
        return parts

    def _meld_violations(self, meld: int, assignment: Assignment) -> Iterator[Violation]:
        """Which rules are broken by where the tiles of one old set are."""
        parts = self._parts(meld, assignment)
        if self._rules.manipulation.regrouping is Regrouping.EXTEND_ONLY and not self._is_only_extended(
            meld, assignment
        ):
            yield self._at_meld(Code.EXTEND_ONLY, meld)
        elif (self._lost_joker(meld) and not self._is_only_extended(meld, assignment)) or (
            self._is_locked(meld) and len(parts) > 1
        ):
            yield self._at_meld(Code.JOKER_SET_LOCKED, meld)
        needed = self._rules.manipulation.staying_together
        largest = max(map(len, parts.values()), default=0)
        if needed and len(parts) > 1 and largest > 1 and not self._stays_together(parts, needed):
            yield self._at_meld(Code.ORIGINAL_TOO_SHORT, meld, largest, needed)

    def _at_meld(self, code: Code, meld: int, found: int | None = None, bound: int | None = None) -> Violation:
        tiles = tuple(Place(meld, position) for position in range(len(self._board.before[meld])))
        return Violation(code, Side.BEFORE, (meld,), tiles, found, bound)

    def _is_locked(self, meld: int) -> bool:
        """Whether an old set may not be split because of a joker in it that was not replaced."""
        return self._rules.joker.sets is JokerSets.LOCKED and any(
            outcome.release is not Release.REPLACED for outcome in self._outcomes_of(meld)
        )

    def _is_only_extended(self, meld: int, assignment: Assignment) -> bool:
        """Whether the tiles of an old set are still together; where a joker was taken out, each valid part of it."""
        parts: list[list[int]] = [[]]
        gaps = {outcome.origin.position for outcome in self._outcomes_of(meld) if outcome.release is Release.TAKEN_OUT}
        for position in range(len(self._board.before[meld])):
            if position in gaps:
                parts.append([])
            else:
                parts[-1].append(position)
        for part in filter(None, parts):
            tiles = tuple(self._board.before[meld][position] for position in part)
            goals = {goal for tile in tiles if not tile.is_joker for origin, goal in assignment[tile] if origin == meld}
            if len(goals) > 1 or (gaps and not self._board.is_set(tiles)):
                return False
        return self._rules.manipulation.regrouping is Regrouping.ANY or self._are_replacing_tiles_there(
            meld, assignment
        )

    def _are_replacing_tiles_there(self, meld: int, assignment: Assignment) -> bool:
        """Whether the tiles that replaced jokers of an old set still lie with it."""
        goals = {goal for tile in self._board.plain_before[meld] for origin, goal in assignment[tile] if origin == meld}
        return all(
            any(origin == RACK and goal in goals for origin, goal in assignment[outcome.replaced_by])
            for outcome in self._outcomes_of(meld)
            if outcome.replaced_by is not None
        )

    def _stays_together(self, parts: dict[int, list[Tile]], needed: int) -> bool:
        """Whether some new meld holds enough tiles of an old set that are a valid set by themselves."""
        for goal, tiles in parts.items():
            if len(tiles) >= needed:
                left = list(tiles)
                row = []
                for tile in self._board.after[goal]:
                    if tile in left:
                        left.remove(tile)
                        row.append(tile)
                if goal not in self._board.sets_after or self._board.is_set(tuple(row)):
                    return True
        return False

    def _joker_violations(self, outcome: JokerOutcome, assignment: Assignment) -> Iterator[Violation]:
        """Which rules are broken by where one joker of an old set is."""
        match outcome.release:
            case Release.STAYED:
                if not self._is_with_own_set(outcome, assignment):
                    yield Violation.at(Code.JOKER_NOT_FROM_RACK, Side.BEFORE, (outcome.origin,))
            case Release.TAKEN_OUT:
                assert outcome.goal is not None
                if not self._old_sets_in(outcome.goal.meld, assignment):
                    yield Violation.at(Code.JOKER_NOT_REUSED, Side.AFTER, (outcome.goal,))
            case Release.REPLACED:
                yield from self._released_violations(outcome, assignment)
            case Release.UNRESTRICTED | Release.FORBIDDEN:
                with_own_set = self._is_with_own_set(outcome, assignment)
                if self._was_not_replaced_from_rack(outcome, with_own_set, assignment):
                    yield Violation.at(Code.JOKER_NOT_FROM_RACK, Side.BEFORE, (outcome.origin,))
                if not with_own_set:
                    yield from self._released_violations(outcome, assignment)
            case _ as never:  # pragma: no cover - the type checker proves it
                assert_never(never)

    def _was_not_replaced_from_rack(self, outcome: JokerOutcome, with_own_set: bool, assignment: Assignment) -> bool:
        """Whether a joker left its set although only a tile of the rack in its place could have released it."""
        if outcome.release is Release.FORBIDDEN:
            # Where a locked set was split, that is the violation, and not that its joker came free.
            return not (
                self._rules.joker.sets is JokerSets.LOCKED and len(self._parts(outcome.origin.meld, assignment)) > 1
            )
        return not with_own_set and self._was_replaced_from_table(outcome, assignment)

    def _is_with_own_set(self, outcome: JokerOutcome, assignment: Assignment) -> bool:
        """Whether a joker is in one meld with a tile of its old set."""
        return any(
            (outcome.origin.meld, outcome.meld) in assignment[tile]
            for tile in self._board.plain_before[outcome.origin.meld]
        )

    def _was_replaced_from_table(self, outcome: JokerOutcome, assignment: Assignment) -> bool:
        """Whether the rest of the set is together with a tile of the table that stands in the joker's place."""
        if self._rules.joker.replaced_from is ReplacedFrom.ANYWHERE:
            return False
        parts = self._parts(outcome.origin.meld, assignment)
        replacing = self._board.stood_for(outcome.origin)
        return len(parts) == 1 and any(
            tile in replacing and not self._board.changes.placed[tile]
            for goal in parts
            for tile in self._board.after[goal]
        )

    def _released_violations(self, outcome: JokerOutcome, assignment: Assignment) -> Iterator[Violation]:
        """Which rules are broken by where a released joker is."""
        if outcome.goal is None:
            to_rack = self._rules.joker.freed is FreedJoker.RACK and outcome.release is Release.REPLACED
            if not to_rack and not self._rules.manipulation.take_back:
                yield Violation.at(Code.JOKER_NOT_REUSED, Side.BEFORE, (outcome.origin,))
            return
        goal = outcome.goal
        in_old_sets = (
            violation
            for old in self._related[goal.meld]
            for violation in self._old_set_violations(goal, old, assignment)
        )
        if goal.meld not in self._board.sets_after:
            yield Violation.at(Code.JOKER_NOT_REUSED, Side.AFTER, (goal,))
        elif (violation := next(in_old_sets, None)) is not None:
            yield violation
        else:
            yield from self._rack_violations(goal, assignment)

    def _plain(self, meld: int) -> list[Tile]:
        """The tiles of a new meld without jokers."""
        return [tile for tile in self._board.after[meld] if not tile.is_joker]

    def _rack_violations(self, goal: Place, assignment: Assignment) -> Iterator[Violation]:
        """The violation where a released joker is in a meld with too few tiles of the rack."""
        found = sum(assignment[tile].count((RACK, goal.meld)) for tile in self._plain(goal.meld))
        found += self._rack_jokers.count(goal.meld)
        bound = self._rack_bound(goal.meld)
        if found < bound:
            yield Violation.at(Code.JOKER_NEEDS_RACK_TILES, Side.AFTER, (goal,), found, bound)

    def _rack_bound(self, meld: int) -> int:
        """How many tiles of the rack a new meld with a released joker must hold."""
        whole = self._rules.joker.freed is FreedJoker.SET_FROM_RACK
        return max(len(self._plain(meld)) if whole else 0, self._rules.joker.rack_tiles)

    def _lacks_rack_tiles(self, meld: int, assignment: Assignment) -> bool:
        """Whether too many tiles of a new meld are assigned to the table for the others to be enough."""
        possible = sum(tile not in assignment or (RACK, meld) in assignment[tile] for tile in self._plain(meld))
        return possible + self._rack_jokers.count(meld) < self._rack_bound(meld)

    def _old_set_violations(self, goal: Place, old: int, assignment: Assignment) -> Iterator[Violation]:
        """The violation where the meld of a released joker is an old set and must be a new one."""
        match self._rules.joker.freed:
            case FreedJoker.ANY_MELD | FreedJoker.RACK:
                is_old = False
            case FreedJoker.NEW_COMBINATION:
                is_old = self._only_gained_jokers(old, goal.meld, assignment)
            case FreedJoker.NEW_SET | FreedJoker.SET_FROM_RACK:
                is_old = self._is_continued_in(old, goal.meld, assignment)
            case _ as never:  # pragma: no cover - the type checker proves it
                assert_never(never)
        if is_old:
            yield Violation.at(Code.JOKER_NOT_REUSED, Side.AFTER, (goal,))

    def _only_gained_jokers(self, old: int, meld: int, assignment: Assignment) -> bool:
        """Whether a new meld is an old one to which nothing but released jokers were added."""
        part = self._parts(old, assignment).get(meld, [])
        return (
            len(part) >= len(self._board.before[old])
            and set(self._plain(meld)) <= set(part)
            and meld not in self._rack_jokers
        )

    def _old_sets_in(self, meld: int, assignment: Assignment) -> list[int]:
        """The old sets of which a new meld holds enough tiles for a valid set."""
        shortest = self._rules.melds.shortest
        return [old for old in self._related[meld] if len(self._parts(old, assignment).get(meld, [])) >= shortest]

    def _is_continued_in(self, old: int, meld: int, assignment: Assignment) -> bool:
        """Whether a new meld is the continuation of an old set, and so not a new set.

        It is where it holds enough tiles of the old set for a valid set. Where another meld without a released joker
        holds enough of them too, that one is the continuation, and this one is made of tiles taken from it.
        """
        shortest = self._rules.melds.shortest
        large = [goal for goal, part in self._parts(old, assignment).items() if len(part) >= shortest]
        with_released = {outcome.meld for outcome in self._outcomes if outcome.release in _RELEASED}
        return meld in large and all(goal in with_released for goal in large)
