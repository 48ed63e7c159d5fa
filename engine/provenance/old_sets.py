"""The old sets in one scenario of the jokers: where their tiles are now, and which new melds continue them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from itertools import groupby

from tilekeeper.engine.provenance.board import RACK, Board
from tilekeeper.engine.provenance.joker_fates import RELEASED, Release
from tilekeeper.engine.provenance.joker_releases import JokerOutcome, Scenario, is_reading_of
from tilekeeper.engine.provenance.search import Assignment
from tilekeeper.engine.rules.meld import Kind, is_valid, readings
from tilekeeper.engine.rules.policies import JokerSets, Regrouping, ReplacedFrom
from tilekeeper.engine.tiles.tile import JOKER, Tile


class OldSets:
    """The old sets of a board in one scenario, which fixes what happened to their jokers."""

    def __init__(self, board: Board, scenario: Scenario) -> None:
        self._board, self._rules = board, board.rules
        self._outcomes, self._rack_jokers = scenario.outcomes, scenario.rack_jokers
        self._outcomes_by_meld: dict[int, list[JokerOutcome]] = {}
        for outcome in scenario.outcomes:
            self._outcomes_by_meld.setdefault(outcome.origin.meld, []).append(outcome)

    def outcomes_of(self, meld: int) -> list[JokerOutcome]:
        """Return the outcomes of the jokers of an old set."""
        return self._outcomes_by_meld.get(meld, [])

    def tiles_of(self, meld: int) -> frozenset[Tile]:
        """Return the numbered tiles of an old set and the tiles that replaced its jokers."""
        replacing = [outcome.replaced_by for outcome in self.outcomes_of(meld) if outcome.replaced_by]
        return frozenset((*self._board.plain_before[meld], *replacing))

    def lost_joker(self, meld: int) -> bool:
        """Return whether a joker was taken out of an old set without a replacement."""
        return any(outcome.release is Release.TAKEN_OUT for outcome in self.outcomes_of(meld))

    def parts(self, meld: int, assignment: Assignment) -> dict[int, list[Tile]]:
        """Return the tiles of an old set by the new meld that holds them.

        A tile that replaced a joker of the set counts if it is with another tile of the set. A joker that stayed counts
        as `JOKER`.
        """
        parts: dict[int, list[Tile]] = {}
        for tile in self._board.plain_before[meld]:
            for origin, goal in assignment[tile]:
                if origin == meld:
                    parts.setdefault(goal, []).append(tile)
        for outcome in self.outcomes_of(meld):
            if outcome.replaced_by is not None:
                for origin, goal in assignment[outcome.replaced_by]:
                    if outcome.replaced_in not in (None, goal):
                        continue
                    if goal in parts and (origin == RACK or self._rules.joker.replaced_from is ReplacedFrom.ANYWHERE):
                        parts[goal].append(outcome.replaced_by)
                        break
            elif outcome.goal is not None and (
                outcome.release in (Release.STAYED, Release.SHIFTED)
                if self._rules.joker.sets is JokerSets.JOKER_STAYS
                else outcome.release in (Release.STAYED, Release.UNRESTRICTED) and outcome.meld in parts
            ):
                parts.setdefault(outcome.goal.meld, []).append(JOKER)
        return parts

    def is_locked(self, meld: int) -> bool:
        """Return whether the edition forbids to split an old set because one of its jokers was not replaced."""
        return self._rules.joker.sets is JokerSets.LOCKED and any(
            outcome.release is not Release.REPLACED for outcome in self.outcomes_of(meld)
        )

    def is_only_extended(self, meld: int, assignment: Assignment) -> bool:
        """Return whether tiles were only added to an old set, and none of its tiles were separated.

        If jokers were taken out, each part of the set between them must be valid and only extended.
        """
        parts: list[list[int]] = [[]]
        gaps = {outcome.origin.position for outcome in self.outcomes_of(meld) if outcome.release is Release.TAKEN_OUT}
        for position in range(len(self._board.before[meld])):
            if position in gaps:
                parts.append([])
            else:
                parts[-1].append(position)
        for part in filter(None, parts):
            tiles = tuple(self._board.before[meld][position] for position in part)
            goals = {goal for tile in tiles if not tile.is_joker for origin, goal in assignment[tile] if origin == meld}
            goals.update(
                joker.goal.meld
                for joker in self.outcomes_of(meld)
                if joker.goal and joker.release is Release.STAYED and joker.origin.position in part
            )
            if len(goals) > 1 or (gaps and not is_valid(tiles, self._rules)):
                return False
        if self._rules.manipulation.regrouping is Regrouping.ANY:
            return True
        # Each tile that replaced a joker of the set must be in a new meld with tiles of the set.
        goals = {goal for tile in self._board.plain_before[meld] for origin, goal in assignment[tile] if origin == meld}
        return all(
            any(origin == RACK and goal in goals for origin, goal in assignment[outcome.replaced_by])
            for outcome in self.outcomes_of(meld)
            if outcome.replaced_by is not None
        )

    def count_together(self, old: int, goal: int, part: Collection[Tile]) -> int:
        """Return the most tiles that are together in a new meld as what is left of an old set.

        The tiles of the set, `part`, count, and new ones beside them. A joker counts only if it stayed in the set.
        """
        row, placed = self._board.after[goal], self._board.changes.placed
        own_jokers = {
            each.goal.position
            for each in self.outcomes_of(old)
            if each.goal and each.meld == goal and each.release is not Release.REPLACED
        }
        counts = [
            at in own_jokers if tile is JOKER else tile in part or placed[tile] > 0 for at, tile in enumerate(row)
        ]
        kinds = {reading.kind for reading in readings(row, self._rules)} & {
            reading.kind
            for reading in readings(self._board.before[old], self._rules)
            if is_reading_of(reading, self.outcomes_of(old), self._board)
        }
        if Kind.GROUP in kinds:
            return sum(counts)
        stretches = [len(list(stretch)) for counted, stretch in groupby(counts) if counted]
        return max(stretches, default=0) if Kind.RUN in kinds else 1

    def is_with_own_set(self, outcome: JokerOutcome, assignment: Assignment) -> bool:
        """Return whether a joker is in a new meld with a numbered tile of its old set."""
        return any(
            (outcome.origin.meld, outcome.meld) in assignment[tile]
            for tile in self._board.plain_before[outcome.origin.meld]
        )

    def plain(self, meld: int) -> list[Tile]:
        """Return the numbered tiles of a new meld."""
        return [tile for tile in self._board.after[meld] if not tile.is_joker]

    def is_spare(self, tile: Tile, meld: int) -> bool:
        """Return whether a copy of a tile can have come from the rack to a new meld without replacing a joker."""
        needed = [outcome.replaced_in for outcome in self._outcomes if outcome.replaced_by is tile]
        return self._board.changes.placed[tile] > len(needed) and meld not in needed

    def only_gained_jokers(self, old: int, meld: int) -> bool:
        """Return whether a new meld is an old set to which only jokers of other sets were added.

        Players can't distinguish copies of a tile, so only the tiles are compared, not their provenance.
        """
        own = sum(outcome.meld == meld for outcome in self.outcomes_of(old))
        return (
            Counter(self.plain(meld)) == Counter(self._board.plain_before[old])
            and own == self._board.before[old].count(JOKER)
            and own < sum(outcome.meld == meld for outcome in self._outcomes) == self._board.after[meld].count(JOKER)
        )

    def is_continued_in(
        self, old: int, meld: int, assignment: Assignment, among: Collection[Tile] | None = None
    ) -> bool:
        """Return whether a new meld is the continuation of an old set, and so not a new set.

        A continuation holds enough tiles of the old set for a valid set, or one of its jokers that stayed. If another
        new meld without a released joker holds enough tiles too, that meld is the continuation instead. With `among`
        only these tiles of the new meld count, and a joker that stayed does not.
        """
        shortest = self._rules.melds.shortest
        parts = self.parts(old, assignment)
        stays = (Release.STAYED, Release.SHIFTED)
        if any(outcome.release in stays and outcome.meld == meld for outcome in self.outcomes_of(old)):
            return among is None
        if among is not None and meld in parts:
            parts[meld] = [tile for tile in parts[meld] if tile in among]
        large = [goal for goal, part in parts.items() if len(part) >= shortest]
        with_released = {outcome.meld for outcome in self._outcomes if outcome.release in RELEASED}
        return meld in large and all(goal in with_released for goal in large)
