"""What a turn changed, also after a part of it: sets of the rack that were laid first."""

import random

import pytest

from tests.engine.judge.test_judge_oracle import RULES
from tests.support.small_turns import shuffle_and_mirror, small_turn
from tilekeeper.engine.judge.opening_sets import likely_sets
from tilekeeper.engine.provenance.budget import Budget
from tilekeeper.engine.provenance.changes import find_changes, find_changes_after
from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.engine.tiles.notation import parse_table
from tilekeeper.engine.tiles.table import Table


@pytest.mark.slow
@pytest.mark.parametrize("name", ["cards", "stays, any meld"])
def test_what_is_left_of_a_turn(name: str) -> None:
    """The same as if the sets had lain there when the turn began."""
    rules, rng, compared = RULES[name], random.Random(f"{name} laid"), 0
    while compared < 200:
        before, after = small_turn(rng, rules, most_melds=3)
        whole = find_changes(before, shuffle_and_mirror(rng, after), rules)
        for one in likely_sets(whole, rules, Budget())[:5]:
            left = find_changes_after(whole, (one.meld,), rules)
            assert left == find_changes(Table((*before.melds, one.meld)), whole.after, rules)
            compared += 1


def test_a_meld_that_lies_as_it_lay_stays_so() -> None:
    """Although a set that is laid lies as it does, too, and from the same side."""
    rules = rule_set("cards")
    whole = find_changes(parse_table("R11 R12 R13"), parse_table("R13 R12 R11 | R10 R11 R12 R13"), rules)
    left = find_changes_after(whole, parse_table("R13 R12 R11").melds, rules)
    assert (left.unchanged, left.changed_before, left.changed_after) == ({0: 0}, (1,), (1,))
