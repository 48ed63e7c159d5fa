"""What a player who may use the table did with its melds and jokers: judged by the best way that leads there.

Every way of the jokers is tried, with everything that can have become of each, and for each of these the ways of all
other tiles on which a rule turns. A rule counts as broken only if the best of all ways breaks it. Where the search
would last longer than anybody waits, nothing is proved, and nobody is blamed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

from tilekeeper.engine.changes import Changes
from tilekeeper.engine.joker_ways import Move, Way, joker_ways
from tilekeeper.engine.jokers import judge_jokers
from tilekeeper.engine.rules import RuleSet
from tilekeeper.engine.rules_policies import FreedJoker, JokerSets, Regrouping, ReplacedFrom
from tilekeeper.engine.tile import JOKER, Tile
from tilekeeper.engine.verdict import Violation
from tilekeeper.engine.way_board import Board
from tilekeeper.engine.way_rules import Destiny, Fate, WayRules
from tilekeeper.engine.way_search import OutOfSteps, Steps, badness, fewest_broken

_MOST_VIOLATIONS: Final = 1_000
"""More than a turn can break."""


@dataclass(frozen=True, slots=True)
class Manipulated:
    """What the best way breaks, and what it did with jokers."""

    violations: tuple[Violation, ...] = ()
    replaced: int = 0
    """How many tiles were laid in the place of a joker."""
    to_rack: int = 0
    """How many freed jokers went to the rack, as they may."""


def judge_manipulation(changes: Changes, rules: RuleSet, steps: Steps | None = None) -> Manipulated:
    """Judge what a player who may use the table did with it; `steps` are shared where several ways are judged."""
    if not changes.gone:
        return Manipulated()
    if _is_plain(rules):
        return Manipulated(tuple(judge_jokers(changes, True, rules)))
    board = Board(changes, rules)
    ways = list(joker_ways(changes, rules.stock.jokers))
    if board.was_misread or not (ways or _follows_no_joker(changes)):
        return Manipulated()
    try:
        return _best(board, ways or [()], steps or Steps())
    except OutOfSteps:
        return Manipulated()


def _is_plain(rules: RuleSet) -> bool:
    """Whether only jokers are to be followed, and only to where they lie; that is asked of without a search."""
    return (
        rules.manipulation.regrouping is Regrouping.ANY
        and rules.manipulation.staying_together == 0
        and not rules.manipulation.take_back
        and rules.joker.sets is JokerSets.LIKE_OTHERS
        and rules.joker.replaced_from is ReplacedFrom.ANYWHERE
        and rules.joker.freed in (FreedJoker.ANY_MELD, FreedJoker.NEW_COMBINATION)
        and rules.joker.rack_tiles == 0
    )


def _follows_no_joker(changes: Changes) -> bool:
    return not any(JOKER in changes.before.melds[index] for index in changes.gone)


def _best(board: Board, ways: list[Way], steps: Steps) -> Manipulated:
    """The best of all ways; of those that break as little one in which fewest jokers were replaced."""
    paths = {tile: board.paths(tile) for tile in board.tiles}
    lots = [(way, lot) for way in ways for lot in _lots(way, board)]
    lots.sort(key=lambda item: _at_first(item[1]))
    best: list[Violation] | None = None
    best_lot: tuple[Destiny, ...] = ()
    for way, lot in lots:
        steps.take(10)
        found_rules = list(WayRules(board, way, lot))
        about = {tile: paths[tile] for rule in found_rules for tile in rule.tiles}
        found = fewest_broken(found_rules, about, steps, _MOST_VIOLATIONS if best is None else len(best))
        if found is not None and (best is None or _rank(found, lot) < _rank(best, best_lot)):
            best, best_lot = found, lot
            if not found:
                break
    assert best is not None  # the first lot breaks no more than that
    replaced = [destiny for destiny in best_lot if destiny.fate is Fate.REPLACED]
    may_go = board.rules.joker.freed is FreedJoker.RACK
    to_rack = sum(may_go and destiny.goal is None for destiny in replaced)
    return Manipulated(tuple(best), len(replaced), to_rack)


def _rank(violations: Sequence[Violation], lot: tuple[Destiny, ...]) -> tuple[object, ...]:
    count, codes = badness(violations)
    return (count, _at_first(lot), codes)


def _at_first(lot: tuple[Destiny, ...]) -> tuple[int, int]:
    """How much is wrong with a lot to begin with, and how many tiles earn no star."""
    fates = [destiny.fate for destiny in lot]
    return fates.count(Fate.LEFT), fates.count(Fate.REPLACED)


def _lots(way: Way, board: Board) -> Iterator[tuple[Destiny, ...]]:
    """Everything that can have become of the jokers of old sets, all together."""
    moves = [move for move in way if move.origin is not None and move.origin.meld in board.plain_before]
    supply = board.changes.placed
    from_table = board.rules.joker.replaced_from is ReplacedFrom.ANYWHERE
    for lot in product(*(tuple(_destinies(move, board)) for move in moves)):
        wanted = Counter(destiny.replaced_by for destiny in lot if destiny.replaced_by)
        if from_table or all(count <= supply[tile] for tile, count in wanted.items()):
            yield lot


def _destinies(move: Move, board: Board) -> Iterator[Destiny]:
    """What can have become of one joker of an old set."""
    origin, goal = move.origin, move.goal
    assert origin is not None  # asked of jokers of old sets only
    sets = board.rules.joker.sets
    if sets is JokerSets.LIKE_OTHERS:
        yield Destiny(origin, goal, Fate.FREE)
        return
    if goal is not None and board.can_stay(origin, goal):
        yield Destiny(origin, goal, Fate.STAYED)
    if sets is JokerSets.JOKER_MOVES and goal is not None:
        yield Destiny(origin, goal, Fate.MOVED)
    for tile in _replacing(move, board):
        yield Destiny(origin, goal, Fate.REPLACED, tile)
    yield Destiny(origin, goal, Fate.LEFT)


def _replacing(move: Move, board: Board) -> Iterator[Tile]:
    """The tiles that can have been laid in the place of a joker."""
    assert move.origin is not None
    anywhere = board.rules.joker.replaced_from is ReplacedFrom.ANYWHERE
    for tile in board.stood_for(move.origin):
        if board.changes.placed[tile] or (anywhere and tile in board.tiles and board.changes.now[tile]):
            yield tile
