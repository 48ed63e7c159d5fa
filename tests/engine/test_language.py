"""Translation into the current language, at once or when a stored sentence is read."""

from __future__ import annotations

import contextvars
import copy
import pickle
from gettext import NullTranslations

import pytest

from tilekeeper.engine.language import (
    ENGLISH,
    LazyText,
    as_sentence,
    gettext,
    gettext_noop,
    lazy_gettext,
    ngettext,
    ngettext_noop,
    pgettext,
    set_language,
    translate,
    use_language,
)

GERMAN = {
    "{name} begins": "{name} fängt an",
    "{count} tile": "{count} Stein",
    "{count} tiles": "{count} Steine",
    "light\x04on": "an",
    "nobody begins": "niemand fängt an",
}


class German(NullTranslations):
    """A catalogue of four sentences."""

    def gettext(self, message: str) -> str:
        return GERMAN.get(message, message)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return GERMAN[msgid1 if n == 1 else msgid2]

    def pgettext(self, context: str, message: str) -> str:
        return GERMAN[f"{context}\x04{message}"]


def test_language_in_a_with_block_translates_all_messages_until_its_end() -> None:
    """Plain messages, plural forms and messages with a context; English before and after."""
    assert gettext("{name} begins", name="Ada") == "Ada begins"
    with use_language(German()):
        assert gettext("{name} begins", name="Ada") == "Ada fängt an"
        assert [ngettext("{count} tile", "{count} tiles", count) for count in (1, 2)] == ["1 Stein", "2 Steine"]
        assert pgettext("light", "on") == "an"
        with use_language(ENGLISH):
            assert pgettext("light", "on") == "on"
    assert ngettext("{count} tile", "{count} tiles", 2) == "2 tiles"


def test_error_in_a_with_block_restores_english() -> None:
    """The language of the block ends with it."""
    with pytest.raises(ZeroDivisionError), use_language(German()):
        _ = 1 / 0
    assert gettext("nobody begins") == "nobody begins"


def test_language_that_is_set_holds_in_its_own_context_only() -> None:
    """Another thread or task keeps its language."""

    def message() -> str:
        set_language(German())
        return gettext("nobody begins")

    assert contextvars.copy_context().run(message) == "niemand fängt an"
    assert gettext("nobody begins") == "nobody begins"


def test_marked_sentences_are_returned_unchanged() -> None:
    """The marks only serve the program that collects sentences for translators."""
    assert gettext_noop("{count} tile") == "{count} tile"
    assert ngettext_noop("{count} tile", "{count} tiles") == ("{count} tile", "{count} tiles")


def test_stored_sentence_is_translated_when_it_is_read() -> None:
    """As a string it is English. An error among its values becomes its message. Other texts stay unchanged."""
    stored = lazy_gettext("{name} begins", name=ValueError("Ada"))
    assert isinstance(stored, LazyText)
    assert f"{stored}" == str(stored) == stored == "Ada begins"
    with use_language(German()):
        assert translate(stored) == "Ada fängt an"
        assert translate(lazy_gettext("nobody begins")) == "niemand fängt an"
        assert translate("nobody begins") == "nobody begins"
    assert str(copy.copy(stored)) == str(pickle.loads(pickle.dumps(stored))) == "Ada begins"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("nobody begins", "Nobody begins."),
        ("nobody begins!", "Nobody begins!"),
        ("/etc/hosts is no table", "/etc/hosts is no table."),
        ("", "."),
    ],
)
def test_text_becomes_a_sentence_with_capital_and_full_stop(text: str, sentence: str) -> None:
    """A file name keeps its spelling, and no second full stop is added."""
    assert as_sentence(text) == sentence


def test_stored_text_becomes_a_sentence_of_the_current_language() -> None:
    """The text is translated before it gets its capital letter."""
    with use_language(German()):
        assert as_sentence(lazy_gettext("{name} begins", name="ada")) == "Ada fängt an."
