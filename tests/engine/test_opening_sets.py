"""Sets of an opening: all that the rack's tiles can make are listed, but for those that never lay there."""

import random

import pytest

from tests.engine.judge_oracle import count_ways, has_legal_way, openings, same_set
from tests.engine.small_turns import small_turn
from tests.engine.test_judge_oracle import RULES
from tilekeeper.engine.changes import find_changes
from tilekeeper.engine.editions import rule_set
from tilekeeper.engine.notation import parse_table
from tilekeeper.engine.opening_sets import likely_sets
from tilekeeper.engine.steps import OutOfSteps, Steps
from tilekeeper.engine.table import Table

CARDS = rule_set("cards")


def test_a_long_run_has_all_its_parts() -> None:
    """Each stretch of three and more of thirteen tiles, with what lies together first."""
    after = parse_table("R1 R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12 R13")
    found = likely_sets(find_changes(Table(), after, CARDS), CARDS, Steps())
    assert len(found) == sum(range(1, 12))
    assert {one.apart for one in found} == {0}
    assert found[0].meld == after.melds[0]
    assert found[0].points == 91
    with pytest.raises(OutOfSteps):
        likely_sets(find_changes(Table(), after, CARDS), CARDS, Steps(100))


def test_sets_that_lie_apart_come_last_and_some_not_at_all() -> None:
    """Too little together to be what must stay of a set, and too little apart for all of it to have been used."""
    before, after = parse_table("K10 K11 K12"), parse_table("K10 R10 B10 | K11 R11 B11 | K12 R12 B12 | B13 B9 Y9 K9")
    found = likely_sets(find_changes(before, after, CARDS), CARDS, Steps())
    rows = {" ".join(map(str, one.meld)): one.apart for one in found}
    assert rows["R10 R11 R12"] == 2
    assert rows["B9 B10 B11 B12"] == 3
    assert "B9 B10 B11 B12 B13" not in rows
    assert list(rows.values()) == sorted(rows.values())


@pytest.mark.parametrize("name", ["cards", "stays, any meld", "extend only, opening"])
def test_every_set_of_a_possible_opening_is_listed(name: str) -> None:
    """Where an oracle that tries all openings has a way to open with some sets, all of them are among those listed."""
    rules, rng, tried = RULES[name], random.Random(name), 0
    while tried < 25:
        before, after = small_turn(rng, rules, most_melds=2)
        if count_ways(before, after) > 60:
            continue
        changes = find_changes(before, after, rules)
        listed = {same_set(one.meld, rules) for one in likely_sets(changes, rules, Steps())}
        for sets in openings(changes.placed, rules):
            if has_legal_way(Table((*before.melds, *sets)), after, rules):
                assert {same_set(row, rules) for row in sets} <= listed, f"{before} -> {after}"
                tried += 1
