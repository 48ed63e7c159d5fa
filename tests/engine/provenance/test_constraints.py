"""Rules about a way: what is said of some tiles holds for all, and a rule in parts is the same rule."""

import random
from itertools import islice

import pytest

from tests.engine.judge.test_judge_oracle import RULES
from tests.support.small_turns import mirrored, small_turn
from tilekeeper.engine.provenance.board import Board
from tilekeeper.engine.provenance.changes import find_changes
from tilekeeper.engine.provenance.constraints import WayRules
from tilekeeper.engine.provenance.joker_fates import all_lots

BOUND = ["finnish", "cards", "junior", "extend only, opening"]


@pytest.mark.parametrize("name", BOUND)
def test_what_is_said_of_some_tiles_holds_for_all(name: str) -> None:
    """A rule that is doomed is broken however the other tiles went, and the parts of a rule break where it does."""
    rules, rng, doomed = RULES[name], random.Random(f"{name} doomed"), 0
    for _ in range(40):
        before, after = small_turn(rng, rules)
        board = Board(find_changes(before, mirrored(rng, after), rules), rules)
        if board.was_misread:
            continue
        lots = list(islice(all_lots(board, lambda destiny: 0), 40))
        for lot in rng.sample(lots, min(3, len(lots))):
            way = WayRules(board, lot)
            way_taken = {tile: rng.choice(board.paths(tile)) for tile in board.tiles}
            whole, parts = list(way.about_jokers()), list(way.about_jokers_in_parts())
            assert any(any(rule.broken(way_taken)) for rule in whole) == any(
                any(rule.broken(way_taken)) for rule in parts
            )
            for rule in [*way.about_melds(True), *way.about_melds(False), *parts]:
                known = {tile: way_taken[tile] for tile in rule.tiles if rng.random() < 0.8}
                if rule.doomed is not None and rule.doomed(known):
                    assert any(rule.broken(way_taken)), f"{before} -> {after}"
                    doomed += 1
    assert doomed > 0
