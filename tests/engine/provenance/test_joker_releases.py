"""Joker releases: the plausible outcomes, and that no legal scenario is left out."""

import random

import pytest

from tests.engine.judge.test_judge_oracle import RULES
from tests.support.small_turns import shuffle_and_mirror, small_turn
from tilekeeper.engine.provenance.board import Board
from tilekeeper.engine.provenance.budget import Budget, BudgetExceeded
from tilekeeper.engine.provenance.changes import find_changes
from tilekeeper.engine.provenance.joker_fates import Release
from tilekeeper.engine.provenance.joker_releases import (
    JokerOutcome,
    Scenario,
    _is_plausible,
    all_scenarios,
    plausible_scenarios,
)
from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.engine.rules.house_rules import with_house_rules
from tilekeeper.engine.tiles.notation import parse_table


def board(before: str, after: str, edition: str, *house: str) -> Board:
    rules = with_house_rules(rule_set(edition), house)
    return Board(find_changes(parse_table(before), parse_table(after), rules), rules)


def text_of(scenario: Scenario) -> str:
    """The outcome of each joker, in the order of their places: `replaced R5 to 1`, `stayed 0`, `taken_out gone`."""
    return ", ".join(
        f"{one.release.name.lower()}{'' if one.replaced_by is None else f' {one.replaced_by}'} "
        f"{'gone' if one.meld is None else one.meld}"
        for one in sorted(scenario.outcomes, key=lambda one: one.origin)
    )


@pytest.mark.parametrize(
    ("edition", "before", "after", "scenarios"),
    [
        # A freed joker in a set from the rack alone.
        ("finnish", "R4 J R6", "R4 R5 R6 | J K8 K9", ["replaced R5 1"]),
        ("finnish", "R4 J R6 | K8 B8 O8 R8", "R4 R5 R6 | J K8 K9 | B8 O8 R8", []),
        ("finnish", "R4 J R6", "R4 R5 R6 | J K8", []),
        # With at least two tiles of the rack; a joker of the rack is one.
        ("cards", "R4 J R6", "R4 R5 R6 | J K8 K9", ["replaced R5 1"]),
        ("cards", "R4 J R6", "R4 R5 R6 | J K8 K9 K10", ["replaced R5 1"]),
        ("cards", "R4 J R6 | K8 B8 O8 R8", "R4 R5 R6 | J K8 K9 | B8 O8 R8", []),
        ("cards", "R4 J R6", "R4 R5 R6 | J J K8", ["replaced R5 1", "replaced R5 1"]),
        ("cards", "R4 J R6 | K8 B8 Y8 R8", "R4 R5 R6 | J J K8 | B8 Y8 R8", []),
        (
            "cards joker.rack_tiles=0",
            "R4 J R6 | K8 B8 Y8 R8 | K9 K10 K11 K12",
            "R4 R5 R6 | J K8 K9 | B8 Y8 R8 | K10 K11 K12",
            ["replaced R5 1"],
        ),
        # A locked set stays whole around a joker that stays.
        ("finnish", "R4 J R6 R7", "R4 J R6 R7 R8", ["stayed 0"]),
        ("finnish", "R4 J R6 R7", "R4 J R6 | R7 R8 R9", ["stayed 0"]),
        ("cards", "R4 J R6 R7", "R4 J R6 | R7 R8 R9", ["stayed 0", "shifted 0"]),
        ("cards", "R4 J R6 R7", "J R6 R7 | K3 J R3", ["shifted 0", "stayed 0"]),
        ("cards", "R3 R4 J", "J R3 R4", ["shifted 0"]),
        ("cards", "R3 R4 J", "J R6 R7", ["stayed 0"]),
        ("cards manipulation.staying_together=3", "R3 R4 J", "J R3 R4", ["shifted 0"]),
        ("cards manipulation.regrouping=extend-only", "R4 J R6 R7", "R4 J R6 R7 R8", ["stayed 0"]),
        ("junior", "R1 R2 R3 J R5 R6", "R1 R2 R3 J | R5 R6 R7", ["taken_out 0", "stayed 0"]),
        # A moved joker needs enough tiles of an old set beside it to be a set, jokers included.
        ("junior", "R1 R2 R3 J | K1 K2 K3", "R1 R2 R3 | K1 K2 K3 J", ["taken_out 1"]),
        (
            "junior",
            "R1 R2 R3 J | K1 J K3",
            "R1 R2 R3 | K1 J K3 J",
            ["taken_out 1, taken_out 1", "taken_out 1, taken_out 1", "taken_out 1, stayed 1"],
        ),
        ("junior", "R1 R2 R3 J", "R1 R2 R3 | J K5 K6", []),
        # A joker that is gone was replaced, and may go to the rack, or anything is allowed.
        ("junior", "R4 J R6", "R4 R5 R6", ["replaced R5 gone"]),
        ("junior", "R4 J R6 R7", "R6 R7 R8", []),
        ("junior manipulation.take_back=yes", "R4 R5 R6 J", "R4 R5 R6", []),
        ("finnish", "R4 J R6", "R4 R5 R6", []),
        ("finnish manipulation.take_back=yes", "R4 J R6", "R4 R5 R6", ["replaced R5 gone"]),
        # Without a rule on how it leaves: with its own tiles, or in a set.
        ("large-numbers", "R4 J R6", "R4 R5 R6 | J K8 K9", ["unrestricted 1"]),
        ("large-numbers", "R4 J R6", "R4 J", ["unrestricted 0"]),
        ("large-numbers", "R4 J R6", "R4 R5 R6 | J K8", []),
        # The replacing tile comes from the rack, as often as the rack gave it, or from a changed meld.
        ("finnish", "R4 J R6", "R4 R5 R6 | R5 K5 B5 | J K8 K9", ["replaced R5 2"]),
        (
            "finnish",
            "R4 J R6 | R3 R4 J",
            "R4 R5 R6 | R3 R4 R5 | J K8 K9 | J B8 B9",
            ["replaced R5 2, replaced R5 3", "replaced R5 3, replaced R5 2"],
        ),
        ("finnish", "R4 J R6 | R3 R4 J | R5 B5 O5 K5", "R4 R5 R6 | R3 R4 R5 | B5 O5 K5 | J K8 K9 | J B8 B9", []),
        (
            "finnish joker.replaced_from=anywhere",
            "R4 J R6 | R5 R6 R7 R8",
            "R4 R5 R6 | R6 R7 R8 | J K8 K9",
            ["replaced R5 2"],
        ),
        ("finnish joker.replaced_from=anywhere", "R4 J R6 | R5 B5 O5", "R4 R6 | R5 B5 O5 | J K8 K9", []),
        ("finnish joker.replaced_from=anywhere", "R4 J R6 | R5 R6 R7 R8", "R4 R6 | R6 R7 R8 | J K8 K9", []),
    ],
)
def test_plausible_scenarios(edition: str, before: str, after: str, scenarios: list[str]) -> None:
    """No outcome breaks a rule by itself, whatever the provenance of tiles."""
    name, *house = edition.split()
    found = [text_of(scenario) for scenario in plausible_scenarios(board(before, after, name, *house), Budget())]
    assert sorted(found) == sorted(scenarios)


@pytest.mark.parametrize("name", [name for name in RULES if name != "junior with two of each"])
def test_all_plausible_scenarios_are_listed_once(name: str) -> None:
    """Exactly the scenarios with plausible outcomes are listed, fewest replaced jokers first, each once."""
    rules, rng, compared = RULES[name], random.Random(name), 0
    while compared < 25:
        before, after = small_turn(rng, rules)
        board = Board(find_changes(before, shuffle_and_mirror(rng, after), rules), rules)
        if not board.set_jokers or board.was_misread:
            continue
        permitted = [
            scenario
            for scenario in all_scenarios(board, lambda outcome: outcome.release.value, Budget())
            if not scenario.forbidden
        ]
        wanted = [scenario for scenario in permitted if all(_is_plausible(one, board) for one in scenario.outcomes)]
        found = list(plausible_scenarios(board, Budget()))
        assert len(found) == len(set(found))
        assert {in_order(scenario) for scenario in found} == {in_order(scenario) for scenario in wanted}, (
            f"{before} -> {after}"
        )
        if not board.loose_jokers:
            assert [scenario.replaced for scenario in found] == sorted(scenario.replaced for scenario in found)
        compared += 1


def in_order(scenario: Scenario) -> tuple[tuple[JokerOutcome, ...], tuple[int, ...]]:
    """A scenario, whatever the order of its outcomes."""
    return tuple(sorted(scenario.outcomes, key=lambda one: one.origin)), scenario.rack_jokers


def test_loose_joker_is_missing_only_without_another_explanation() -> None:
    """A loose joker may be the missing one only if nothing else explains it."""
    scenarios = list(plausible_scenarios(board("R4 J R6 | J K7", "R4 J R6 R7 | K7 K8 K9", "finnish"), Budget()))
    assert [text_of(scenario) for scenario in scenarios] == ["stayed 0"]
    scenarios = list(plausible_scenarios(board("R4 J R6 | J K7", "R4 R5 R6 | J K7 K8", "junior"), Budget()))
    assert [text_of(scenario) for scenario in scenarios] == ["replaced R5 gone", "replaced R5 1"]


def test_joker_of_an_invalid_row_has_no_outcome() -> None:
    """It takes a place, since jokers are alike, but no rule asks how it left its row."""
    scenarios = list(
        all_scenarios(board("R4 J R6 | J K7", "R4 R5 R6 J | K7 J K9", "finnish"), lambda outcome: 0, Budget())
    )
    assert {len(scenario.outcomes) for scenario in scenarios} == {1}
    assert {scenario.outcomes[0].meld for scenario in scenarios} == {0, 1}


def test_outcomes_with_fewest_faults_come_first() -> None:
    """Illegal scenarios are listed too, sorted by the faults of their outcomes."""
    changed = board("R4 J R6", "R4 R5 R6 J", "cards")
    by_value = [
        text_of(scenario) for scenario in all_scenarios(changed, lambda outcome: outcome.release.value, Budget())
    ]
    assert by_value == ["shifted 0", "replaced R5 0", "forbidden 0"]
    assert [
        text_of(scenario) for scenario in all_scenarios(changed, lambda outcome: -outcome.release.value, Budget())
    ] == by_value[::-1]
    assert [
        scenario.forbidden for scenario in all_scenarios(changed, lambda outcome: outcome.release.value, Budget())
    ] == [
        0,
        0,
        1,
    ]
    assert list(all_scenarios(board("R4 R5 R6", "R4 R5 R6 J", "cards"), lambda outcome: 0, Budget())) == [Scenario()]


def test_jokers_of_the_rack_are_tried_in_every_meld() -> None:
    """Every choice of melds that can hold them, each once."""
    scenarios = list(plausible_scenarios(board("R4 J R6", "R4 R5 R6 J | J K8 K9", "cards"), Budget()))
    assert {(text_of(scenario), scenario.rack_jokers) for scenario in scenarios} == {
        ("replaced R5 1", (0,)),
        ("replaced R5 0", (1,)),
        ("shifted 0", (1,)),
    }
    scenarios = list(plausible_scenarios(board("R4 R5 R6", "R4 R5 R6 J | J K8 K9", "cards"), Budget()))
    assert scenarios == [Scenario()]


def test_scenarios_end_with_the_budget() -> None:
    """No more scenarios follow once the budget is exceeded."""
    changed = board("R4 J R6", "R4 R5 R6 | J K8 K9", "cards")
    with pytest.raises(BudgetExceeded):
        list(plausible_scenarios(changed, Budget(7)))
    assert Release.REPLACED in {
        one.release for scenario in plausible_scenarios(changed, Budget(100)) for one in scenario.outcomes
    }
