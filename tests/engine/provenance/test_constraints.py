"""Constraints: pruning never removes a legal assignment."""

import random
from itertools import islice

import pytest

from tests.engine.judge.test_judge_oracle import RULES
from tests.support.small_turns import shuffle_and_mirror, small_turn
from tilekeeper.engine.provenance.board import Board
from tilekeeper.engine.provenance.budget import Budget
from tilekeeper.engine.provenance.changes import find_changes
from tilekeeper.engine.provenance.constraints import ScenarioConstraints
from tilekeeper.engine.provenance.joker_releases import all_scenarios

BOUND = ["finnish", "cards", "junior", "extend only, opening"]


@pytest.mark.parametrize("name", BOUND)
def test_pruning_removes_no_legal_assignment(name: str) -> None:
    """A broken partial assignment has no completion that breaks nothing."""
    rules, rng, pruned = RULES[name], random.Random(f"{name} doomed"), 0
    for _ in range(80):
        before, after = small_turn(rng, rules)
        board = Board(find_changes(before, shuffle_and_mirror(rng, after), rules), rules)
        if board.was_misread:
            continue
        scenarios = list(islice(all_scenarios(board, lambda outcome: 0, Budget()), 40))
        for scenario in rng.sample(scenarios, min(3, len(scenarios))):
            constraints = ScenarioConstraints(board, scenario)
            assignment = {tile: rng.choice(board.provenances(tile)) for tile in board.tiles}
            for constraint in [*constraints.on_melds(), *constraints.on_jokers()]:
                partial = {tile: assignment[tile] for tile in constraint.tiles if rng.random() < 0.8}
                if constraint.prunes is not None and constraint.prunes(partial):
                    assert any(constraint.violations(assignment)), f"{before} -> {after}"
                    pruned += 1
    assert pruned > 0
