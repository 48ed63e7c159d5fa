"""A verdict as text for people: its summary, its notes, and what its jokers stand for."""

from dataclasses import replace

import pytest

from tilekeeper.engine.judge.judge import judge
from tilekeeper.engine.judge.verdict import Outcome, Verdict
from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.engine.tiles.notation import parse_table

RULES = rule_set("large-numbers")


def verdict_on(before: str, after: str, opened: bool) -> Verdict:
    return judge(parse_table(before), parse_table(after), TurnContext(RULES, opened))


@pytest.mark.parametrize(
    ("before", "after", "opened", "line"),
    [
        ("R3 R4 R5", "R3 R4 R5 R6", True, "Allowed: 1 tile laid (R6)."),
        ("", "R10 J R12", False, "Allowed: 3 tiles laid (R10 R12 J) for 33 points, which opens the game."),
        ("", "R3", True, "Not allowed: 1 problem."),
        ("", "R3 | R5", True, "Not allowed: 2 problems."),
    ],
)
def test_summary_says_whether_the_turn_is_legal_and_what_was_laid(
    before: str, after: str, opened: bool, line: str
) -> None:
    """One line has both."""
    assert verdict_on(before, after, opened).summary == line


def test_each_joker_in_a_valid_meld_gets_a_sentence() -> None:
    """A sentence for each joker in a valid meld."""
    verdict = verdict_on("J", "R10 J R12 | J", True)
    assert verdict.stand_in_sentences == ("The joker in red 10, joker and red 12 stands for red 11.",)


def test_fault_before_the_turn_becomes_a_note() -> None:
    """A table without faults has no notes."""
    verdict = verdict_on("R1 R2 | B1 B2 B3", "R1 R2 | B1 B2 B3 B4", True)
    assert verdict.legal
    assert verdict.standing_notes == (
        (
            "Already wrong before the turn, so it does not count: red 1 and red 2: only 2 tiles, "
            "but a set needs at least 3."
        ),
    )
    assert verdict_on("B1 B2 B3", "B1 B2 B3 B4", True).standing_notes == ()


def test_unproved_verdict_says_so_in_one_sentence() -> None:
    """A proved one does not."""
    verdict = judge(parse_table("R3 R4 R5"), parse_table("R3 R4 R5 R6"), TurnContext(RULES, True))
    assert verdict.caveats == ()
    undecided = replace(verdict, proved=False)
    assert (undecided.outcome, undecided.legal, undecided.undecided) == (Outcome.UNDECIDED, False, True)
    assert undecided.caveats == (
        "There are too many ways to lay this. All sets are valid, but not every way was checked.",
    )
    assert replace(verdict, fewest_replaced=False).caveats == (
        "There are too many ways to lay this, so it may earn more stars.",
    )
    illegal = judge(parse_table("R3 R4 R5"), parse_table("R3 R4 R5 | K3"), TurnContext(RULES, True))
    assert replace(illegal, proved=False).outcome is Outcome.ILLEGAL
    assert replace(illegal, proved=False).caveats == ("There are too many ways to lay this, so maybe more is wrong.",)


def test_verdict_as_text_has_summary_faults_notes_and_jokers() -> None:
    """Legality, faults, faults from before, and the tiles of jokers; or a note that the check is incomplete."""
    verdict = verdict_on("R1 R2", "R1 R2 | R3 | R10 J R12", True)
    assert str(verdict) == (
        "Not allowed: 1 problem.\n"
        "- Red 3: only 1 tile, but a set needs at least 3.\n"
        "Already wrong before the turn, so it does not count: red 1 and red 2: only 2 tiles, "
        "but a set needs at least 3.\n"
        "The joker in red 10, joker and red 12 stands for red 11."
    )
    legal = verdict_on("R3 R4 R5", "R3 R4 R5 R6", True)
    assert str(legal) == "Allowed: 1 tile laid (R6)."
    assert str(replace(legal, proved=False)).startswith(
        "I can't decide this turn: please check together.\nThere are too many ways"
    )


def test_tiles_of_a_violation_come_from_its_table() -> None:
    """They are those of the table into which the violation points."""
    verdict = verdict_on("R3 R4 R5 R6", "R3 R4 R5 | K3", True)
    assert [(str(fault.code), *map(str, verdict.tiles_of(fault))) for fault in verdict.violations] == [
        ("meld-too-short", "K3"),
        ("tile-taken", "R6"),
    ]
