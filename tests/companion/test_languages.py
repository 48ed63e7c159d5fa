"""Translations: every sentence of the code is translated, and each tablet and shell gets its own language."""

import json
import lzma
import re

import pytest

from tests.support.catalogues import REPOSITORY, compiled, faults, marked_sentences, translated, translations
from tilekeeper.companion.languages import catalogue_path, language_of, language_of_shell

pytestmark = pytest.mark.slow  # all sentences of the project

SAID = re.compile(r'\bn?gettext\(\s*("(?:[^"\\]|\\.)*")\s*[,)]')


@pytest.mark.parametrize("language", translations())
def test_every_sentence_is_translated_with_the_same_values_and_none_is_stale(language):
    """`python -m tests.support.catalogues` adds missing sentences."""
    assert list(faults(language, marked_sentences())) == []


def test_every_sentence_of_the_scripts_is_found():
    """Babel overlooks some of those in template literals."""
    wanted = marked_sentences()
    scripts = (REPOSITORY / "companion/web/static/js").glob("**/*.js")
    sentences = [json.loads(one) for path in scripts for one in SAID.findall(path.read_text())]
    assert len(sentences) > 500
    assert [one for one in sentences if one not in wanted] == []


@pytest.mark.parametrize("language", translations())
def test_compiled_catalogue_has_the_translations(language):
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
def test_language_of_the_shell_is_used(environment, language):
    assert language_of_shell(environment) == language


@pytest.mark.parametrize(("words", "language"), [("de-CH", "de"), ("FI", "fi"), ("sv", None), ("", None), (None, None)])
def test_locale_selects_an_available_language_or_none(words, language):
    assert language_of(words) == language
