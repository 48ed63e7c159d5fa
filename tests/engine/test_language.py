"""Sentences are made in the language that is spoken, at once or when somebody reads them."""

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
    speak,
    speaking,
    spoken,
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


def test_what_is_spoken_holds_for_a_while() -> None:
    """Sentences, numbers and what means another thing elsewhere; English before and after."""
    assert gettext("{name} begins", name="Ada") == "Ada begins"
    with speaking(German()):
        assert gettext("{name} begins", name="Ada") == "Ada fängt an"
        assert [ngettext("{count} tile", "{count} tiles", count) for count in (1, 2)] == ["1 Stein", "2 Steine"]
        assert pgettext("light", "on") == "an"
        with speaking(ENGLISH):
            assert pgettext("light", "on") == "on"
    assert ngettext("{count} tile", "{count} tiles", 2) == "2 tiles"


def test_speaking_ends_with_an_error() -> None:
    """The language is English again, whatever happened."""
    with pytest.raises(ZeroDivisionError), speaking(German()):
        _ = 1 / 0
    assert gettext("nobody begins") == "nobody begins"


def test_a_language_for_all_that_follows() -> None:
    """In one context, and in no other."""

    def said() -> str:
        speak(German())
        return gettext("nobody begins")

    assert contextvars.copy_context().run(said) == "niemand fängt an"
    assert gettext("nobody begins") == "nobody begins"


def test_marks_leave_sentences_as_they_are() -> None:
    """Only the search for sentences looks for them."""
    assert gettext_noop("{count} tile") == "{count} tile"
    assert ngettext_noop("{count} tile", "{count} tiles") == ("{count} tile", "{count} tiles")


def test_a_kept_sentence_is_read_in_any_language() -> None:
    """As a string it is English; its values are kept, an error as its words; other texts stay what they are."""
    kept = lazy_gettext("{name} begins", name=ValueError("Ada"))
    assert isinstance(kept, LazyText)
    assert f"{kept}" == str(kept) == kept == "Ada begins"
    with speaking(German()):
        assert spoken(kept) == "Ada fängt an"
        assert spoken(lazy_gettext("nobody begins")) == "niemand fängt an"
        assert spoken("nobody begins") == "nobody begins"
    assert str(copy.copy(kept)) == str(pickle.loads(pickle.dumps(kept))) == "Ada begins"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("nobody begins", "Nobody begins."),
        ("nobody begins!", "Nobody begins!"),
        ("/etc/hosts is no table", "/etc/hosts is no table."),
        ("", "."),
    ],
)
def test_a_whole_sentence(text: str, sentence: str) -> None:
    """With a capital letter, but for what has a spelling of its own, and one full stop."""
    assert as_sentence(text) == sentence


def test_a_whole_sentence_in_another_language() -> None:
    """Put into it first."""
    with speaking(German()):
        assert as_sentence(lazy_gettext("{name} begins", name="ada")) == "Ada fängt an."
