"""Rule sets: every field has a witness, a turn that is judged otherwise when that field alone is another."""

from dataclasses import replace

import pytest

from tilekeeper.engine.editions import DEFAULT_EDITION, RULE_SETS, UnknownEdition, rule_set
from tilekeeper.engine.judge import TurnContext, judge
from tilekeeper.engine.notation import parse_table
from tilekeeper.engine.rules import RuleSet
from tilekeeper.engine.rules_policies import FreedJoker
from tilekeeper.engine.tile import JOKER, Colour, Tile

RULES = rule_set("large-numbers")
WITH_YELLOW = (Colour.BLACK, Colour.BLUE, Colour.YELLOW, Colour.RED)

# part, field, another value, before, after, opened, what is found by the edition and what with the other value
WITNESSES = [
    ("stock", "inks", WITH_YELLOW, "", "K7 B7 O7", True, "", "unknown-tile"),
    ("stock", "numbers", 12, "", "R11 R12 R13", True, "", "unknown-tile"),
    ("stock", "copies", 1, "", "K7 B7 O7 | K7 B7 R7", True, "", "too-many-copies too-many-copies"),
    ("stock", "jokers", 1, "", "R3 J R5 | J K7 B7", True, "", "too-many-copies"),
    ("melds", "shortest", 4, "", "R3 R4 R5", True, "", "meld-too-short"),
    ("melds", "largest_group", 3, "", "K7 B7 O7 R7", True, "", "group-too-long"),
    ("opening", "minimum_points", 31, "", "K10 B10 O10", False, "", "opening-too-low"),
    ("opening", "joker_points", 9, "", "K10 B10 J", False, "", "opening-too-low"),
    (
        "joker",
        "freed",
        FreedJoker.ANY_MELD,
        "R4 J R6 | K7 K8 K9",
        "R4 R5 R6 | K7 K8 K9 J",
        True,
        "joker-not-reused",
        "",
    ),
    ("turn", "least_tiles", 2, "R3 R4 R5", "R3 R4 R5 R6", True, "", "nothing-placed"),
]


def codes(rules: RuleSet, before: str, after: str, opened: bool) -> list[str]:
    verdict = judge(parse_table(before), parse_table(after), TurnContext(rules, opened))
    return [violation.code.value for violation in verdict.violations]


@pytest.mark.parametrize(
    ("part", "field", "other", "before", "after", "opened", "found", "found_with_other"),
    WITNESSES,
    ids=[f"{part}.{field}" for part, field, *_ in WITNESSES],
)
def test_witness(
    part: str, field: str, other: object, before: str, after: str, opened: bool, found: str, found_with_other: str
) -> None:
    """The verdict turns on the field."""
    changed = replace(RULES, **{part: replace(getattr(RULES, part), **{field: other})})
    assert codes(RULES, before, after, opened) == found.split()
    assert codes(changed, before, after, opened) == found_with_other.split()


def test_every_witness_is_of_a_field() -> None:
    """The witnesses name fields that there are, each once."""
    every = [name for name, _, _, _ in RULES.fields()]
    assert {f"{part}.{field}" for part, field, *_ in WITNESSES} <= set(every)
    assert len(WITNESSES) == len({witness[:2] for witness in WITNESSES})


def test_the_box_of_large_numbers() -> None:
    """The box holds 106 tiles: 104 and two jokers."""
    stock = RULES.stock
    assert stock.size == 106
    assert [ink.word for ink in stock.inks] == ["black", "blue", "orange", "red"]
    assert [stock.copies_of(Tile(Colour.RED, number)) for number in (0, 1, 13, 14)] == [0, 2, 2, 0]
    assert (stock.copies_of(JOKER), stock.copies_of(Tile(Colour.YELLOW, 3))) == (2, 0)


def test_editions_by_name() -> None:
    """Every edition is found by the name that it bears, and nobody can change the list."""
    assert DEFAULT_EDITION in RULE_SETS
    assert {name: rule_set(name).name for name in RULE_SETS} == {name: name for name in RULE_SETS}
    with pytest.raises(TypeError):
        RULE_SETS["mine"] = RULES  # type: ignore[index]


def test_an_unknown_edition() -> None:
    """The message names those that there are."""
    with pytest.raises(UnknownEdition, match=r"^there is no edition 'klingon'; there is .*large-numbers") as caught:
        rule_set("klingon")
    assert caught.value.name == "klingon"
