"""A turn in words for players."""

import pytest

from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.engine.rules.house_rules import with_house_rules
from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.engine.solver.explanation import explain
from tilekeeper.engine.tiles.notation import parse_table

RULES = rule_set("large-numbers")


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (
            "B4 B5 B6 | O8 R8 K8",
            "B3 B4 B5 B6 | O8 R8 K8 B8",
            "put blue 3 before blue 4 5 6; added blue 8 to the group of eights",
        ),
        (
            "B4 R4 K4 O4",
            "B3 B4 B5 B6 | R4 K4 O4",
            "took blue 4 from the group of fours and laid it with blue 3 5 6 as a new run",
        ),
        (
            "B8 B9 B10",
            "B9 B10 B11 | B8 K8 O8",
            "put blue 11 after blue 8 9 10; took blue 8 from blue 8 9 10 and laid it with black 8 "
            "and orange 8 as a new group",
        ),
        (
            "R4 R5 R6 R7 R8",
            "R4 R5 R6 | R6 R7 R8",
            "took red 7 8 from red 4 5 6 7 8 and laid them with red 6 as a new run",
        ),
        (
            "O1 O2 O3 O4 | R1 B1 K1 O1",
            "B1 O1 R1 | O2 O3 O4 | B1 K1 O1",
            "took orange 1 from orange 1 2 3 4 and black 1 from the group of ones and laid them "
            "with blue 1 as a new group",
        ),
        (
            "O5 O6 O7 | R5 R6 R7 | K5 K6 K7 K8 K9",
            "O5 R5 K5 B5 | O6 R6 K6 | O7 R7 K7 | K8 K9 K10",
            "took red 5 from red 5 6 7 and black 5 from black 5 6 7 8 9 and laid them with blue 5 "
            "beside orange 5 as a new "
            "group; took orange 6 from orange 5 6 7 and black 6 from black 5 6 7 8 9 and put them "
            "with red 6 to make a new "
            "group; took orange 7 from orange 5 6 7 and red 7 from red 5 6 7 and black 7 from black "
            "5 6 7 8 9 and laid them "
            "as a new group; put black 10 after black 5 6 7 8 9",
        ),
        ("R4 J R6", "R4 R5 R6 J", "put red 5 into red 4, joker and red 6"),
        (
            "K11 K12 J",
            "K11 K12 K13 | R5 R6 J",
            "replaced the joker beside black 11 12 by black 13; laid red 5 6 and joker as a new run",
        ),
        (
            "B8 O8 J | R5 R6 R7",
            "B8 O8 K8 | R5 R6 R7 J",
            "replaced the joker beside blue 8 and orange 8 by black 8; put joker after red 5 6 7",
        ),
        (
            "R3 J R5 | R4 B4 K4 O4",
            "R3 R4 R5 | B4 K4 O4 J",
            "replaced the joker beside red 3 5 by red 4 from the group of fours; added joker to the group of fours",
        ),
        ("R3 J R5", "R3 R4 R5", "replaced the joker beside red 3 5 by red 4; took the joker onto the rack"),
        ("R3 R4 R5 R6", "R3 R4 R5", "took red 6 from red 3 4 5 6 off the table"),
        ("", "K7 B7 O7", "laid black 7, blue 7 and orange 7 as a new group"),
        ("B6 B5 B4", "B7 B6 B5 B4 B3", "put blue 7 after blue 4 5 6; put blue 3 before blue 4 5 6"),
        ("", "K7 O8", "laid black 7 and orange 8 as a row"),
        ("R1 R2 R3", "R3 R2 R1", "nothing was moved"),
        ("R1 R2 R3 R4 | B1 B2", "B1 B2 R4 | R1 R2 R3", "took red 4 from red 1 2 3 4 and added it to blue 1 2"),
        (
            "K4 B4 O4 R4 | R1 R2 R3",
            "K4 B4 O4 | R1 R2 R3 R4 R5",
            "put red 5 after red 1 2 3; took red 4 from the group of fours and put it after red 1 2 3",
        ),
    ],
)
def test_turn_is_described_meld_by_meld(before: str, after: str, words: str) -> None:
    """The explanation with the fewest moved tiles, meld by meld."""
    tables = parse_table(before), parse_table(after)
    assert str(explain(*tables, TurnContext(RULES, opened=True))) == words


def test_group_of_a_number_without_a_word_is_named_in_figures() -> None:
    """Groups of numbers above 13 are named in figures."""
    rules = with_house_rules(RULES, ("stock.numbers=20",))
    tables = parse_table("K15 B15 O15"), parse_table("K15 B15 O15 R15")
    assert str(explain(*tables, TurnContext(rules, opened=True))) == "added red 15 to the group of 15s"


def test_each_step_is_a_sentence() -> None:
    """One sentence for each step; a turn without moves has none."""
    found = explain(parse_table("B4 B5 B6"), parse_table("B3 B4 B5 B6 | K1"), TurnContext(RULES, opened=True))
    assert found.sentences == ("Put blue 3 before blue 4 5 6.", "Laid black 1 as a row.")
    assert explain(parse_table("R1"), parse_table("R1"), TurnContext(RULES, opened=True)).sentences == ()
