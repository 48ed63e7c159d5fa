"""Stored sentences are translated for each reader, and malicious ones are not formatted."""

import json

import pytest

from tilekeeper.companion.languages import translations_of
from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.text.kept import LONGEST, is_translatable, to_stored, translate_stored
from tilekeeper.engine.language import STORED, gettext, lazy_gettext, use_language


def test_stored_sentence_is_translated_for_each_reader() -> None:
    """It was made in English by another thread, with a value in it, and stored as plain text."""
    stored = to_stored(lazy_gettext("This is table {name}.", name="7"))
    assert translate_stored(stored) == "This is table 7."
    with use_language(translations_of("de")):
        assert translate_stored(stored) == "Das ist Tisch 7."


def test_value_that_is_a_sentence_is_translated_too() -> None:
    """Such as the kind of a bye in a sentence about it."""
    stored = to_stored(lazy_gettext("Line {number}: {why}", number=3, why=lazy_gettext("There is no such player.")))
    with use_language(translations_of("de")):
        assert translate_stored(stored) == f"Zeile 3: {gettext('There is no such player.')}"
        assert "There is" not in translate_stored(stored)


def test_refusal_with_the_stored_language_can_be_translated_later() -> None:
    """The error's sentence was made by `gettext`, like any other."""

    def refuse() -> None:
        raise Refused(gettext("This is table {name}.", name="7"))

    with use_language(STORED), pytest.raises(Refused) as why:
        refuse()
    with use_language(translations_of("fi")):
        assert translate_stored(to_stored(str(why.value))) == "Tämä on pöytä 7."


def test_plain_texts_are_stored_unchanged() -> None:
    """Plain words, and text that is too long to be stored with its values."""
    assert translate_stored(to_stored("Plain words.")) == "Plain words."
    long = lazy_gettext("This is table {name}.", name="x" * LONGEST)
    assert to_stored(long) == str(long)[:LONGEST]


@pytest.mark.parametrize(
    "content",
    [
        {"message": "{a:>9999999999}", "values": {"a": "x"}},
        {"message": "This is table {name}.", "values": {}},
        {"message": "This is table {name}.", "values": {"name": ["x"]}},
        {"message": "This is table {name}.", "values": {"name": {"message": "{a:>9999999999}", "values": {"a": "x"}}}},
        {"message": ["x"], "values": {}},
        {"message": "This is table {name}."},
        {"message": "This is table {name}.", "values": 1},
    ],
)
def test_invalid_stored_text_is_shown_unchanged(content: object) -> None:
    """Braces in a foreign message could ask for gigabytes, so only the app's own sentences are formatted."""
    text = json.dumps(content, separators=(",", ":"))
    assert not is_translatable(text)
    assert translate_stored(text) == text
