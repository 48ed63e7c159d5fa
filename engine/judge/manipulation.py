"""Manipulation: judge the use of the table by the provenance of tiles that breaks the fewest rules.

The first search looks for a provenance that breaks no rule. If it proves that there is none, a second search looks for
the one that breaks the fewest, so that the player reads a short list of violations. Both searches have a budget. If the
first search exceeds its budget, no violation is reported and the result is not `proved`. If the second search does, the
turn is known to be illegal, and the violations of the best provenance so far are reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Final

from tilekeeper.engine.provenance.board import Board
from tilekeeper.engine.provenance.budget import Budget, BudgetExceeded
from tilekeeper.engine.provenance.changes import Changes
from tilekeeper.engine.provenance.constraints import ScenarioConstraints
from tilekeeper.engine.provenance.joker_fates import Release
from tilekeeper.engine.provenance.joker_releases import JokerOutcome, Scenario, all_scenarios, plausible_scenarios
from tilekeeper.engine.provenance.search import Choices, Constraint, fewest_violations, first_violations, severity
from tilekeeper.engine.provenance.single_moves import are_decisive, fewest_replaced, is_in_order
from tilekeeper.engine.rules.policies import FreedJoker
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.rules.violations import Code, Side, Violation
from tilekeeper.engine.tiles.tile import JOKER

_REPORT_BUDGET: Final = 8_000
"""Steps of the search for the fewest violations, after the proof that the turn is illegal."""


@dataclass(frozen=True, slots=True)
class ManipulationResult:
    """The result of judging how a player used the table: that of the provenance that breaks the fewest rules."""

    violations: tuple[Violation, ...] = ()
    """The violations of the opening and of manipulation."""
    replaced: int = 0
    """The number of tiles laid in the place of a joker."""
    to_rack: int = 0
    """The number of freed jokers that legally went to the rack."""
    proved: bool = True
    """Whether the search for a legal provenance was complete; if not, there are no violations."""
    fewest_replaced: bool = True
    """Whether it is proved that no legal way replaces fewer jokers."""
    points: int | None = None
    """The points of new sets from the rack alone; None if the player had opened or the edition requires no points."""


def judge_manipulation(changes: Changes, rules: RuleSet, budget: Budget) -> ManipulationResult:
    """Judge how a player used the table, if the player may use it; not `proved` if the budget does not suffice."""
    try:
        found = find_legal_provenance(changes, rules, budget)
    except BudgetExceeded:
        return ManipulationResult(proved=False)
    return report_violations(changes, rules, budget) if found is None else found


def report_violations(changes: Changes, rules: RuleSet, budget: Budget) -> ManipulationResult:
    """Return the fewest violations that explain a turn in which every provenance breaks a rule.

    The result is not `proved` if the budget of a larger search is used up before a violation can be named.
    """
    board = _board(changes, rules)
    assert board is not None  # without a board no rule is broken
    result = _fewest_violations(board, budget.sibling(_REPORT_BUDGET))
    if result.violations:
        return result
    if board.set_jokers and are_decisive(rules):
        # Only the order of the moves can be wrong then, which no constraint tests: a joker could not leave in time.
        places = board.set_jokers
        return ManipulationResult(
            (Violation.from_tiles(Code.JOKER_NOT_FROM_RACK, Side.BEFORE, places, bound=rules.melds.shortest),)
        )
    return ManipulationResult(proved=False)


def find_legal_provenance(
    changes: Changes, rules: RuleSet, budget: Budget, fewest: bool = True
) -> ManipulationResult | None:
    """Search for a provenance that breaks no rule; return None if every provenance breaks one.

    If `fewest` is False, the result may have more replaced jokers than the fewest.

    Raises:
        BudgetExceeded: if the search needs more steps.
    """
    board = _board(changes, rules)
    if board is None:
        return ManipulationResult()
    if board.set_jokers and is_in_order(board) and are_decisive(rules):
        replaced = fewest_replaced(board, budget, improve=fewest)
        if replaced is None:
            return None
        to_rack = changes.taken[JOKER]
        return ManipulationResult((), replaced.count, to_rack, fewest_replaced=replaced.proved)
    scenario = _legal_scenario(board, budget)
    return None if scenario is None else _result((), scenario, board)


def jokers_have_a_way(changes: Changes, rules: RuleSet, budget: Budget) -> bool:
    """Test quickly whether the jokers of changed sets can have reached their places, without a search of provenances.

    If the result is False, `find_legal_provenance` returns None, too. If it is True, a search has to decide.

    Raises:
        BudgetExceeded: if the test needs more steps.
    """
    if are_decisive(rules):
        return True
    budget.spend(len(changes.changed_before) + len(changes.changed_after))
    board = _board(changes, rules)
    return board is None or next(plausible_scenarios(board, budget), None) is not None


def _board(changes: Changes, rules: RuleSet) -> Board | None:
    """Return the board of changed melds; None if no old meld changed, or the table was misread."""
    if not changes.changed_before:
        return None
    board = Board(changes, rules)
    return None if board.was_misread else board


def _legal_scenario(board: Board, budget: Budget) -> Scenario | None:
    """Return the first plausible scenario in which some provenance breaks no rule; None if there is none."""
    budget.spend(len(board.changes.changed_before) + len(board.changes.changed_after))
    choices: Choices | None = None
    for scenario in plausible_scenarios(board, budget):
        choices = choices or {tile: board.provenances(tile) for tile in board.tiles}
        budget.spend(10)
        constraints = _constraints(board, scenario)
        if fewest_violations(constraints, _choices_of(constraints, choices), budget, 0) == []:
            return scenario
    return None


def _constraints(board: Board, scenario: Scenario) -> list[Constraint]:
    found = ScenarioConstraints(board, scenario)
    return [*found.on_melds(), *found.on_jokers()]


def _fewest_violations(board: Board, budget: Budget) -> ManipulationResult:
    """Return the result with the fewest violations of all scenarios.

    Of results with equally many violations, the one with the fewest forbidden and then replaced jokers counts.
    """
    choices = {tile: board.provenances(tile) for tile in board.tiles}
    best: list[Violation] | None = None
    best_scenario = Scenario()
    try:
        for scenario in _likeliest_scenarios(board, budget):
            budget.spend(10)
            constraints = _constraints(board, scenario)
            their_choices = _choices_of(constraints, choices)
            if best is None:
                best, best_scenario = first_violations(constraints, their_choices), scenario
            violations = fewest_violations(constraints, their_choices, budget, len(best))
            if violations is not None and _rank(violations, scenario) < _rank(best, best_scenario):
                best, best_scenario = violations, scenario
    except BudgetExceeded:
        pass
    if best is None:  # the budget of a larger search is used up
        return ManipulationResult(proved=False)
    return _result(best, best_scenario, board)


def _choices_of(constraints: Sequence[Constraint], choices: Choices) -> Choices:
    return {tile: choices[tile] for constraint in constraints for tile in constraint.tiles}


def _likeliest_scenarios(board: Board, budget: Budget) -> list[Scenario]:
    """Return the scenarios, sorted by an estimate of the number of rules that each breaks, fewest first.

    The estimate judges each joker alone and adds the results up. If a part of the budget is used up, the rest of the
    scenarios is missing.
    """

    @cache
    def faults(outcome: JokerOutcome) -> int:
        budget.spend(20)
        constraints = _constraints(board, Scenario((outcome,)))
        choices = {tile: board.provenances(tile) for constraint in constraints for tile in constraint.tiles}
        return len(first_violations(constraints, choices))

    scenarios: list[Scenario] = []
    with suppress(BudgetExceeded):
        for scenario in all_scenarios(board, faults, Budget(_REPORT_BUDGET // 4, within=budget)):
            scenarios.append(scenario)
    return sorted(scenarios, key=lambda scenario: (sum(map(faults, scenario.outcomes)), _joker_rank(scenario)))


def _rank(violations: Sequence[Violation], scenario: Scenario) -> tuple[object, ...]:
    count, codes = severity(violations)
    return (count, _joker_rank(scenario), codes)


def _joker_rank(scenario: Scenario) -> tuple[int, int]:
    """Return the number of jokers that left their sets illegally, and the number of replaced jokers."""
    return scenario.forbidden, scenario.replaced


def _result(violations: Sequence[Violation], scenario: Scenario, board: Board) -> ManipulationResult:
    may_go = board.rules.joker.freed is FreedJoker.RACK
    to_rack = sum(may_go and each.release is Release.REPLACED and each.goal is None for each in scenario.outcomes)
    return ManipulationResult(tuple(_joined(violations)), scenario.replaced, to_rack)


def _joined(violations: Sequence[Violation]) -> Iterator[Violation]:
    """Yield the violations; those of code `JOKER_NOT_REUSED` without a bound are merged into one for each side."""
    misplaced: dict[Side, list[Violation]] = {}
    for violation in violations:
        if violation.code is Code.JOKER_NOT_REUSED and violation.bound is None:
            misplaced.setdefault(violation.side, []).append(violation)
        else:
            yield violation
    for side, those in misplaced.items():
        yield Violation.from_tiles(
            Code.JOKER_NOT_REUSED, side, tuple(sorted(place for each in those for place in each.tiles))
        )
