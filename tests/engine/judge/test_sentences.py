"""Sentences for people: each code has one, with the fault and the missing numbers."""

import pytest

from tilekeeper.engine.judge.judge import judge
from tilekeeper.engine.judge.verdict import Verdict
from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.engine.rules.house_rules import with_house_rules
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.engine.rules.violations import Code
from tilekeeper.engine.tiles.notation import parse_table

RULES = rule_set("large-numbers")

# before, after, opened, the sentences
SENTENCES = [
    ("", "K3 B3 Y3 | R14 R13 R12", True, ["The box has no yellow 3 or red 14, but one was read."]),
    ("R14", "K1 K2 K3", True, ["The box has no red 14, but one was read before the turn."]),
    (
        "R7 | R7 | R7",
        "R7 | R7 | K1 K2 K3",
        True,
        ["Red 7 was read 3 times before the turn, but the box has only 2: the table was misread."],
    ),
    (
        "R7 | R7",
        "R7 | R7 | R7 R8 R9",
        True,
        ["Red 7 is on the table 3 times, but the box has only 2: the table was misread."],
    ),
    ("", "R3", True, ["Red 3: only 1 tile, but a set needs at least 3."]),
    ("", "R3 R4", True, ["Red 3 and red 4: only 2 tiles, but a set needs at least 3."]),
    (
        "",
        "R5 R3 R4",
        True,
        [
            "Red 5, red 3 and red 4: not a run, because red 5 and red 3 do not follow each other.",
        ],
    ),
    (
        "",
        "R12 R13 R1",
        True,
        [
            "Red 12, red 13 and red 1: a run goes up to 13; it never goes on from 13 to 1.",
        ],
    ),
    (
        "",
        "K7 K7 B7 O7 R7",
        True,
        [
            "Black 7, black 7, blue 7, orange 7 and red 7: black is in this group more than once.",
            "Black 7, black 7, blue 7, orange 7 and red 7: 5 tiles, but a group has at most 4.",
        ],
    ),
    (
        "",
        "K7 K7 B7 B7",
        True,
        ["Black 7, black 7, blue 7 and blue 7: black and blue are in this group more than once."],
    ),
    ("", "K7 B8 J", True, ["Black 7, blue 8 and joker: neither a run of one colour nor a group of one number."]),
    (
        "K7 B7 O7 R7 | R1 R2 R3",
        "K7 B7 O7 | R1 R2 R3",
        True,
        [
            "Red 7 was on the table before the turn and is missing now.",
            "No tile came from the rack. If you lay none, leave the table as it was and draw one.",
        ],
    ),
    (
        "K7 B7 O7",
        "R1 R2 R3",
        True,
        ["Black 7, blue 7 and orange 7 were on the table before the turn and are missing now."],
    ),
    (
        "R3 R4 R5",
        "R3 R4 R5 | K7 B7 O7",
        False,
        [
            (
                "The opening needs at least 30 points in new sets from the rack alone. These count 21 "
                "points: 9 are missing."
            ),
        ],
    ),
    (
        "R3 R4 R5",
        "R3 R4 R5 R6 | K10 B10 O10",
        False,
        [
            (
                "Before you have opened you may not change the table. These sets use tiles from it: red 3, red 4, red "
                "5 and red 6."
            )
        ],
    ),
    (
        "K1 B1 O1",
        "K10 B10 O10",
        False,
        [
            "Black 1, blue 1 and orange 1 were on the table before the turn and are missing now.",
            ("Before you have opened you may not change the table. This is missing: black 1, blue 1 and orange 1."),
        ],
    ),
    (
        "R4 J R6",
        "R4 R5 R6 J | K10 B10 O10",
        False,
        [
            (
                "Before you have opened you may not change the table. These sets use tiles from it: red 4, red 5, red "
                "6 and joker."
            ),
            ("Before you have opened you may not replace or move a joker on the table: red 4, red 5, red 6 and joker."),
        ],
    ),
    (
        "R4 J R6 | K7 K8 K9",
        "R4 R5 R6 | K7 K8 K9 J",
        True,
        [
            (
                "A joker you free must go into a new set in the same turn. Here this is not the case: black 7, "
                "black 8, black 9 and joker."
            )
        ],
    ),
    (
        "R4 J R6",
        "R4 R5 R6",
        True,
        [
            "Joker was on the table before the turn and is missing now.",
            ("A joker you free must go into a new set in the same turn. It is missing from red 4, joker and red 6."),
        ],
    ),
]


# edition, house rules, before, after, opened, the sentences
SENTENCES_ELSEWHERE = [
    (
        "junior",
        (),
        "",
        "R5 B5 K5",
        True,
        ["Red 5, blue 5 and black 5: this box plays runs only, no groups of one number."],
    ),
    (
        "large-numbers",
        ("melds.wraps=yes",),
        "",
        " ".join(f"R{n % 13 + 1}" for n in range(14)),
        True,
        [
            (
                "Red 1, red 2, red 3, red 4, red 5, red 6, red 7, red 8, red 9, red 10, red 11, red "
                "12, red 13 and red 1: 14 tiles, but a run has at most 13."
            )
        ],
    ),
    ("finnish", (), "", "R4 J J R7", True, ["Red 4, joker, joker and red 7: 2 jokers, but a set has at most 1."]),
    (
        "junior",
        (),
        "R1 R2 R3 R4",
        "R1 R2 R3 | R4 R5 R6",
        True,
        [("You may add to a set on the table but not take it apart, as happened here: red 1, red 2, red 3 and red 4.")],
    ),
    (
        "cards",
        ("manipulation.staying_together=3",),
        "R3 R4 R5 R6",
        "R3 R4 J R6 | R5 B5 K5",
        True,
        [
            (
                "If you take part of a set, at least 3 tiles of it must stay together in a valid set. "
                "Here only 2 stayed together: red 3, red 4, red 5 and red 6."
            )
        ],
    ),
    (
        "finnish",
        (),
        "R4 J R6 R7 R8 R9",
        "R4 J R6 | R7 R8 R9 R10",
        True,
        [
            (
                "You may not split a set with a joker, and you may take only a replaced joker out of "
                "it: red 4, joker, red 6, red 7, red 8 and red 9."
            )
        ],
    ),
    (
        "large-numbers",
        ("opening.needs_empty_table=yes",),
        "R1 R2 R3",
        "R1 R2 R3 | K10 B10 O10",
        False,
        ["You may open only on an empty table. These sets are already there: red 1, red 2 and red 3."],
    ),
    (
        "finnish",
        (),
        "R4 J R6 | R5 R6 R7 R8",
        "R4 R5 R6 | R6 R7 R8 | J K8 K9",
        True,
        [
            (
                "A joker may leave its set only if a tile from the rack takes its place. Here this is not the case: "
                "red 4, joker and red 6."
            )
        ],
    ),
    (
        "cards",
        (),
        "R4 J R6 | K8 B8 Y8 R8",
        "R4 R5 R6 | J K8 K9 | B8 Y8 R8",
        True,
        [
            (
                "A joker you free needs at least 2 tiles from the rack in its new set. There is 1 in "
                "joker, black 8 and black 9."
            )
        ],
    ),
]


def verdict_on(before: str, after: str, opened: bool, rules: RuleSet = RULES) -> Verdict:
    return judge(parse_table(before), parse_table(after), TurnContext(rules, opened))


@pytest.mark.parametrize(("before", "after", "opened", "sentences"), SENTENCES)
def test_each_violation_becomes_a_sentence(before: str, after: str, opened: bool, sentences: list[str]) -> None:
    """A sentence for each violation, in the order of the verdict."""
    verdict = verdict_on(before, after, opened)
    assert list(verdict.sentences) == sentences


@pytest.mark.parametrize(("edition", "house", "before", "after", "opened", "sentences"), SENTENCES_ELSEWHERE)
def test_violations_of_other_editions_and_house_rules_become_sentences(
    edition: str, house: tuple[str, ...], before: str, after: str, opened: bool, sentences: list[str]
) -> None:
    """Some violations exist only in other editions or by house rules."""
    verdict = verdict_on(before, after, opened, with_house_rules(rule_set(edition), house))
    assert list(verdict.sentences) == sentences


def test_each_code_has_a_tested_sentence() -> None:
    """The sentences above leave no code out."""
    verdicts = [verdict_on(before, after, opened) for before, after, opened, _ in SENTENCES]
    verdicts += [
        verdict_on(before, after, opened, with_house_rules(rule_set(edition), house))
        for edition, house, before, after, opened, _ in SENTENCES_ELSEWHERE
    ]
    assert {violation.code for verdict in verdicts for violation in verdict.violations} == set(Code)
