"""The rules about a way: what an edition forbids to do with the melds of the table, and with their jokers.

Each rule of an old set, or of a joker of one, is asked about once it is known where the tiles went on which it turns.
The jokers' own way is fixed here, and with it what became of each of them (`Fate`); the search tries them all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import assert_never

from tilekeeper.engine.provenance.board import RACK, Board
from tilekeeper.engine.provenance.joker_fates import Destiny, Fate, Lot
from tilekeeper.engine.provenance.search import Assigned, Rule
from tilekeeper.engine.rules.policies import FreedJoker, JokerSets, Regrouping, ReplacedFrom
from tilekeeper.engine.rules.violations import Code, Side, Violation
from tilekeeper.engine.tiles.table import Place
from tilekeeper.engine.tiles.tile import JOKER, Tile


class WayRules:
    """The rules about the ways in which one lot of the jokers can have come about."""

    def __init__(self, board: Board, lot: Lot) -> None:
        self._board = board
        self._rules = board.rules
        self._destinies = lot.destinies
        self._rack_jokers = lot.rack_jokers
        self._of_meld: dict[int, list[Destiny]] = {}
        for destiny in lot.destinies:
            self._of_meld.setdefault(destiny.origin.meld, []).append(destiny)
        self._akin = {
            goal: [*board.akin(goal), *self._akin_by_replacing(goal)]
            for goal in {destiny.meld for destiny in lot.destinies}
            if goal is not None
        }

    def _akin_by_replacing(self, goal: int) -> list[int]:
        """The old sets that share with a new meld nothing but a tile that replaced a joker of theirs."""
        replaced_in = {
            destiny.origin.meld
            for destiny in self._destinies
            if destiny.replaced_by and self._board.lies_in(destiny.replaced_by, goal)
        }
        return sorted(replaced_in.difference(self._board.akin(goal)))

    def about_melds(self, with_jokers: bool) -> Iterator[Rule]:
        """The rules about old sets with a joker, or about those with none, to which any lot is the same."""
        for meld in self._board.sets_before:
            if (JOKER in self._board.before[meld]) is with_jokers and self._is_bound(meld):
                yield Rule(
                    self._tiles_of(meld),
                    partial(self._meld_faults, meld),
                    partial(self._is_doomed, meld),
                )

    def about_jokers(self) -> Iterator[Rule]:
        """The rules about the jokers of old sets, one for each."""
        for destiny in self._destinies:
            yield Rule(
                self._tiles_around(destiny),
                partial(self._joker_faults, destiny),
            )

    def about_jokers_in_parts(self) -> Iterator[Rule]:
        """The same rules for whom one broken is as bad as many: those with several conditions as one for each."""
        for rule, destiny in zip(self.about_jokers(), self._destinies, strict=True):
            if destiny.fate is not Fate.REPLACED or destiny.goal is None:
                yield rule
                continue
            yield Rule(
                frozenset(self._others(destiny.goal.meld)),
                partial(self._rack_faults, destiny.goal),
                partial(self._rack_is_doomed, destiny.goal.meld),
            )
            for old in self._akin[destiny.goal.meld]:
                yield Rule(
                    self._tiles_of(old),
                    partial(self._old_set_faults, destiny.goal, old),
                )

    def _jokers_of(self, meld: int) -> list[Destiny]:
        return self._of_meld.get(meld, [])

    def _tiles_of(self, meld: int) -> frozenset[Tile]:
        """The tiles of an old set, and those that replaced its jokers."""
        replacing = [destiny.replaced_by for destiny in self._jokers_of(meld) if destiny.replaced_by]
        return frozenset((*self._board.plain_before[meld], *replacing))

    def _is_bound(self, meld: int) -> bool:
        """Whether any rule says what may be done with an old set."""
        return (
            self._rules.manipulation.regrouping is not Regrouping.ANY
            or self._rules.manipulation.staying_together > 0
            or (self._rules.joker.sets is JokerSets.LOCKED and bool(self._jokers_of(meld)))
            or self._was_moved_out_of(meld)
        )

    def _was_moved_out_of(self, meld: int) -> bool:
        """Whether a joker was taken out of an old set with nothing in its place."""
        return any(destiny.fate is Fate.MOVED for destiny in self._jokers_of(meld))

    def _tiles_around(self, destiny: Destiny) -> frozenset[Tile]:
        tiles = set(self._tiles_of(destiny.origin.meld))
        if destiny.fate is not Fate.STAYED and destiny.meld is not None:
            tiles.update(tile for tile in self._board.after[destiny.meld] if not tile.is_joker)
            for meld in self._akin[destiny.meld]:
                tiles |= self._tiles_of(meld)
        return frozenset(tiles)

    def _is_doomed(self, meld: int, assigned: Assigned) -> bool:
        """Whether a rule about an old set is broken for certain, though not all of its tiles have been followed yet."""
        goals: Counter[int] = Counter()
        waiting = []
        for tile in self._board.plain_before[meld]:
            if tile in assigned:
                goals.update(goal for origin, goal in assigned[tile] if origin == meld)
            else:
                waiting.append(tile)
        if len(goals) < 2 or self._was_moved_out_of(meld):
            return False
        if self._rules.manipulation.regrouping is Regrouping.EXTEND_ONLY:
            return True
        if self._rules.joker.sets is JokerSets.LOCKED and self._is_locked(meld):
            return True
        wanted = self._rules.manipulation.staying_together - self._board.before[meld].count(JOKER)
        return max(goals.values()) > 1 and not any(
            goals[goal] + sum(self._board.lies_in(tile, goal) for tile in waiting) >= wanted
            for goal in self._board.hosts(meld)
        )

    def _parts(self, meld: int, assigned: Assigned) -> dict[int, list[Tile]]:
        """The tiles of an old set by the new melds in which they lie; what replaced a joker of it counts as its own."""
        parts: dict[int, list[Tile]] = {}
        for tile in self._board.plain_before[meld]:
            for origin, goal in assigned[tile]:
                if origin == meld:
                    parts.setdefault(goal, []).append(tile)
        for destiny in self._jokers_of(meld):
            if destiny.replaced_by is not None:
                for origin, goal in assigned[destiny.replaced_by]:
                    if goal in parts and (origin == RACK or self._rules.joker.replaced_from is ReplacedFrom.ANYWHERE):
                        parts[goal].append(destiny.replaced_by)
                        break
            elif destiny.fate in (Fate.STAYED, Fate.FREE) and destiny.meld in parts:
                assert destiny.goal is not None
                parts[destiny.goal.meld].append(self._board.before[meld][destiny.origin.position])
        return parts

    def _meld_faults(self, meld: int, assigned: Assigned) -> Iterator[Violation]:
        """What is wrong with where the tiles of one old set went."""
        parts = self._parts(meld, assigned)
        if self._rules.manipulation.regrouping is Regrouping.EXTEND_ONLY and not self._is_only_extended(meld, assigned):
            yield self._at_meld(Code.EXTEND_ONLY, meld)
        elif (self._was_moved_out_of(meld) and not self._is_only_extended(meld, assigned)) or (
            self._rules.joker.sets is JokerSets.LOCKED and self._is_locked(meld) and len(parts) > 1
        ):
            yield self._at_meld(Code.JOKER_SET_LOCKED, meld)
        wanted = self._rules.manipulation.staying_together
        largest = max(map(len, parts.values()), default=0)
        if wanted and len(parts) > 1 and largest > 1 and not self._stays_together(parts, wanted):
            yield self._at_meld(Code.ORIGINAL_TOO_SHORT, meld, largest, wanted)

    def _at_meld(self, code: Code, meld: int, found: int | None = None, bound: int | None = None) -> Violation:
        tiles = tuple(Place(meld, position) for position in range(len(self._board.before[meld])))
        return Violation(code, Side.BEFORE, (meld,), tiles, found, bound)

    def _is_locked(self, meld: int) -> bool:
        """Whether an old set has a joker that was not replaced."""
        return any(destiny.fate is not Fate.REPLACED for destiny in self._jokers_of(meld))

    def _is_only_extended(self, meld: int, assigned: Assigned) -> bool:
        """Whether the tiles of an old set lie together still, but for valid parts where a joker was taken out."""
        parts: list[list[int]] = [[]]
        gaps = {destiny.origin.position for destiny in self._jokers_of(meld) if destiny.fate is Fate.MOVED}
        for position in range(len(self._board.before[meld])):
            if position in gaps:
                parts.append([])
            else:
                parts[-1].append(position)
        for part in filter(None, parts):
            tiles = tuple(self._board.before[meld][position] for position in part)
            goals = {goal for tile in tiles if not tile.is_joker for origin, goal in assigned[tile] if origin == meld}
            if len(goals) > 1 or (gaps and not self._board.is_set(tiles)):
                return False
        return True

    def _stays_together(self, parts: dict[int, list[Tile]], wanted: int) -> bool:
        """Whether enough tiles of an old set lie together and are a valid set by themselves."""
        for goal, tiles in parts.items():
            if len(tiles) >= wanted:
                left = list(tiles)
                row = []
                for tile in self._board.after[goal]:
                    if tile in left:
                        left.remove(tile)
                        row.append(tile)
                if goal not in self._board.sets_after or self._board.is_set(tuple(row)):
                    return True
        return False

    def _joker_faults(self, destiny: Destiny, assigned: Assigned) -> Iterator[Violation]:
        """What is wrong with where one joker of an old set went."""
        match destiny.fate:
            case Fate.STAYED:
                if not self._is_with_own(destiny, assigned):
                    yield Violation.at(Code.JOKER_NOT_FROM_RACK, Side.BEFORE, (destiny.origin,))
            case Fate.MOVED:
                assert destiny.goal is not None
                if not self._old_sets_in(destiny.goal.meld, assigned):
                    yield Violation.at(Code.JOKER_NOT_REUSED, Side.AFTER, (destiny.goal,))
            case Fate.FREE:
                if not self._is_with_own(destiny, assigned):
                    if self._was_replaced_from_table(destiny, assigned):
                        yield Violation.at(Code.JOKER_NOT_FROM_RACK, Side.BEFORE, (destiny.origin,))
                    yield from self._freed_faults(destiny, assigned)
            case Fate.REPLACED:
                yield from self._freed_faults(destiny, assigned)
            case Fate.LEFT:
                # A locked set that was split is told as that; its joker did not come free beside.
                split = (
                    self._rules.joker.sets is JokerSets.LOCKED and len(self._parts(destiny.origin.meld, assigned)) > 1
                )
                if not split:
                    yield Violation.at(Code.JOKER_NOT_FROM_RACK, Side.BEFORE, (destiny.origin,))
                if not self._is_with_own(destiny, assigned):
                    yield from self._freed_faults(destiny, assigned)
            case _ as never:  # pragma: no cover - the type checker proves it
                assert_never(never)

    def _is_with_own(self, destiny: Destiny, assigned: Assigned) -> bool:
        return any(
            (destiny.origin.meld, destiny.meld) in assigned[tile]
            for tile in self._board.plain_before[destiny.origin.meld]
        )

    def _was_replaced_from_table(self, destiny: Destiny, assigned: Assigned) -> bool:
        """Whether the rest of the set lies together with a tile in the joker's place that came from the table."""
        if self._rules.joker.replaced_from is ReplacedFrom.ANYWHERE:
            return False
        parts = self._parts(destiny.origin.meld, assigned)
        replacing = self._board.stood_for(destiny.origin)
        return len(parts) == 1 and any(
            tile in replacing and not self._board.changes.placed[tile]
            for goal in parts
            for tile in self._board.after[goal]
        )

    def _freed_faults(self, destiny: Destiny, assigned: Assigned) -> Iterator[Violation]:
        """What is wrong with where a joker lies that came free."""
        if destiny.goal is None:
            to_rack = self._rules.joker.freed is FreedJoker.RACK and destiny.fate is Fate.REPLACED
            if not to_rack and not self._rules.manipulation.take_back:
                yield Violation.at(Code.JOKER_NOT_REUSED, Side.BEFORE, (destiny.origin,))
            return
        goal = destiny.goal
        old_ones = (fault for old in self._akin[goal.meld] for fault in self._old_set_faults(goal, old, assigned))
        if goal.meld not in self._board.sets_after:
            yield Violation.at(Code.JOKER_NOT_REUSED, Side.AFTER, (goal,))
        elif (fault := next(old_ones, None)) is not None:
            yield fault
        else:
            yield from self._rack_faults(goal, assigned)

    def _others(self, meld: int) -> list[Tile]:
        return [tile for tile in self._board.after[meld] if not tile.is_joker]

    def _rack_faults(self, goal: Place, assigned: Assigned) -> Iterator[Violation]:
        """What is wrong with a freed joker that lies with too few tiles of the rack."""
        found = sum(assigned[tile].count((RACK, goal.meld)) for tile in self._others(goal.meld))
        found += self._rack_jokers.count(goal.meld)
        bound = self._rack_bound(goal.meld)
        if found < bound:
            yield Violation.at(Code.JOKER_NEEDS_RACK_TILES, Side.AFTER, (goal,), found, bound)

    def _rack_bound(self, meld: int) -> int:
        whole = self._rules.joker.freed is FreedJoker.SET_FROM_RACK
        return max(len(self._others(meld)) if whole else 0, self._rules.joker.rack_tiles)

    def _rack_is_doomed(self, meld: int, assigned: Assigned) -> bool:
        """Whether too many tiles of a meld are known to come from the table."""
        may_come = sum(tile not in assigned or (RACK, meld) in assigned[tile] for tile in self._others(meld))
        return may_come + self._rack_jokers.count(meld) < self._rack_bound(meld)

    def _old_set_faults(self, goal: Place, old: int, assigned: Assigned) -> Iterator[Violation]:
        """What is wrong with a freed joker that lies in what became of an old set."""
        match self._rules.joker.freed:
            case FreedJoker.ANY_MELD | FreedJoker.RACK:
                is_old = False
            case FreedJoker.NEW_COMBINATION:
                is_old = self._is_only_joined(old, goal.meld, assigned)
            case FreedJoker.NEW_SET | FreedJoker.SET_FROM_RACK:
                is_old = self._goes_on(old, goal.meld, assigned)
            case _ as never:  # pragma: no cover - the type checker proves it
                assert_never(never)
        if is_old:
            yield Violation.at(Code.JOKER_NOT_REUSED, Side.AFTER, (goal,))

    def _is_only_joined(self, old: int, meld: int, assigned: Assigned) -> bool:
        """Whether a meld is an old one to which nothing was done but that freed jokers came to it."""
        part = self._parts(old, assigned).get(meld, [])
        return (
            len(part) >= len(self._board.before[old])
            and set(self._others(meld)) <= set(part)
            and meld not in self._rack_jokers
        )

    def _old_sets_in(self, meld: int, assigned: Assigned) -> list[int]:
        """The old sets of which enough lies in a meld to be a set by itself."""
        shortest = self._rules.melds.shortest
        return [old for old in self._akin[meld] if len(self._parts(old, assigned).get(meld, [])) >= shortest]

    def _goes_on(self, old: int, meld: int, assigned: Assigned) -> bool:
        """Whether a meld is what became of an old set, rather than a new one.

        It is where enough of the old set lies in it to be a set by itself, unless as much lies elsewhere, where no
        freed joker does: then that is what became of it, and this is made of tiles that were taken.
        """
        shortest = self._rules.melds.shortest
        large = [goal for goal, part in self._parts(old, assigned).items() if len(part) >= shortest]
        freed_in = {
            destiny.meld for destiny in self._destinies if destiny.fate in (Fate.REPLACED, Fate.LEFT, Fate.FREE)
        }
        return meld in large and all(goal in freed_in for goal in large)
