"""Single moves: whether they lead to a table, and with how few replaced jokers; an oracle checks many more turns."""

import random
from collections.abc import Iterator

import pytest

from tests.support.oracle_pairs import KINDS, pair
from tests.support.single_moves import TooManyMoves, fewest_replacements
from tilekeeper.engine.judge.judge import judge
from tilekeeper.engine.provenance import single_moves
from tilekeeper.engine.provenance.board import Board
from tilekeeper.engine.provenance.budget import Budget, BudgetExceeded
from tilekeeper.engine.provenance.changes import find_changes
from tilekeeper.engine.provenance.single_moves import (
    Replacements,
    are_decisive,
    fewest_replaced,
    is_in_order,
    turn_budget,
)
from tilekeeper.engine.rules.editions import RULE_SETS, rule_set
from tilekeeper.engine.rules.house_rules import with_house_rules
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.engine.tiles.notation import parse_table

JUNIOR = rule_set("junior")


def board(before: str, after: str, rules: RuleSet = JUNIOR) -> Board:
    """The board of a turn."""
    return Board(find_changes(parse_table(before), parse_table(after), rules), rules)


def test_single_moves_are_searched_in_junior_only() -> None:
    """Only in `junior`; not if a freed joker must go to a new set, which single moves do not cover."""
    assert [name for name, rules in RULE_SETS.items() if are_decisive(rules)] == ["junior"]
    assert not are_decisive(with_house_rules(JUNIOR, ["joker.freed=new-set"]))


@pytest.mark.parametrize(
    ("before", "after", "replaced"),
    [
        ("J K7 K8 | B5 B6 B7", "K7 K8 K9 | B5 B6 B7 J", 0),
        ("J K3 J", "K3 K4 J J", 1),
        ("R4 J R6", "R4 R5 R6", 1),
        ("R4 J R6", "R4 R6 R5", None),
        ("R4 R5 R6 J", "R4 R5 R6 | J B2 B3", None),
        ("R1 R2 R3 J | R5 R6 R7", "R1 R2 R3 J R5 R6 R7 R8", 0),
        ("J Y2 Y3 Y4 Y5 J", "R3 J R5 | R4 J J R7 | Y2 Y3 Y4 Y5 J", 0),
        ("J J K5 K6 K7", "K1 K2 J J | K5 K6 K7", 0),
        ("K3 K4 J J | B2 B3 B4 B5 B6 B7", "K3 K4 J K6 | B2 B3 B4 B5 B6 B7 B8 J B10", 0),
        ("R2 R3 J R5 | R7 R8 R9", "R2 R3 R4 | J R5 R6 | R7 R8 R9", None),
        ("R1 R2 R3 R4 | B5 J B7", "R1 R2 R3 | B5 B6 B7 | R4 R5 R6", None),
    ],
)
def test_sequence_of_moves_is_found_with_the_fewest_replaced_jokers(
    before: str, after: str, replaced: int | None
) -> None:
    """Whether a sequence of moves exists, and how many jokers it replaces."""
    changed = board(before, after)
    if is_in_order(changed):
        assert fewest_replaced(changed, Budget()) == (None if replaced is None else Replacements(replaced, proved=True))
    else:
        assert replaced is None


def test_search_beyond_its_budget_reports_no_violation() -> None:
    """If it does not suffice, no violation is reported."""
    with pytest.raises(BudgetExceeded):
        fewest_replaced(board("J K3 J", "K3 K4 J J"), Budget(3))


def test_turn_that_lays_nearly_the_whole_box_is_decided_in_few_moves() -> None:
    """Moves that a way does not need are not made: their number does not grow with the tiles of the rack."""
    after = (
        "B8 B9 B10 | Y1 Y2 Y3 Y4 | K1 K2 K3 K4 | R1 R2 R3 R4 | K5 K6 K7 | R8 R9 R10 | K8 K9 K10 | B5 B6 B7 J | "
        "Y5 Y6 Y7 J | R5 R6 R7 J | Y8 Y9 Y10 | B1 B2 B3 B4 J"
    )
    turn = board("Y1 Y2 Y3 J | R1 R2 R3", after)
    assert fewest_replaced(turn, Budget(2_000)) == Replacements(0, proved=True)


def test_count_is_not_proved_if_the_budget_ends_before_the_search_for_fewer_replaced_jokers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The turn is legal, but another sequence of moves may replace fewer jokers."""
    monkeypatch.setattr(single_moves, "_HASTY_BUDGET", 0)
    monkeypatch.setattr(single_moves, "_FEWEST_BUDGET", 0)
    assert fewest_replaced(board("J K3 J", "K3 K4 J J"), Budget()) == Replacements(1, proved=False)


def test_joker_in_the_place_of_a_tile_near_the_end_of_the_numbers_must_be_replaced() -> None:
    """No run fits beside yellow 2, so the joker can't be taken out of its place."""
    others = "B2 B3 B4 J B6 B7 B8 | R1 R2 R3 R4 R5 R6 J R8 R9"
    before = f"Y1 J Y3 J Y5 Y6 Y7 | {others}"
    after = f"Y1 Y2 Y3 J Y5 Y6 Y7 | K3 K4 K5 K6 J K8 | {others}"
    assert fewest_replaced(board(before, after), Budget(2_000)) == Replacements(1, proved=True)


def test_new_run_needs_a_joker_of_the_rack_if_tiles_stay_between_it_and_another_run() -> None:
    """No joker can leave between blue 6 and 9, because blue 7 stays beside blue 6; so one joker must be replaced."""
    before = "Y1 Y2 J Y4 Y5 J | R2 R3 J J R6 R7 R8 R9 | K3 K4 K5 K6 K7 K8 | B3 B4 B5 B6 B7"
    after = "Y1 Y2 J Y4 Y5 J | B3 B4 B5 B6 B7 | K2 K3 K4 K5 K6 K7 K8 K9 | R2 R3 R4 J R6 R7 R8 R9 R10 | J B9 B10"
    assert fewest_replaced(board(before, after), Budget(2_000)) == Replacements(1, proved=True)


def test_new_run_needs_jokers_of_the_rack_if_the_box_has_too_few_to_reach_another_run() -> None:
    """Five jokers would lie between red 3 and red 9; so red 9 needs two of the rack, and two must be replaced."""
    before = "K7 K8 K9 K10 | B4 B5 B6 B7 B8 B9 | K1 K2 K3 K4 J | Y2 Y3 Y4 J | R4 R5 R6 R7 J"
    after = "K1 K2 K3 K4 | Y2 Y3 Y4 | R3 R4 R5 R6 R7 | B4 B5 B6 B7 B8 B9 B10 | K6 K7 K8 K9 K10 | Y7 Y8 J | J R9 J"
    assert fewest_replaced(board(before, after), Budget(20_000)) == Replacements(2, proved=True)


@pytest.mark.parametrize(
    ("before", "after", "legal"),
    [
        ("R4 B4 J", "R4 B4 K4 | R7 J R9", True),
        ("R4 B4 K4 J | R1 R2 R3", "R4 B4 K4 | J R1 R2 R3 | R1 R2 R3", False),
        ("R4 B4 K4 J | R2 R3 R4", "R4 B4 K4 | R2 R3 R4 J R6", True),
        ("R4 B4 K4 J | R2 R3 R4", "R4 B4 K4 Y4 | R2 R3 R4 J", True),
    ],
)
def test_groups_are_extended_by_house_rule(before: str, after: str, legal: bool) -> None:
    """House rules can allow groups and two copies; tiles are added to groups in the same way."""
    rules = with_house_rules(JUNIOR, ["melds.largest_group=4", "stock.copies=2"])
    assert judge(parse_table(before), parse_table(after), TurnContext(rules, True)).legal is legal


def test_limit_of_jokers_restricts_the_moves() -> None:
    """With one joker a set, a joker can't rest at a run that has one."""
    rules = with_house_rules(JUNIOR, ["joker.most_in_set=1"])
    before, after = "R2 R3 J R5 R6 R7 | B1 B2 B3", "R2 R3 R4 | R5 R6 R7 J | B1 B2 B3"
    assert not judge(parse_table(before), parse_table(after), TurnContext(rules, True)).legal


def searched_boards(kind: str, count: int) -> Iterator[tuple[Board, int | None]]:
    """Yield turns with the whole box, each with the fewest replacements that an oracle without shortcuts finds."""
    rng = random.Random(kind)
    while count:
        before, after = pair(rng, kind, JUNIOR)
        changed = Board(find_changes(before, after, JUNIOR), JUNIOR)
        if changed.changes.placed and changed.set_jokers and not changed.was_misread and is_in_order(changed):
            try:
                replaced = fewest_replacements(before, after, JUNIOR, most=3_000)
            except TooManyMoves:
                continue
            yield changed, replaced
            count -= 1


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_fewest_replaced_jokers_agree_with_an_oracle_on_the_whole_box(kind: str) -> None:
    """Four jokers and all numbers: the same turns are legal, with as few replaced jokers, and none is undecided."""
    for changed, replaced in searched_boards(kind, 12):
        found = fewest_replaced(changed, turn_budget(JUNIOR))
        wanted = None if replaced is None else Replacements(replaced, proved=True)
        assert found == wanted, f"{changed.changes.before} -> {changed.changes.after}: {found}, not {replaced}"
