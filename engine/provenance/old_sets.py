"""The old sets in one scenario of the jokers: where their tiles are now, and which new melds continue them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from itertools import combinations

from tilekeeper.engine.provenance.board import RACK, Board
from tilekeeper.engine.provenance.joker_fates import Release, needs_new_set
from tilekeeper.engine.provenance.joker_releases import JokerOutcome, Scenario, is_reading_of
from tilekeeper.engine.provenance.rows import RowChange, is_one_place
from tilekeeper.engine.provenance.search import Assignment
from tilekeeper.engine.rules.meld import Kind, Reading, readings
from tilekeeper.engine.rules.policies import JokerSets, Regrouping, ReplacedFrom
from tilekeeper.engine.tiles.tile import JOKER, Tile

_Place = tuple[Tile, int | None]
"""A tile of an old set, and the new meld that holds it; None if the meld is not decided yet."""

_RELEASED = (Release.REPLACED, Release.FORBIDDEN, Release.UNRESTRICTED)
"""The releases after which a joker may be outside its old set."""


class OldSets:
    """The old sets of a board in one scenario, which fixes what happened to their jokers."""

    def __init__(self, board: Board, scenario: Scenario) -> None:
        self._board, self._rules = board, board.rules
        self._outcomes, self._rack_jokers = scenario.outcomes, scenario.rack_jokers
        self._outcomes_by_meld: dict[int, list[JokerOutcome]] = {}
        self._readings_of: dict[int, list[Reading]] = {}
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

    def parts_with_replacing(self, meld: int, assignment: Assignment) -> dict[int, list[Tile]]:
        """Return `parts` and the tiles that replaced a joker and then moved to a meld without tiles of the set."""
        parts = self.parts(meld, assignment)
        melds_of_parts = set(parts)
        for outcome in self.outcomes_of(meld):
            goals = self._goals_of_replacing(outcome, assignment) or []
            if outcome.replaced_by is not None and goals and melds_of_parts.isdisjoint(goals):
                parts.setdefault(goals[0], []).append(outcome.replaced_by)
        return parts

    def _goals_of_replacing(self, outcome: JokerOutcome, assignment: Assignment) -> list[int] | None:
        """Return the new melds that may hold the tile that replaced a joker.

        The result is None if no tile replaced the joker, or if this tile has no provenance yet.
        """
        if outcome.replaced_by is None or outcome.replaced_by not in assignment:
            return None
        anywhere = self._rules.joker.replaced_from is ReplacedFrom.ANYWHERE
        there = [goal for origin, goal in assignment[outcome.replaced_by] if anywhere or origin == RACK]
        return [goal for goal in there if outcome.replaced_in in (None, goal)]

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
            if len(goals) > 1 or (gaps and not self._board.is_set(tiles)):
                return False
        return self._rules.manipulation.regrouping is Regrouping.ANY or self.are_replacing_tiles_there(meld, assignment)

    def are_replacing_tiles_there(self, meld: int, assignment: Assignment) -> bool:
        """Return whether each tile that replaced a joker of an old set is in a new meld with tiles of the set."""
        goals = {goal for tile in self._board.plain_before[meld] for origin, goal in assignment[tile] if origin == meld}
        return all(
            any(origin == RACK and goal in goals for origin, goal in assignment[outcome.replaced_by])
            for outcome in self.outcomes_of(meld)
            if outcome.replaced_by is not None
        )

    def can_continue_as(self, old: int, goal: int, parts: dict[int, list[Tile]]) -> bool:
        """Return whether an old set can have become a new meld while enough tiles stayed together.

        Always True if the new meld is not valid.

        Args:
            old: the old set.
            goal: the new meld.
            parts: the tiles of the old set by the new meld that holds them.
        """
        least = self._rules.manipulation.staying_together
        if goal not in self._board.sets_after:
            return True
        row = self._board.after[goal]
        jokers = [
            (each.origin.position, each.goal.position)
            for each in self.outcomes_of(old)
            if each.release is Release.STAYED and each.goal and each.meld == goal
        ]
        kept_at = frozenset([row.index(tile) for tile in parts[goal] if tile is not JOKER] + [at for _, at in jokers])
        lent = frozenset(tile for other in parts if other != goal for tile in self.plain(other))
        locks = self._rules.joker.sets is JokerSets.LOCKED
        if locks and any(each.release is Release.STAYED and each.meld == goal for each in self._outcomes):
            return False  # a tile that joins a locked set would have left its own set before
        locking = frozenset(at for at, tile in enumerate(row) if locks and tile is JOKER)
        return any(
            RowChange(was, now, kept_at, lent, locking).is_possible(least, self._rules)
            for was in self._readings(old)
            for now in readings(row, self._rules)
            if all(is_one_place(was, at, now, to) for at, to in jokers)
            and not self._is_another_set(old, goal, now.kind, kept_at)
        )

    def may_be_used_up(self, old: int, assignment: Assignment) -> bool:
        """Return whether an old set can have been used up completely: no part of it had to remain.

        The set shrank to the fewest tiles that must stay together, and then each of these joined a different meld. A
        tile that has no provenance yet may be in any meld.
        """
        least, is_group = self._rules.manipulation.staying_together, self._readings(old)[0].kind is Kind.GROUP
        places = self._places(old, assignment)
        if is_group and any(place is None for place in places):
            return False  # a joker never leaves a group alone
        chosen = (
            combinations(places, least)
            if is_group
            else (tuple(places[start : start + least]) for start in range(len(places) - least + 1))
        )
        return any(_are_different(window) for window in chosen)

    def _places(self, old: int, assignment: Assignment) -> list[_Place | None]:
        """Return, for each position of an old set, its tile and the new meld that holds it, if that is decided.

        For a replaced joker it is the tile in its place. The entry is None for a joker that was not replaced, and for a
        tile that is in no new meld.
        """
        places: list[_Place | None] = []
        jokers = {each.origin.position: each for each in self.outcomes_of(old)}
        for position, tile in enumerate(self._board.before[old]):
            there: Tile = tile
            goals: list[int] | None = []
            if tile is not JOKER:
                known = assignment.get(tile)
                goals = None if known is None else [goal for origin, goal in known if origin == old]
            elif (joker := jokers.get(position)) is not None and joker.replaced_by is not None:
                there, goals = joker.replaced_by, self._goals_of_replacing(joker, assignment)
            places.append(None if goals == [] else (there, goals[0] if goals else None))
        return places

    def _readings(self, old: int) -> list[Reading]:
        """Return the readings of an old set that fit the outcomes of its jokers; all readings if none fits."""
        if old not in self._readings_of:
            old_readings = readings(self._board.before[old], self._rules)
            found = [was for was in old_readings if is_reading_of(was, self.outcomes_of(old), self._board)]
            self._readings_of[old] = found or list(old_readings)
        return self._readings_of[old]

    def _is_another_set(self, old: int, goal: int, kind: Kind, positions: frozenset[int]) -> bool:
        """Return whether an old set can't have become a new meld because the meld continues another set.

        Two groups never become one. A released joker is laid in a set of its own before another run joins it.

        Args:
            old: the old set.
            goal: the new meld.
            kind: whether the new meld is read as a run or as a group.
            positions: the positions in the new meld of tiles of the old set.
        """
        return any(
            each.meld == goal
            and (
                (kind is Kind.GROUP and each.release is Release.STAYED and each.origin.meld != old)
                or (self._needs_new_set(each) and (kind is Kind.GROUP or not self._has_set_apart(each, positions)))
            )
            for each in self._outcomes
        )

    def _needs_new_set(self, outcome: JokerOutcome) -> bool:
        """Return whether a joker was replaced and the edition requires that it is laid in a new set."""
        return outcome.release is Release.REPLACED and needs_new_set(self._rules)

    def _has_set_apart(self, outcome: JokerOutcome, positions: frozenset[int]) -> bool:
        """Return whether a released joker can be in a new set within its meld, without the tiles at `positions`."""
        assert outcome.goal is not None
        row, placed = self._board.after[outcome.goal.meld], self._board.changes.placed
        return any(
            positions.isdisjoint(places) and sum(placed[row[at]] > 0 for at in places) >= self._rules.joker.rack_tiles
            for places in self._board.sets_around(outcome.goal)
        )

    def is_with_own_set(self, outcome: JokerOutcome, assignment: Assignment) -> bool:
        """Return whether a joker is in a new meld with a numbered tile of its old set."""
        return any(
            (outcome.origin.meld, outcome.meld) in assignment[tile]
            for tile in self._board.plain_before[outcome.origin.meld]
        )

    def may_have_stayed(self, outcome: JokerOutcome, assignment: Assignment) -> bool:
        """Return whether a joker can have stayed in its set.

        It is with a tile of the set; or only jokers are bound to their set, and all other tiles have left.
        """
        may_be_alone = self._rules.joker.sets is JokerSets.JOKER_STAYS and outcome.release is Release.STAYED
        return may_be_alone or self.is_with_own_set(outcome, assignment)

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
        new meld without a released joker holds enough tiles too, that meld is the continuation instead.

        Args:
            old: the old set.
            meld: the new meld.
            assignment: the provenance of all tiles of the old set.
            among: the tiles of the new meld that count; None for all. With `among` a joker that stayed gives False.
        """
        shortest = self._rules.melds.shortest
        parts = self.parts(old, assignment)
        stays = (Release.STAYED, Release.SHIFTED)
        if any(outcome.release in stays and outcome.meld == meld for outcome in self.outcomes_of(old)):
            return among is None
        if among is not None and meld in parts:
            parts[meld] = [tile for tile in parts[meld] if tile in among]
        large = [goal for goal, part in parts.items() if len(part) >= shortest]
        with_released = {outcome.meld for outcome in self._outcomes if outcome.release in _RELEASED}
        return meld in large and all(goal in with_released for goal in large)


def _are_different(places: Sequence[_Place | None]) -> bool:
    """Return whether tiles of an old set can each have joined a different meld: tiles and known melds all differ."""
    if None in places:
        return False
    tiles = [place[0] for place in places if place]
    goals = [place[1] for place in places if place and place[1] is not None]
    return len(set(tiles)) == len(tiles) and len(set(goals)) == len(goals)
