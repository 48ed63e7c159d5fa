"""The rules about a way: what an edition forbids to do with the melds of the table, and with their jokers.

Each rule of an old set, or of a joker of one, is asked about once it is known where the tiles went on which it turns.
The jokers' own way is fixed here, and with it what became of each of them (`Fate`); the search tries them all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, auto

from tilekeeper.engine.joker_ways import Move
from tilekeeper.engine.meld import is_valid
from tilekeeper.engine.rules_policies import FreedJoker, JokerSets, Regrouping, ReplacedFrom
from tilekeeper.engine.table import Place
from tilekeeper.engine.tile import Tile
from tilekeeper.engine.verdict import Code, Side, Violation
from tilekeeper.engine.way_board import RACK, Board
from tilekeeper.engine.way_search import Assigned, Rule


class Fate(Enum):
    """What became of a joker of an old set."""

    STAYED = auto()
    """It lies with its own for a tile for which it stood."""
    REPLACED = auto()
    """A tile was laid in its place, and it came free."""
    MOVED = auto()
    """It was taken out of a set of which every part is valid without it, and laid to a run that lies there."""
    FREE = auto()
    """It may leave its set in any way; whether it did shows in where it lies."""
    LEFT = auto()
    """It left its set, which it may not."""


@dataclass(frozen=True, slots=True)
class Destiny:
    """One joker of an old set: where it went and what became of it."""

    origin: Place
    goal: Place | None
    fate: Fate
    replaced_by: Tile | None = None

    @property
    def meld(self) -> int | None:
        """The meld in which it lies now."""
        return None if self.goal is None else self.goal.meld


class WayRules:
    """The rules about one way of the jokers, with what became of each."""

    def __init__(self, board: Board, moves: tuple[Move, ...], destinies: tuple[Destiny, ...]) -> None:
        self._board = board
        self._rules = board.rules
        self._destinies = destinies
        self._rack_jokers = [move.goal.meld for move in moves if move.origin is None and move.goal is not None]
        self._of_meld: Mapping[int, list[Destiny]] = {
            meld: [destiny for destiny in destinies if destiny.origin.meld == meld] for meld in board.sets_before
        }
        self._tiles_of = {
            meld: frozenset(board.plain_before[meld]).union(
                destiny.replaced_by for destiny in self._of_meld[meld] if destiny.replaced_by
            )
            for meld in board.sets_before
        }
        goals = {destiny.meld for destiny in destinies if destiny.meld is not None}
        self._akin = {
            goal: [meld for meld, tiles in self._tiles_of.items() if not tiles.isdisjoint(board.after[goal])]
            for goal in goals
        }

    def __iter__(self) -> Iterator[Rule]:
        for meld in self._board.sets_before:
            if self._is_bound(meld):
                yield Rule(self._tiles_of[meld], lambda assigned, meld=meld: list(self._meld_faults(meld, assigned)))
        for destiny in self._destinies:
            yield Rule(
                self._tiles_around(destiny),
                lambda assigned, destiny=destiny: list(self._joker_faults(destiny, assigned)),
            )

    def _is_bound(self, meld: int) -> bool:
        """Whether any rule says what may be done with an old set."""
        return (
            self._rules.manipulation.regrouping is not Regrouping.ANY
            or self._rules.manipulation.staying_together > 0
            or (self._rules.joker.sets is JokerSets.LOCKED and bool(self._of_meld[meld]))
            or any(destiny.fate is Fate.MOVED for destiny in self._of_meld[meld])
        )

    def _tiles_around(self, destiny: Destiny) -> frozenset[Tile]:
        tiles = set(self._tiles_of[destiny.origin.meld])
        if destiny.fate is not Fate.STAYED and destiny.meld is not None:
            tiles.update(tile for tile in self._board.after[destiny.meld] if not tile.is_joker)
            for meld in self._akin[destiny.meld]:
                tiles |= self._tiles_of[meld]
        return frozenset(tiles)

    def _parts(self, meld: int, assigned: Assigned) -> dict[int, list[Tile]]:
        """The tiles of an old set by the new melds in which they lie; what replaced a joker of it counts as its own."""
        parts: dict[int, list[Tile]] = {}
        for tile in self._board.plain_before[meld]:
            for origin, goal in assigned[tile]:
                if origin == meld:
                    parts.setdefault(goal, []).append(tile)
        for destiny in self._of_meld[meld]:
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
        elif self._rules.joker.sets is JokerSets.JOKER_MOVES and not self._is_only_extended(meld, assigned):
            if any(destiny.fate is Fate.MOVED for destiny in self._of_meld[meld]):
                yield self._at_meld(Code.JOKER_SET_LOCKED, meld)
        elif self._rules.joker.sets is JokerSets.LOCKED and self._is_locked(meld) and len(parts) > 1:
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
        return any(destiny.fate is not Fate.REPLACED for destiny in self._of_meld[meld])

    def _is_only_extended(self, meld: int, assigned: Assigned) -> bool:
        """Whether the tiles of an old set lie together still, but for valid parts where a joker was taken out."""
        parts: list[list[int]] = [[]]
        gaps = {destiny.origin.position for destiny in self._of_meld[meld] if destiny.fate is Fate.MOVED}
        for position in range(len(self._board.before[meld])):
            if position in gaps:
                parts.append([])
            else:
                parts[-1].append(position)
        for part in filter(None, parts):
            tiles = tuple(self._board.before[meld][position] for position in part)
            goals = {goal for tile in tiles if not tile.is_joker for origin, goal in assigned[tile] if origin == meld}
            if len(goals) > 1 or (gaps and not is_valid(tiles, self._rules)):
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
                if goal not in self._board.sets_after or is_valid(tuple(row), self._rules):
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
        policy = self._rules.joker.freed
        if destiny.goal is None:
            to_rack = policy is FreedJoker.RACK and destiny.fate is Fate.REPLACED
            if not to_rack and not self._rules.manipulation.take_back:
                yield Violation.at(Code.JOKER_NOT_REUSED, Side.BEFORE, (destiny.origin,))
            return
        meld = destiny.goal.meld
        if meld not in self._board.sets_after or not self._is_new_enough(policy, meld, assigned):
            yield Violation.at(Code.JOKER_NOT_REUSED, Side.AFTER, (destiny.goal,))
            return
        others = [tile for tile in self._board.after[meld] if not tile.is_joker]
        found = sum(assigned[tile].count((RACK, meld)) for tile in others) + self._rack_jokers.count(meld)
        bound = len(others) if policy is FreedJoker.SET_FROM_RACK else self._rules.joker.rack_tiles
        bound = max(bound, self._rules.joker.rack_tiles)
        if found < bound:
            yield Violation.at(Code.JOKER_NEEDS_RACK_TILES, Side.AFTER, (destiny.goal,), found, bound)

    def _is_new_enough(self, policy: FreedJoker, meld: int, assigned: Assigned) -> bool:
        """Whether a valid meld is such a one as a freed joker may lie in."""
        match policy:
            case FreedJoker.ANY_MELD | FreedJoker.RACK:
                return True
            case FreedJoker.NEW_COMBINATION:
                return not any(self._is_only_joined(old, meld, assigned) for old in self._akin[meld])
            case FreedJoker.NEW_SET | FreedJoker.SET_FROM_RACK:
                return not any(self._goes_on(old, meld, assigned) for old in self._akin[meld])

    def _is_only_joined(self, old: int, meld: int, assigned: Assigned) -> bool:
        """Whether a meld is an old one to which nothing was done but that freed jokers came to it."""
        part = self._parts(old, assigned).get(meld, [])
        plain = [tile for tile in self._board.after[meld] if not tile.is_joker]
        return len(part) >= len(self._board.before[old]) and set(plain) <= set(part) and meld not in self._rack_jokers

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
