"""What became of the old sets in one scenario of the jokers: where their tiles lie, and as what they went on."""

from __future__ import annotations

from collections.abc import Collection

from tilekeeper.engine.provenance.board import RACK, Board
from tilekeeper.engine.provenance.joker_releases import JokerOutcome, Release, Scenario
from tilekeeper.engine.provenance.rows import goes_on_as
from tilekeeper.engine.provenance.search import Assignment
from tilekeeper.engine.rules.meld import is_group
from tilekeeper.engine.rules.policies import JokerSets, Regrouping, ReplacedFrom
from tilekeeper.engine.tiles.tile import JOKER, Tile

_RELEASED = (Release.REPLACED, Release.FORBIDDEN, Release.UNRESTRICTED)


class OldSets:
    """The old sets of a board, given what happened to their jokers."""

    def __init__(self, board: Board, scenario: Scenario) -> None:
        self._board, self._rules = board, board.rules
        self._outcomes, self._rack_jokers = scenario.outcomes, scenario.rack_jokers
        self._outcomes_by_meld: dict[int, list[JokerOutcome]] = {}
        for outcome in scenario.outcomes:
            self._outcomes_by_meld.setdefault(outcome.origin.meld, []).append(outcome)

    def outcomes_of(self, meld: int) -> list[JokerOutcome]:
        return self._outcomes_by_meld.get(meld, [])

    def tiles_of(self, meld: int) -> frozenset[Tile]:
        """The tiles of an old set, and those that replaced its jokers."""
        replacing = [outcome.replaced_by for outcome in self.outcomes_of(meld) if outcome.replaced_by]
        return frozenset((*self._board.plain_before[meld], *replacing))

    def lost_joker(self, meld: int) -> bool:
        """Whether a joker was taken out of an old set with nothing in its place."""
        return any(outcome.release is Release.TAKEN_OUT for outcome in self.outcomes_of(meld))

    def parts(self, meld: int, assignment: Assignment) -> dict[int, list[Tile]]:
        """The tiles of an old set by the new melds that hold them; a tile that replaced a joker of it counts as one."""
        parts: dict[int, list[Tile]] = {}
        for tile in self._board.plain_before[meld]:
            for origin, goal in assignment[tile]:
                if origin == meld:
                    parts.setdefault(goal, []).append(tile)
        for outcome in self.outcomes_of(meld):
            if outcome.replaced_by is not None:
                for origin, goal in assignment[outcome.replaced_by]:
                    if goal in parts and (origin == RACK or self._rules.joker.replaced_from is ReplacedFrom.ANYWHERE):
                        parts[goal].append(outcome.replaced_by)
                        break
            elif outcome.goal is not None and (
                outcome.release is Release.STAYED
                if self._rules.joker.sets is JokerSets.JOKER_STAYS
                else outcome.release in (Release.STAYED, Release.UNRESTRICTED) and outcome.meld in parts
            ):
                parts.setdefault(outcome.goal.meld, []).append(JOKER)
        return parts

    def is_locked(self, meld: int) -> bool:
        """Whether an old set may not be split because of a joker in it that was not replaced."""
        return self._rules.joker.sets is JokerSets.LOCKED and any(
            outcome.release is not Release.REPLACED for outcome in self.outcomes_of(meld)
        )

    def is_only_extended(self, meld: int, assignment: Assignment) -> bool:
        """Whether the tiles of an old set are still together; where a joker was taken out, each valid part of it."""
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
            if len(goals) > 1 or (gaps and not self._board.is_set(tiles)):
                return False
        return self._rules.manipulation.regrouping is Regrouping.ANY or self.are_replacing_tiles_there(meld, assignment)

    def are_replacing_tiles_there(self, meld: int, assignment: Assignment) -> bool:
        """Whether the tiles that replaced jokers of an old set still lie with it."""
        goals = {goal for tile in self._board.plain_before[meld] for origin, goal in assignment[tile] if origin == meld}
        return all(
            any(origin == RACK and goal in goals for origin, goal in assignment[outcome.replaced_by])
            for outcome in self.outcomes_of(meld)
            if outcome.replaced_by is not None
        )

    def goes_on(self, old: int, goal: int, parts: dict[int, list[Tile]]) -> bool:
        """Whether an old set can have become a new meld while enough of it stayed together at any time."""
        if goal not in self._board.sets_after:
            return True
        row = self._board.after[goal]
        own = [row.index(tile) for tile in parts[goal] if tile is not JOKER]
        own += [
            each.goal.position
            for each in self.outcomes_of(old)
            if each.release is Release.STAYED and each.goal is not None and each.meld == goal
        ]
        return goes_on_as(self._board.before[old], row, own, self._rules.manipulation.staying_together, self._rules)

    def is_with_own_set(self, outcome: JokerOutcome, assignment: Assignment) -> bool:
        """Whether a joker is in one meld with a tile of its old set."""
        return any(
            (outcome.origin.meld, outcome.meld) in assignment[tile]
            for tile in self._board.plain_before[outcome.origin.meld]
        )

    def has_own_beside_it(self, outcome: JokerOutcome, assignment: Assignment) -> bool:
        """Whether a joker is with a tile of its old set that lay beside it; in a group all of them do."""
        old, at = outcome.origin.meld, outcome.origin.position
        row = self._board.before[old]
        if self._rules.joker.sets is not JokerSets.JOKER_STAYS or is_group(row, self._rules):
            return self.is_with_own_set(outcome, assignment)
        stays = {(each.origin.position, each.meld) for each in self.outcomes_of(old) if each.release is Release.STAYED}
        return any(
            (at + step, outcome.meld) in stays
            if row[at + step] is JOKER
            else (old, outcome.meld) in assignment[row[at + step]]
            for step in (-1, 1)
            if 0 <= at + step < len(row)
        )

    def may_be_alone(self, outcome: JokerOutcome, assignment: Assignment) -> bool:
        """Whether a joker can have stayed where it lay while all other tiles of its set were taken."""
        assert outcome.meld is not None
        if self._rules.joker.sets is not JokerSets.JOKER_STAYS or any(
            other.release is Release.STAYED and other.meld == outcome.meld and other.origin.meld != outcome.origin.meld
            for other in self._outcomes
        ):
            return False
        return self.goes_on(outcome.origin.meld, outcome.meld, self.parts(outcome.origin.meld, assignment))

    def plain(self, meld: int) -> list[Tile]:
        """The tiles of a new meld without jokers."""
        return [tile for tile in self._board.after[meld] if not tile.is_joker]

    def is_spare(self, tile: Tile) -> bool:
        """Whether a tile of the rack was not needed in the place of a joker."""
        needed = sum(outcome.replaced_by is tile for outcome in self._outcomes)
        return self._board.changes.placed[tile] > needed

    def only_gained_jokers(self, old: int, meld: int, assignment: Assignment) -> bool:
        """Whether a new meld is an old one to which nothing but released jokers were added."""
        part = self.parts(old, assignment).get(meld, [])
        return (
            len(part) >= len(self._board.before[old])
            and set(self.plain(meld)) <= set(part)
            and meld not in self._rack_jokers
        )

    def is_continued_in(
        self, old: int, meld: int, assignment: Assignment, among: Collection[Tile] | None = None
    ) -> bool:
        """Whether a new meld is the continuation of an old set, and so not a new set.

        It is where it holds enough tiles of the old set for a valid set. Where another meld without a released joker
        holds enough of them too, that one is the continuation, and this one is made of tiles taken from it. Of the new
        meld only the tiles `among` which are looked at, where they are given.
        """
        shortest = self._rules.melds.shortest
        parts = self.parts(old, assignment)
        if any(outcome.release is Release.STAYED and outcome.meld == meld for outcome in self.outcomes_of(old)):
            return among is None
        if among is not None and meld in parts:
            parts[meld] = [tile for tile in parts[meld] if tile in among]
        large = [goal for goal, part in parts.items() if len(part) >= shortest]
        with_released = {outcome.meld for outcome in self._outcomes if outcome.release in _RELEASED}
        return meld in large and all(goal in with_released for goal in large)
