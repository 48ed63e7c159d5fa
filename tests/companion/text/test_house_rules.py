"""The house rules as questions: one for each rule of every edition, in groups."""

from tilekeeper.companion.text.house_rules import GROUPS, QUESTIONS
from tilekeeper.engine.rules.editions import RULE_SETS


def test_every_rule_of_every_edition_has_one_question() -> None:
    assert {field.name for rules in RULE_SETS.values() for field in rules.fields()} == QUESTIONS.keys()
    assert len(QUESTIONS) == sum(len(group.questions) for group in GROUPS)


def test_questions_end_like_questions_and_differ() -> None:
    questions = [question.asks for _, question in QUESTIONS.values()]
    assert len(set(questions)) == len(questions)
    assert [words for words in questions if not words.endswith("?")] == []
