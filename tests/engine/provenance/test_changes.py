"""The changes of a turn, and those of its rest after some sets were laid first."""

import random

import pytest

from tests.engine.judge.test_judge_oracle import RULES
from tests.support.small_turns import shuffle_and_mirror, small_turn
from tilekeeper.engine.judge.opening_free import list_rack_sets
from tilekeeper.engine.provenance.budget import Budget
from tilekeeper.engine.provenance.changes import find_changes, find_changes_after
from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.engine.tiles.notation import parse_table
from tilekeeper.engine.tiles.table import Table
from tilekeeper.engine.tiles.tile import JOKER


@pytest.mark.slow
@pytest.mark.parametrize("name", ["cards", "stays, any meld"])
def test_changes_after_some_sets_are_those_from_a_table_with_these_sets(name: str) -> None:
    """They are the same as if the sets had been on the table before the turn."""
    rules, rng, compared = RULES[name], random.Random(f"{name} laid"), 0
    while compared < 200:
        before, after = small_turn(rng, rules, most_melds=3)
        whole = find_changes(before, shuffle_and_mirror(rng, after), rules)
        for one in list_rack_sets(whole, rules, Budget(), whole.placed[JOKER])[:5]:
            remaining = find_changes_after(whole, (one.meld,), rules)
            assert remaining == find_changes(Table((*before.melds, one.meld)), whole.after, rules)
            compared += 1


def test_unchanged_meld_stays_unchanged() -> None:
    """Even if a laid set equals it, seen from the same side."""
    rules = rule_set("cards")
    whole = find_changes(parse_table("R11 R12 R13"), parse_table("R13 R12 R11 | R10 R11 R12 R13"), rules)
    remaining = find_changes_after(whole, parse_table("R13 R12 R11").melds, rules)
    assert (remaining.unchanged, remaining.changed_before, remaining.changed_after) == ({0: 0}, (1,), (1,))
