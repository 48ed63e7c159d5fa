"""The app's languages: every sentence of the code is translated, and each tablet and each shell gets its own."""

import pytest

from tests.support.catalogues import asked_for, compiled, faults, po_path, translated, translations
from tilekeeper.companion.languages import language_of, language_of_shell


@pytest.mark.parametrize("language", translations())
def test_every_sentence_is_translated_with_the_same_values_and_none_is_stale(language):
    """`python -m tests.support.catalogues` writes down what is missing."""
    assert list(faults(language, asked_for())) == []


@pytest.mark.parametrize("language", translations())
def test_what_is_read_at_run_time_is_what_was_translated(language):
    assert po_path(language).with_suffix(".mo").read_bytes() == compiled(translated(language))


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LANG": "de_AT.UTF-8"}, "de"),
        ({"LANG": "de_DE.UTF-8", "LC_MESSAGES": "fi_FI.UTF-8"}, "fi"),
        ({"LANG": "fi_FI.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LANG": "de_DE.UTF-8", "LANGUAGE": "sv:fi:en"}, "fi"),
        ({"LANG": "sv_SE.UTF-8"}, "en"),
    ],
)
def test_a_shell_is_answered_in_its_language(environment, language):
    assert language_of_shell(environment) == language


@pytest.mark.parametrize(("words", "language"), [("de-CH", "de"), ("FI", "fi"), ("sv", None), ("", None), (None, None)])
def test_a_locale_names_a_language_that_the_app_speaks_or_none(words, language):
    assert language_of(words) == language
