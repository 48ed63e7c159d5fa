"""Manipulation of the table: two searches that agree, and verdicts at the end of their budget."""

import dataclasses
import random
from collections import Counter

import pytest

from tests.benchmarks.engine.hard_turns import turns
from tests.engine.judge.test_judge_oracle import RULES
from tests.support.small_turns import shuffle_and_mirror, small_turn
from tilekeeper.engine.judge import manipulation
from tilekeeper.engine.judge.judge import judge
from tilekeeper.engine.judge.manipulation import ManipulationResult, find_legal_provenance, judge_manipulation
from tilekeeper.engine.provenance.board import Board
from tilekeeper.engine.provenance.budget import Budget, BudgetExceeded
from tilekeeper.engine.provenance.changes import find_changes
from tilekeeper.engine.provenance.constraints import ScenarioConstraints
from tilekeeper.engine.provenance.joker_fates import Release
from tilekeeper.engine.provenance.joker_releases import JokerOutcome, Scenario
from tilekeeper.engine.rules.editions import RULE_SETS, rule_set
from tilekeeper.engine.rules.house_rules import with_house_rules
from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.engine.rules.violations import Code, Side, Violation
from tilekeeper.engine.tiles.notation import parse_table
from tilekeeper.engine.tiles.table import Place


@pytest.mark.parametrize("name", RULES)
def test_legal_search_and_fewest_violations_agree(name: str) -> None:
    """A turn without a legal provenance has violations, and both searches count replaced jokers alike."""
    rules, rng = RULES[name], random.Random(name)
    counts: Counter[bool] = Counter()
    for _ in range(150):
        before, after = small_turn(rng, rules)
        changes = find_changes(before, shuffle_and_mirror(rng, after), rules)
        legal, result = find_legal_provenance(changes, rules, Budget()), judge_manipulation(changes, rules, Budget())
        assert result.proved
        assert (legal is None) == bool(result.violations), f"{before} -> {after}"
        assert legal is None or legal == result
        counts[legal is None] += 1
    assert min(counts[True], counts[False]) > 0


@pytest.mark.parametrize("name", ["finnish", "junior", "cards"])
def test_turns_on_full_tables_are_proved(name: str) -> None:
    """Nearly all, even if every meld changed and every tile can be either of two copies."""
    rules = rule_set(name)
    for kind in ("regrouped", "swapped", "jokers change"):
        opened_turns = [(before, after) for before, after, opened in turns(kind, 6, 3, rules) if opened]
        proved = [judge_manipulation(find_changes(*turn, rules), rules, Budget()).proved for turn in opened_turns]
        assert sum(proved) >= 5


@pytest.mark.parametrize("name", RULE_SETS)
def test_unproved_violations_are_not_reported(name: str) -> None:
    """Invalid melds are reported all the same."""
    rules = rule_set(name)
    before, after = parse_table("R4 J R6 | K7 K8 K9"), parse_table("R4 R5 R6 | K7 K8 K9 J")
    changes = find_changes(before, after, rules)
    if name == "junior":
        before, after = parse_table("R4 J R6 | K7 K8 K9"), parse_table("R4 R5 R6 | K6 K7 K8 | K9 J")
        changes = find_changes(before, after, rules)
    assert judge_manipulation(changes, rules, Budget()).violations
    assert judge_manipulation(changes, rules, Budget(0)) == ManipulationResult(proved=False)
    with pytest.raises(BudgetExceeded):
        find_legal_provenance(changes, rules, Budget(0))


def test_turn_with_40000_ways_of_jokers_is_decided() -> None:
    """House rules allow eight jokers."""
    rules = with_house_rules(rule_set("large-numbers"), ["stock.jokers=8"])
    before = parse_table(" | ".join(f"{ink}1 J {ink}3 {ink}4 J {ink}6" for ink in "KBOR"))
    after = parse_table(
        " | ".join([*(f"{ink}1 {ink}2 {ink}3 {ink}4 {ink}5 {ink}6" for ink in "KBOR"), "J", "J J J J J J J"])
    )
    verdict = judge(before, after, TurnContext(rules, opened=True))
    assert verdict.proved
    codes = {violation.code for violation in verdict.violations}
    assert codes == {Code.MELD_TOO_SHORT, Code.NOT_A_MELD, Code.JOKER_NOT_REUSED}
    unopened = judge(before, after, TurnContext(rules, opened=False))
    assert unopened.proved
    assert Code.JOKER_BEFORE_OPENING in {violation.code for violation in unopened.violations}
    fewer = with_house_rules(rule_set("large-numbers"), ["stock.jokers=4"])
    assert judge(
        parse_table("K1 J K3 K4 J K6"), parse_table("K1 K2 K3 K4 K5 K6 | J | J"), TurnContext(fewer, True)
    ).proved


def test_eight_misplaced_jokers_are_reported_within_the_budget() -> None:
    """The proof is quick, and only the first of 40,000 scenarios are searched."""
    rules = with_house_rules(rule_set("junior"), ["stock.jokers=8"])
    before = parse_table(" | ".join(f"{ink}1 J {ink}3 {ink}4 J {ink}6" for ink in "RBYK"))
    after = parse_table(
        " | ".join([*(f"{ink}1 {ink}2 {ink}3 {ink}4 {ink}5 {ink}6" for ink in "RBYK"), "J J J J J J J J"])
    )
    result = judge_manipulation(find_changes(before, after, rules), rules, Budget())
    assert result.proved
    assert [violation.code for violation in result.violations] == [Code.JOKER_NOT_REUSED] * 8
    assert result.replaced == 8
    many = with_house_rules(rule_set("junior"), ["stock.jokers=8", "melds.largest_group=4", "stock.copies=4"])
    groups = parse_table(" | ".join(f"R{number} B{number} J" for number in range(1, 9)))
    full = parse_table(
        " | ".join([*(f"R{number} B{number} Y{number} K{number}" for number in range(1, 9)), "J J J J J J J J"])
    )
    result = judge_manipulation(find_changes(groups, full, many), many, Budget())
    assert result.proved
    assert {violation.code for violation in result.violations} <= {Code.JOKER_NOT_REUSED, Code.JOKER_NOT_FROM_RACK}


def test_verdict_depends_on_steps_and_not_on_time() -> None:
    """Work is counted in steps of the budget, also where it runs out."""
    rules = rule_set("cards")
    for before, after, opened in turns("joined", 4, 0, rules):
        context = TurnContext(rules, opened)
        assert judge(before, after, context) == judge(before, after, context)


def test_replaced_jokers_are_not_counted_if_the_edition_does_not_limit_them() -> None:
    """If jokers may leave their sets in any way, none is reported as replaced or as on the rack."""
    rules = rule_set("large-numbers")
    for after in ("R4 R5 R6 | J K8 K9", "R4 R5 R6"):
        result = judge_manipulation(find_changes(parse_table("R4 J R6"), parse_table(after), rules), rules, Budget())
        assert (result.replaced, result.to_rack, result.proved) == (0, 0, True)
    junior = rule_set("junior")
    result = judge_manipulation(find_changes(parse_table("R4 J R6"), parse_table("R4 R5 R6"), junior), junior, Budget())
    assert (result.violations, result.replaced, result.to_rack, result.proved) == ((), 1, 1, True)


def test_misread_table_gets_no_violation_of_manipulation() -> None:
    """It has more copies or jokers than the box."""
    rules = dataclasses.replace(rule_set("cards"), name="mine")
    for before, after in (
        ("R4 J R6 J R8 J", "R4 R5 R6 R7 R8 R9 | J J J"),
        ("R4 R5 R6 | R4 R5 R7", "R4 | R4 | R4 R5 R6"),
    ):
        changes = find_changes(parse_table(before), parse_table(after), rules)
        assert judge_manipulation(changes, rules, Budget()) == ManipulationResult()


@pytest.mark.parametrize(
    ("edition", "before", "goals", "pruned"),
    [
        ("finnish", "R4 R5 R6 J", {"R4": 0}, False),
        ("finnish", "R4 R5 R6 J", {"R4": 0, "R5": 1}, True),
        ("finnish", "R4 R5 R6", {"R4": 0, "R5": 1}, None),
        ("junior", "R4 R5 R6", {"R4": 0, "R6": 0}, False),
        ("junior", "R4 R5 R6", {"R4": 0, "R6": 1}, True),
    ],
)
def test_partial_assignment_that_breaks_a_rule_is_pruned(
    edition: str, before: str, goals: dict[str, int], pruned: bool | None
) -> None:
    """A set without a limiting rule has no constraint."""
    rules = rule_set(edition)
    table = parse_table(before)
    after = parse_table("R4 R5 R6 R7 R8 | R4 R5 R6 B7" if edition == "junior" else "R4 R5 R6 R7 J | R4 R5 R6 R7 R8")
    board = Board(find_changes(table, after, rules), rules)
    jokers = [JokerOutcome(Place(0, 3), Place(0, 4), Release.STAYED)] if "J" in before else []
    constraints = ScenarioConstraints(board, Scenario(tuple(jokers)))
    found = list(constraints.on_melds())
    assignment = {parse_table(tile).melds[0][0]: ((0, goal),) for tile, goal in goals.items()}
    assert [each.prunes(assignment) for each in found if each.prunes] == ([] if pruned is None else [pruned])


def test_turn_without_a_sequence_of_moves_is_illegal_if_the_constraints_name_no_violation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The jokers of the changed melds are named."""
    monkeypatch.setattr(manipulation, "_fewest_violations", lambda *_: ManipulationResult())
    before, after = parse_table("R2 R3 J R5 | R7 R8 R9"), parse_table("R2 R3 R4 | J R5 R6 | R7 R8 R9")
    rules = rule_set("junior")
    found = judge_manipulation(find_changes(before, after, rules), rules, Budget())
    place = (Place(0, 2),)
    assert found.violations == (Violation.from_tiles(Code.JOKER_NOT_FROM_RACK, Side.BEFORE, place, bound=3),)
    assert found.proved
