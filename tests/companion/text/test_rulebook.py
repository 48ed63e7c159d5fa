"""The rules for players: the judge agrees with each example, and the sentences follow from the rules."""

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
def test_judge_agrees_with_each_example_turn(edition: str, example: Example) -> None:
    before, after = example.tables
    verdict = judge(before, after, TurnContext(RULE_SETS[edition], opened=example.opened))
    assert verdict.proved
    assert verdict.legal is example.legal, verdict
    assert not verdict.standing


def test_each_printed_example_is_a_golden_turn() -> None:
    """Golden turns have the section of the rulebook; a single set is printed in words."""
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
def test_each_edition_has_chapters_with_quotes(edition: str) -> None:
    written = chapters(RULE_SETS[edition])
    assert len({chapter.title for chapter in written}) == 7
    for chapter in written:
        assert chapter.sentences
        assert all(re.fullmatch(r"[A-Z1“].*[.!]", sentence) for sentence in chapter.sentences)
    assert sum(len(chapter.quotes) for chapter in written) >= 5
    assert {True, False} == {example.legal for chapter in written for example in chapter.examples}


def test_house_rule_changes_the_sentences_of_its_chapter() -> None:
    rules = with_house_rules(RULE_SETS["large-numbers"], ["opening.minimum_points=50", "melds.wraps=yes"])
    sentences = " ".join(sentence for chapter in chapters(rules) for sentence in chapter.sentences)
    assert "at least 50 points" in sentences
    assert "1 may come after 13" in sentences
    assert "30 points" not in sentences
    quoted = " ".join(quote.text for chapter in chapters(rules) for quote in chapter.quotes)
    assert "mindestens 30 Punkte" not in quoted


def test_edition_without_examples_has_chapters(monkeypatch):
    """A new edition has chapters before examples are chosen for them."""
    monkeypatch.setattr(rulebook, "EXAMPLES", {})
    found = chapters(RULE_SETS["travel"])
    assert found
    assert all(chapter.sentences and not chapter.examples for chapter in found)
