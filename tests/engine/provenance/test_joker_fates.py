"""The joker fates of each edition."""

import pytest

from tilekeeper.engine.provenance.joker_fates import fates, needs_new_set
from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.engine.tiles.notation import parse_meld


@pytest.mark.parametrize(
    ("edition", "meld", "expected"),
    [
        ("large-numbers", "R3 R4 J", {"UNRESTRICTED": ""}),
        ("travel", "K7 B7 J", {"UNRESTRICTED": ""}),
        ("finnish", "R3 R4 J", {"STAYED": "R5", "REPLACED": "R5"}),
        ("finnish", "K7 B7 J", {"STAYED": "O7 R7", "REPLACED": "O7 R7"}),
        ("junior", "R3 R4 J", {"STAYED": "R5", "TAKEN_OUT": "", "REPLACED": "R5"}),
        ("cards", "R3 R4 J", {"STAYED": "R5", "SHIFTED": "", "REPLACED": "R5"}),
        ("cards", "K7 B7 J", {"STAYED": "K7 B7 R7 Y7", "SHIFTED": "", "REPLACED": "K7 B7 R7 Y7"}),
    ],
)
def test_fates_of_a_joker_follow_the_edition(edition: str, meld: str, expected: dict[str, str]) -> None:
    """In `cards` the other tiles of a group may be exchanged one after another, so every colour is possible."""
    found = fates(parse_meld(meld), 2, rule_set(edition))
    assert {way.name: " ".join(map(str, sorted(tiles))) for way, tiles in found.items()} == expected


def test_replaced_joker_needs_a_new_set_in_finnish_and_cards() -> None:
    assert [
        name for name in ("large-numbers", "finnish", "travel", "junior", "cards") if needs_new_set(rule_set(name))
    ] == [
        "finnish",
        "cards",
    ]
