"""The opening with use of the table in the same turn: the choices of sets, tried one by one."""

import random
from collections import Counter
from itertools import combinations_with_replacement

import pytest

from tests.engine.judge.test_judge_oracle import RULES
from tests.support.judge_oracle import count_identities, has_legal_identity, openings, same_set, value
from tests.support.small_turns import small_turn
from tilekeeper.engine.judge.manipulation import find_legal_provenance, jokers_have_a_way
from tilekeeper.engine.judge.opening_free import RackSet, choose_sets, judge_free_opening, list_rack_sets
from tilekeeper.engine.provenance.budget import Budget, BudgetExceeded
from tilekeeper.engine.provenance.changes import Changes, find_changes, find_changes_after
from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.engine.rules.house_rules import with_house_rules
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.tiles.notation import parse_table
from tilekeeper.engine.tiles.table import Table
from tilekeeper.engine.tiles.tile import JOKER

CARDS = rule_set("cards")


def rack_sets(changes: Changes, rules: RuleSet) -> list[RackSet]:
    """Return all sets of the rack, with any number of its jokers."""
    return list_rack_sets(changes, rules, Budget(), changes.placed[JOKER])


def needed(changes: Changes, rules: RuleSet) -> list[tuple[RackSet, ...]]:
    """Return every choice of possible sets that the rack holds, that reaches the points and needs each set."""
    bound, found = rules.opening.minimum_points, []
    sets = rack_sets(changes, rules)
    for size in range(1, 4 if rules.opening.several_sets else 2):
        for chosen in combinations_with_replacement(sets, size):
            points = sum(one.points for one in chosen)
            tiles = sum((one.tiles for one in chosen[1:]), chosen[0].tiles.copy())
            if tiles <= changes.placed and points - min(one.points for one in chosen) < bound <= points:
                found.append(chosen)
    return found


@pytest.mark.parametrize("house", ["", "opening.several_sets=no"])
@pytest.mark.parametrize("name", ["cards", "stays, any meld", "extend only, opening"])
def test_each_choice_of_sets_is_tried_once(name: str, house: str) -> None:
    """No choice has an unneeded set, and those without jokers come first."""
    rules, rng, tried = with_house_rules(RULES[name], house.split()), random.Random(name), 0
    while tried < 3:
        before, after = small_turn(rng, rules, most_melds=2)
        changes = find_changes(before, after, rules)
        if not 2 <= len(rack_sets(changes, rules)) <= 12:
            continue
        found = [choice for choice in choose_sets(changes, rules, lambda _: True, Budget()) if len(choice) <= 3]
        assert sorted(map(str, found)) == sorted(map(str, needed(changes, rules)))
        jokers = [max(one.tiles[JOKER] for one in choice) for choice in found]
        assert jokers == sorted(jokers)
        tried += bool(found)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["cards", "stays, any meld", "extend only, opening"])
def test_sets_of_each_possible_opening_are_listed(name: str) -> None:
    """An oracle tries all openings."""
    rules, rng, tried = RULES[name], random.Random(name), 0
    while tried < 25:
        before, after = small_turn(rng, rules, most_melds=2)
        if count_identities(before, after) > 60:
            continue
        changes = find_changes(before, after, rules)
        listed = {same_set(one.meld, rules) for one in rack_sets(changes, rules)}
        for sets in openings(changes.placed, rules):
            if has_legal_identity(Table((*before.melds, *sets)), after, rules, 100_000):
                assert {same_set(row, rules) for row in sets} <= listed, f"{before} -> {after}"
                tried += 1


@pytest.mark.parametrize("name", ["cards", "stays, any meld", "extend only, opening"])
def test_listed_sets_are_valid_and_have_the_right_points(name: str) -> None:
    """Each set once, from tiles of the rack, sorted by separated tiles."""
    rules, rng, count = RULES[name], random.Random(f"{name} worth"), 0
    while count < 15:
        changes = find_changes(*small_turn(rng, rules, most_melds=2), rules)
        found = rack_sets(changes, rules)
        for one in found:
            assert one.tiles == Counter(one.meld)
            assert one.fits(changes.placed)
            assert one.points == value(one.meld, rules)
            assert 0 <= one.apart < len(one.meld)
        assert len({one.meld for one in found}) == len(found)
        assert [one.apart for one in found] == sorted(one.apart for one in found)
        count += bool(found)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["cards", "stays, any meld"])
def test_set_whose_joker_has_no_way_is_in_no_legal_opening(name: str) -> None:
    """Such sets are left out of every choice."""
    rules, rng = RULES[name], random.Random(f"{name} ways")
    counts: Counter[tuple[bool, bool]] = Counter()
    while counts[True, True] < 20 or counts[False, False] < 20:
        before, after = small_turn(rng, rules, most_melds=2)
        changes = find_changes(before, after, rules)
        if not 2 <= len(rack_sets(changes, rules)) <= 12:
            continue
        for choice in needed(changes, rules):
            if not any(one.tiles[JOKER] for one in choice):
                continue
            ways = all(
                jokers_have_a_way(find_changes_after(changes, (one.meld,), rules), rules, Budget()) for one in choice
            )
            laid = find_changes_after(changes, tuple(one.meld for one in choice), rules)
            legal = find_legal_provenance(laid, rules, Budget(200_000)) is not None
            assert ways or not legal, f"{before} -> {after}: {[str(one.meld) for one in choice]}"
            counts[ways, legal] += 1


def test_opening_with_exactly_the_required_points_is_legal() -> None:
    """Whether its sets are still together or regrouped."""
    for before, after in (
        ("R1 R2 R3", "K10 B10 Y10 R10 | R1 R2 R3 R4"),
        ("R11 R12 R13", "K10 B10 Y10 | R10 R11 R12 R13"),
    ):
        result = judge_free_opening(find_changes(parse_table(before), parse_table(after), CARDS), CARDS, Budget())
        assert (result.points, result.violations, result.proved) == (40, (), True)


def test_manipulation_after_the_opening_is_judged() -> None:
    """Once the opening is laid, further changes of the table are judged by the usual rules."""
    changes = find_changes(parse_table("R4 R5 R6 J"), parse_table("K10 B10 Y10 R10 | R4 R5 R6 | J B6 B7"), CARDS)
    result = judge_free_opening(changes, CARDS, Budget())
    assert result.points == 40
    assert [str(violation.code) for violation in result.violations] == ["joker-not-from-rack"]


def test_opening_beyond_the_budget_has_no_violation() -> None:
    """At once, or after a part of the search."""
    changes = find_changes(parse_table("R11 R12 R13"), parse_table("K10 B10 Y10 | R10 R11 R12 R13"), CARDS)
    for steps in (0, 20, 40):
        result = judge_free_opening(changes, CARDS, Budget(steps))
        assert (result.points, result.violations, result.proved) == (30, (), False)
    with pytest.raises(BudgetExceeded):
        list(choose_sets(changes, CARDS, lambda _: True, Budget(30)))


def test_joker_that_can_not_have_left_its_set_does_not_count() -> None:
    """With it the opening would have 52 points, but nothing replaced it in its run."""
    changes = find_changes(parse_table("R11 R12 R13"), parse_table("K9 B9 Y9 | J R11 R12 R13"), CARDS)
    result = judge_free_opening(changes, CARDS, Budget())
    assert (result.points, result.proved) == (27, True)
    assert "opening-too-low" in [str(violation.code) for violation in result.violations]


def test_jokers_have_a_way_without_search_if_single_moves_decide() -> None:
    """Without a step of a search."""
    rules = rule_set("junior")
    changes = find_changes(parse_table("R3 J R5"), parse_table("R3 R4 R5 J"), rules)
    assert jokers_have_a_way(changes, rules, Budget(0))
