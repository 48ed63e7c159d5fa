"""Translations: every sentence of the code is translated, and each tablet and shell gets its own language."""

import ast
import json
import lzma
import re

import pytest

from tests.support.catalogues import (
    REPOSITORY,
    compiled,
    faults,
    faults_of_sentences,
    marked_sentences,
    translated,
    translations,
)
from tilekeeper.companion.languages import CARDS, DOMAIN, LANGUAGES, catalogue_path, language_of, language_of_shell

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


def test_every_sentence_of_the_code_is_found():
    """Babel overlooks those inside of f-strings."""
    wanted = marked_sentences()
    said = [
        call.args[0].value
        for room in ("engine", "vision", "companion")
        for path in (REPOSITORY / room).glob("**/*.py")
        for call in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id in ("gettext", "ngettext", "lazy_gettext")
        and isinstance(call.args[0], ast.Constant)
    ]
    assert len(said) > 500
    assert [one for one in said if one not in wanted] == []


@pytest.mark.parametrize("language", translations())
def test_compiled_catalogue_has_the_translations(language):
    assert lzma.decompress(catalogue_path(language).read_bytes()) == compiled(translated(language))


VALUE = re.compile(r"\{[^}]*\}")
TILE_WORDS = {
    "en": re.compile(r"\b(tiles?|racks?|pool)\b", re.IGNORECASE),
    "de": re.compile(r"\b(stein(e|en|s)?|aufsteller\w*|pools?)\b", re.IGNORECASE),
    "fi": re.compile(r"\b(laatta|laata[nts]|laatoi|laatto|teline|varasto)", re.IGNORECASE),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_said_of_cards_is_sound_and_has_no_word_for_tiles(language):
    catalog = translated(language, CARDS)
    assert len(catalog) > 250
    assert list(faults_of_sentences(language, catalog, marked_sentences())) == []
    forms = [
        form for one in catalog if one.id for form in ([one.string] if isinstance(one.string, str) else one.string)
    ]
    assert [form for form in forms if TILE_WORDS[language].search(VALUE.sub("", form))] == []
    assert lzma.decompress(catalogue_path(language, CARDS).read_bytes()) == compiled(catalog)


# A noun after a number, as it stands after 2 and more.
AFTER_SEVERAL = {
    "de": re.compile(r"\{(\w+)\} (?:weitere )?(?:Steine|Karten|Punkte|Runden|Züge|Sterne|Schritte|Bilder)\b"),
    "fi": re.compile(
        r"\{(\w+)\} (?:muuta )?(?:laattaa|korttia|pistettä|kierrosta|vuoroa|tähteä|vaihetta|siirtoa|kuvaa|virhettä)\b"
    ),
}
NEVER_ONE = {"each", "box"}  # the tiles of a whole rack, or box


@pytest.mark.parametrize("domain", [DOMAIN, CARDS])
@pytest.mark.parametrize("language", translations())
def test_sentence_about_one_thing_has_no_noun_for_several(language, domain):
    """Its form is chosen by one number; another number in it may be 1 as well, so no plural stands after it."""
    found = [
        form
        for message in translated(language, domain)
        if isinstance(message.id, tuple)
        for form in message.string[:1]
        if set(AFTER_SEVERAL[language].findall(form)) - NEVER_ONE
    ]
    assert found == []


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
