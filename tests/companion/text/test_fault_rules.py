"""The rules behind faults: each fault of each edition has its rule in words, and the rulebook's words or a reason."""

import pytest

from tilekeeper.companion.languages import translations_of
from tilekeeper.companion.text.fault_rules import broken_rules, explain_rules, fault_sentences
from tilekeeper.engine.language import use_language
from tilekeeper.engine.rules.editions import RULE_SETS
from tilekeeper.engine.rules.house_rules import with_house_rules
from tilekeeper.engine.rules.violations import Code


@pytest.mark.parametrize("edition", RULE_SETS)
def test_each_fault_has_rule_and_source_in_each_edition(edition: str) -> None:
    for code in Code:
        found = explain_rules(edition, broken_rules(RULE_SETS[edition], [code]))
        assert found, code
        assert all(one.rule.endswith(".") and one.source for one in found)


def test_rule_is_in_the_readers_language_and_the_source_in_the_rulebooks() -> None:
    broken = broken_rules(RULE_SETS["finnish"], [Code.MELD_TOO_SHORT, Code.JOKER_SET_LOCKED, Code.RUN_BROKEN])
    assert broken == ("melds.shortest=3", "joker.sets=locked")
    first, second = explain_rules("finnish", broken)
    assert first.rule == "How many tiles a run or a group has at least: 3."
    assert first.source == "Sarjat: »muodostuu kolmesta tai useammasta samanvärisestä laatasta«"
    assert second.source == "Jokeri: »ei saa jakaa eikä siitä saa poistaa laattoja«"
    with use_language(translations_of("de")):
        assert explain_rules("finnish", broken)[0].rule.startswith("Wie viele Steine")


def test_house_rule_has_no_sentence_of_the_rulebook() -> None:
    rules = with_house_rules(RULE_SETS["finnish"], ["opening.minimum_points=50", "joker.sets=like-others"])
    points, joker = explain_rules("finnish", broken_rules(rules, [Code.OPENING_TOO_LOW, Code.JOKER_SET_LOCKED]))[::2]
    assert "50" in points.rule
    assert points.source == "house rule; the edition has 31"
    assert "house rule" in joker.source


FAULT = {"code": "meld-too-short", "side": "after", "melds": [0], "tiles": [], "found": 2, "bound": 3}


def test_sentences_of_faults_are_made_in_the_readers_language() -> None:
    stored = {"before": "", "after": "B4 B5", "faults": [FAULT]}
    (english,) = fault_sentences(stored)
    with use_language(translations_of("fi")):
        (finnish,) = fault_sentences(stored)
    assert "2" in english
    assert english != finnish


@pytest.mark.parametrize(
    "wrong",
    [{}, {"after": "X99"}, {"faults": [FAULT | {"melds": [7]}]}, {"faults": [FAULT | {"code": "x"}]}, {"faults": 3}],
)
def test_faults_that_can_not_be_said_have_no_sentences(wrong: dict[str, object]) -> None:
    """A table can send anything; an earlier version sent none."""
    stored = {"before": "", "after": "B4 B5", "faults": [FAULT]} | wrong if wrong else {}
    assert fault_sentences(stored) == ()


@pytest.mark.parametrize(
    ("edition", "broken"),
    [("chess", ["melds.shortest=3"]), ("finnish", ["melds.shortest=x", "no.such=1", "", "melds.shortest"])],
)
def test_rules_that_no_edition_has_are_left_out(edition: str, broken: list[str]) -> None:
    """A table can send anything."""
    assert explain_rules(edition, broken) == ()
