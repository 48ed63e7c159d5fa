"""The rules for people: every turn that is drawn is what the judge says of it, and what is said follows the rules."""

import re
from pathlib import Path

import pytest

from tilekeeper.companion.text import rulebook
from tilekeeper.companion.text.rulebook import chapters
from tilekeeper.companion.text.rulebook_examples import EXAMPLES, Example
from tilekeeper.engine.judge.judge import judge
from tilekeeper.engine.rules.editions import RULE_SETS
from tilekeeper.engine.rules.house_rules import with_house_rules
from tilekeeper.engine.rules.turn_context import TurnContext

GOLDEN = Path(__file__).parents[2] / "engine" / "judge" / "golden"
ALL = [
    pytest.param(edition, example, id=f"{edition}: {example.before} -> {example.after}")
    for edition, parts in EXAMPLES.items()
    for examples in parts.values()
    for example in examples
]


@pytest.mark.parametrize(("edition", "example"), ALL)
def test_each_turn_is_legal_or_not_as_it_is_drawn(edition: str, example: Example) -> None:
    before, after = example.tables
    verdict = judge(before, after, TurnContext(RULE_SETS[edition], opened=example.opened))
    assert verdict.proved
    assert verdict.legal is example.legal, verdict
    assert not verdict.standing


def test_each_printed_turn_is_among_the_golden_ones() -> None:
    """Those say in which section the rulebook prints it; a set by itself is printed in words."""
    golden = "\n".join(path.read_text("utf-8") for path in GOLDEN.glob("*.txt"))
    printed = [
        (edition, example)
        for edition, parts in EXAMPLES.items()
        for examples in parts.values()
        for example in examples
        if example.printed and example.before
    ]
    assert len(printed) == 2 * 10 + 6 + 2 + 2
    for edition, example in printed:
        assert f"rules: {edition}\nbefore: {example.before}\nafter: {example.after}\n" in golden


@pytest.mark.parametrize("edition", RULE_SETS)
def test_every_edition_has_its_chapters_with_the_rulebooks_own_words(edition: str) -> None:
    written = chapters(RULE_SETS[edition])
    assert len({chapter.title for chapter in written}) == 7
    for chapter in written:
        assert chapter.sentences
        assert all(re.fullmatch(r"[A-Z1“].*[.!]", sentence) for sentence in chapter.sentences)
    assert sum(len(chapter.quotes) for chapter in written) >= 5
    assert {True, False} == {example.legal for chapter in written for example in chapter.examples}


def test_house_rules_change_what_is_said() -> None:
    rules = with_house_rules(RULE_SETS["large-numbers"], ["opening.minimum_points=50", "melds.wraps=yes"])
    said = " ".join(sentence for chapter in chapters(rules) for sentence in chapter.sentences)
    assert "at least 50 points" in said
    assert "1 may come after 13" in said
    assert "30 points" not in said
    quoted = " ".join(quote.text for chapter in chapters(rules) for quote in chapter.quotes)
    assert "mindestens 30 Punkte" not in quoted


def test_an_edition_of_which_no_turn_is_drawn_has_its_chapters_all_the_same(monkeypatch):
    """A new edition's rules are said before anybody has chosen examples for them."""
    monkeypatch.setattr(rulebook, "EXAMPLES", {})
    found = chapters(RULE_SETS["travel"])
    assert found
    assert all(chapter.sentences and not chapter.examples for chapter in found)
