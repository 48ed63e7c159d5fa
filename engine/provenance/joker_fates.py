"""What can have become of the jokers of old sets: where each of them went, and how it came free, if it did.

A *lot* says it of all of them together. `hopeful_lots` leaves out what is broken by itself, whatever else was done,
so that few are left to be searched; `all_lots` lists everything, for turns that are known to break something.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum, auto
from itertools import combinations, product

from tilekeeper.engine.provenance.board import Board
from tilekeeper.engine.provenance.budget import Steps
from tilekeeper.engine.provenance.joker_choices import joker_ways
from tilekeeper.engine.rules.policies import FreedJoker, JokerSets, Regrouping, ReplacedFrom
from tilekeeper.engine.tiles.table import Place
from tilekeeper.engine.tiles.tile import JOKER, Tile


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


@dataclass(frozen=True, slots=True)
class Lot:
    """What became of all jokers in changed melds."""

    destinies: tuple[Destiny, ...] = ()
    """Those of old sets."""
    rack_jokers: tuple[int, ...] = ()
    """The new melds in which jokers from the rack lie, one for each of these."""

    @property
    def replaced(self) -> int:
        """How many tiles were laid in the place of a joker."""
        return sum(destiny.fate is Fate.REPLACED for destiny in self.destinies)

    @property
    def left(self) -> int:
        """How many jokers left their sets, which they may not."""
        return sum(destiny.fate is Fate.LEFT for destiny in self.destinies)


def all_lots(board: Board, wrong: Callable[[Destiny], int]) -> Iterator[Lot]:
    """Everything that can have become of the jokers; one empty lot where there is none to be followed.

    Args:
        board: the melds that changed.
        wrong: how much seems to be wrong with a destiny; of the destinies of one joker the least wrong come first.
    """
    if not board.set_jokers:
        yield Lot()
        return
    own = set(board.set_jokers)
    for way in joker_ways(board.changes, board.rules.stock.jokers):
        moves = [(move.origin, move.goal) for move in way if move.origin is not None and move.origin in own]
        racked = tuple(sorted(move.goal.meld for move in way if move.origin is None and move.goal is not None))
        options = [sorted(_destinies(origin, goal, board), key=wrong) for origin, goal in moves]
        for destinies in product(*options):
            if _is_supplied(destinies, board):
                yield Lot(destinies, racked)


def hopeful_lots(board: Board, steps: Steps) -> Iterator[Lot]:
    """What can have become of the jokers if no rule is broken, those first in which fewest were replaced.

    Ways in which a joker of no set is gone come last of all: nothing explains where it went.

    Raises:
        OutOfSteps: when there are more than anybody waits for.
    """
    goals = [*board.joker_goals, None]
    options = {
        origin: [
            destiny
            for goal in goals
            for destiny in _destinies(origin, goal, board)
            if destiny.fate is not Fate.LEFT and _is_hopeful(destiny, board)
        ]
        for origin in board.set_jokers
    }
    steps.take(4 * len(goals) * len(options))
    order = sorted(board.set_jokers, key=lambda origin: len(options[origin]))
    missing = len(board.set_jokers) + board.loose_jokers + board.changes.placed[JOKER] - len(board.joker_goals)
    for loose_gone in range(min(board.loose_jokers, missing) + 1):
        for replaced in range(len(order) + 1):
            for destinies in _choices([options[origin] for origin in order], missing - loose_gone, replaced, steps):
                if _is_supplied(destinies, board):
                    yield from _with_rack_jokers(destinies, board)


def _choices(options: list[list[Destiny]], missing: int, replaced: int, steps: Steps) -> Iterator[tuple[Destiny, ...]]:
    """One option each, no two for one goal, of which so many are gone and so many were replaced."""

    def choose(depth: int, chosen: tuple[Destiny, ...], gone: int, left: int) -> Iterator[tuple[Destiny, ...]]:
        if depth == len(options):
            yield chosen
            return
        taken = {destiny.goal for destiny in chosen if destiny.goal is not None}
        others = len(options) - depth - 1
        for option in options[depth]:
            steps.take(1)
            still_gone = gone - (option.goal is None)
            still_left = left - (option.fate is Fate.REPLACED)
            if 0 <= still_gone <= others and 0 <= still_left <= others and option.goal not in taken:
                yield from choose(depth + 1, (*chosen, option), still_gone, still_left)

    if missing <= len(options):
        yield from choose(0, (), missing, replaced)


def _with_rack_jokers(destinies: tuple[Destiny, ...], board: Board) -> Iterator[Lot]:
    """The lots in which these destinies are those of the sets' jokers."""
    taken = {destiny.goal for destiny in destinies}
    melds = [goal.meld for goal in board.joker_goals if goal not in taken]
    for racked in dict.fromkeys(combinations(sorted(melds), board.changes.placed[JOKER])):
        yield Lot(destinies, racked)


def _is_supplied(destinies: tuple[Destiny, ...], board: Board) -> bool:
    """Whether the rack had the tiles that replaced jokers, where they are from there."""
    if board.rules.joker.replaced_from is ReplacedFrom.ANYWHERE:
        return True
    wanted = Counter(destiny.replaced_by for destiny in destinies if destiny.replaced_by)
    return all(count <= board.changes.placed[tile] for tile, count in wanted.items())


def _destinies(origin: Place, goal: Place | None, board: Board) -> Iterator[Destiny]:
    """What can have become of one joker of an old set that went there."""
    sets = board.rules.joker.sets
    if sets is JokerSets.LIKE_OTHERS:
        yield Destiny(origin, goal, Fate.FREE)
        return
    if goal is not None and board.can_stay(origin, goal):
        yield Destiny(origin, goal, Fate.STAYED)
    if sets is JokerSets.JOKER_MOVES and goal is not None:
        yield Destiny(origin, goal, Fate.MOVED)
    for tile in _replacing(origin, board):
        yield Destiny(origin, goal, Fate.REPLACED, tile)
    yield Destiny(origin, goal, Fate.LEFT)


def _replacing(origin: Place, board: Board) -> Iterator[Tile]:
    """The tiles that can have been laid in the place of a joker."""
    anywhere = board.rules.joker.replaced_from is ReplacedFrom.ANYWHERE
    for tile in board.stood_for(origin):
        if board.changes.placed[tile] or (anywhere and tile in board.tiles and board.changes.now[tile]):
            yield tile


def _is_hopeful(destiny: Destiny, board: Board) -> bool:
    """Whether a destiny can be that of a joker in a legal turn, as far as it can be said of it by itself."""
    rules, own = board.rules, board.plain_before[destiny.origin.meld]
    there = () if destiny.goal is None else board.after[destiny.goal.meld]
    match destiny.fate:
        case Fate.STAYED:
            whole = rules.joker.sets is JokerSets.LOCKED or (
                rules.manipulation.regrouping is Regrouping.EXTEND_ONLY
                and rules.joker.sets is not JokerSets.JOKER_MOVES
            )
            return not whole or all(tile in there for tile in own)
        case Fate.MOVED:
            return any(
                len(set(tiles).intersection(there)) + board.before[old].count(JOKER) >= rules.melds.shortest
                for old, tiles in board.plain_before.items()
            )
        case Fate.FREE:
            return any(tile in there for tile in own) or _lies_well(destiny, board)
        case _:
            return _lies_well(destiny, board)


def _lies_well(destiny: Destiny, board: Board) -> bool:
    """Whether a joker that came free can lie, or be, where it is."""
    rules, placed = board.rules, board.changes.placed
    if destiny.goal is None:
        to_rack = rules.joker.freed is FreedJoker.RACK and destiny.fate is Fate.REPLACED
        return to_rack or rules.manipulation.take_back
    if destiny.goal.meld not in board.sets_after:
        return False
    others = [tile for tile in board.after[destiny.goal.meld] if not tile.is_joker]
    bound = len(others) if rules.joker.freed is FreedJoker.SET_FROM_RACK else 0
    return sum(placed[tile] > 0 for tile in others) + placed[JOKER] >= max(bound, rules.joker.rack_tiles)
