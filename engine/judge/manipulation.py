"""What a player who may use the table did with its melds and jokers: judged by the best way that leads there.

First it is asked whether any way breaks no rule at all. Only where it is proved that none does, the way that breaks
least is looked for, so that a player hears as little as there is to say. The first search ends after so many steps:
then nothing is proved, nobody is blamed, and the verdict says so. The second ends after as many: then the turn is
known to be illegal, and what is told is the best way found, which is one that leads there, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

from tilekeeper.engine.judge.jokers import judge_jokers
from tilekeeper.engine.provenance.board import Board
from tilekeeper.engine.provenance.budget import OutOfSteps, Steps
from tilekeeper.engine.provenance.changes import Changes
from tilekeeper.engine.provenance.constraints import WayRules
from tilekeeper.engine.provenance.joker_fates import Destiny, Fate, Lot, all_lots, hopeful_lots
from tilekeeper.engine.provenance.search import badness, can_hold, fewest_broken, straight_on
from tilekeeper.engine.rules.policies import FreedJoker, JokerSets, Regrouping, ReplacedFrom
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.rules.violations import Violation

_MOST_TOLD_STEPS: Final = 8_000
"""How long is looked for the way that breaks least, once it is proved that every way breaks something."""


@dataclass(frozen=True, slots=True)
class Manipulated:
    """What the best way breaks, and what it did with jokers."""

    violations: tuple[Violation, ...] = ()
    replaced: int = 0
    """How many tiles were laid in the place of a joker."""
    to_rack: int = 0
    """How many freed jokers went to the rack, as they may."""
    proved: bool = True
    """Whether all ways were looked into that could make it legal; if not, nothing is said of it."""


def judge_manipulation(changes: Changes, rules: RuleSet, steps: Steps) -> Manipulated:
    """Judge what a player who may use the table did with it, in so many steps."""
    if _is_plain(rules):
        return _judge_plain(changes, rules, steps)
    board = _board(changes, rules)
    if board is None:
        return Manipulated()
    try:
        lot = _legal(board, steps)
    except OutOfSteps:
        return Manipulated(proved=False)
    return _least_broken(board) if lot is None else _told((), lot, board)


def find_legal(changes: Changes, rules: RuleSet, steps: Steps) -> Manipulated | None:
    """What was done with the table in a way that breaks no rule; none where it is proved that every way breaks one.

    Raises:
        OutOfSteps: when there are more ways than may be looked into.
    """
    if _is_plain(rules):
        return None if any(True for _ in judge_jokers(changes, True, rules, steps)) else Manipulated()
    board = _board(changes, rules)
    if board is None:
        return Manipulated()
    lot = _legal(board, steps)
    return None if lot is None else _told((), lot, board)


def _board(changes: Changes, rules: RuleSet) -> Board | None:
    """The melds that are to be followed; none where all lie as they lay, or the table was misread."""
    if not changes.gone:
        return None
    board = Board(changes, rules)
    return None if board.was_misread else board


def _judge_plain(changes: Changes, rules: RuleSet, steps: Steps) -> Manipulated:
    try:
        return Manipulated(tuple(judge_jokers(changes, True, rules, steps)))
    except OutOfSteps:
        return Manipulated(proved=False)


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


def _legal(board: Board, steps: Steps) -> Lot | None:
    """What became of the jokers in a way that breaks no rule, if there is one: one with fewest of them replaced."""
    steps.take(8 * (len(board.changes.gone) + len(board.changes.new)))
    paths = {tile: board.paths(tile) for tile in board.tiles}
    lots = hopeful_lots(board, steps)
    likeliest = next(lots, None)
    if likeliest is None:
        return None
    common = list(WayRules(board, Lot()).about_melds(with_jokers=False))
    if not can_hold(common, (), paths, steps):
        return None
    for lot in chain([likeliest], lots):
        steps.take(10)
        found = WayRules(board, lot)
        if can_hold([*found.about_melds(with_jokers=True), *found.about_jokers_in_parts()], common, paths, steps):
            return lot
    return None


def _least_broken(board: Board) -> Manipulated:
    """What the best way breaks, of all that can be looked into; of such ways one in which fewest were replaced."""
    steps = Steps(_MOST_TOLD_STEPS)
    paths = {tile: board.paths(tile) for tile in board.tiles}
    best: list[Violation] | None = None
    best_lot = Lot()
    try:
        for lot in _likeliest(board, steps):
            steps.take(10)
            rules = WayRules(board, lot)
            every = [*rules.about_melds(False), *rules.about_melds(True), *rules.about_jokers()]
            about = {tile: paths[tile] for rule in every for tile in rule.tiles}
            if best is None:
                best, best_lot = straight_on(every, about), lot
            found = fewest_broken(every, about, steps, len(best))
            if found is not None and _rank(found, lot) < _rank(best, best_lot):
                best, best_lot = found, lot
    except OutOfSteps:
        pass
    assert best is not None  # the first lot is looked into before the steps can be at an end
    return _told(best, best_lot, board)


def _likeliest(board: Board, steps: Steps) -> list[Lot]:
    """What can have become of the jokers, the least wrong first, as far as there are steps to list it.

    How wrong a lot is, is not known before the search; the sum of what is wrong with each joker by itself comes near.
    """
    known: dict[Destiny, int] = {}

    def wrong(destiny: Destiny) -> int:
        if destiny not in known:
            steps.take(20)
            rules = WayRules(board, Lot((destiny,)))
            every = [*rules.about_melds(True), *rules.about_jokers()]
            known[destiny] = len(straight_on(every, {tile: board.paths(tile) for rule in every for tile in rule.tiles}))
        return known[destiny]

    lots = []
    for lot in all_lots(board, wrong):
        steps.take(4)
        lots.append(lot)
        if steps.left < _MOST_TOLD_STEPS // 2:
            break
    return sorted(lots, key=lambda lot: (sum(map(wrong, lot.destinies)), _at_first(lot)))


def _rank(violations: Sequence[Violation], lot: Lot) -> tuple[object, ...]:
    count, codes = badness(violations)
    return (count, _at_first(lot), codes)


def _at_first(lot: Lot) -> tuple[int, int]:
    """How much is wrong with a lot to begin with, and how many tiles earn no star."""
    return lot.left, lot.replaced


def _told(violations: Sequence[Violation], lot: Lot, board: Board) -> Manipulated:
    may_go = board.rules.joker.freed is FreedJoker.RACK
    to_rack = sum(may_go and one.fate is Fate.REPLACED and one.goal is None for one in lot.destinies)
    return Manipulated(tuple(violations), lot.replaced, to_rack)
