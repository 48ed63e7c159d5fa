"""The app's languages: every sentence of the code is translated, and each tablet and each shell gets its own."""

import json
import lzma
import re

import pytest

from tests.support.catalogues import REPOSITORY, asked_for, compiled, faults, translated, translations
from tilekeeper.companion.languages import catalogue_path, language_of, language_of_shell

pytestmark = pytest.mark.slow  # every sentence of all rooms

SAID = re.compile(r'\bn?gettext\(\s*("(?:[^"\\]|\\.)*")\s*[,)]')


@pytest.mark.parametrize("language", translations())
def test_every_sentence_is_translated_with_the_same_values_and_none_is_stale(language):
    """`python -m tests.support.catalogues` writes down what is missing."""
    assert list(faults(language, asked_for())) == []


def test_every_sentence_of_the_scripts_is_found():
    """Babel passes over some of those that stand within what is put together between backquotes."""
    wanted = asked_for()
    scripts = (REPOSITORY / "companion/web/static/js").glob("**/*.js")
    said = [json.loads(one) for path in scripts for one in SAID.findall(path.read_text())]
    assert len(said) > 500
    assert [one for one in said if one not in wanted] == []


@pytest.mark.parametrize("language", translations())
def test_what_is_read_at_run_time_is_what_was_translated(language):
    assert lzma.decompress(catalogue_path(language).read_bytes()) == compiled(translated(language))


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
