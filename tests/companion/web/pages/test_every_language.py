"""Each screen in other languages: no English remains, and long words fit a small phone."""

from __future__ import annotations

import lzma
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from babel.messages import Catalog
from playwright.sync_api import Browser, Page

from tests.support.browsing import QUIET
from tests.support.catalogues import compiled, marked_sentences
from tests.support.pressing import pressing_faults
from tests.support.theatre import UNPAINTED, Theatre, resize, see
from tilekeeper.companion import languages
from tilekeeper.companion.web.assets import store

SMALLEST = {"width": 320, "height": 568}
SIZES = (320, 568), (390, 844), (768, 1024), (1024, 768), (1180, 820), (1920, 1080)
MARKED = re.compile(r"⟦[^⟦⟧]*⟧")
LETTERS = re.compile(r"[^\W\d_]{2,}")
NAMES = {"Ada", "Bo", "Cleo", "Dan", "Eve", "Mia", "Tom", "Tilekeeper", "Android", "camera", "holiday", "photo", "jpg"}
"""Words that are equal in every language: names of people, the app, tablets, the camera and the photo."""
CERTIFICATE = re.compile(r"Tilekeeper on \S+")
NO_WORDS = (
    "code, time, .address, .fingerprint, .code, .languages, .overlay, .chart, kbd, script, style, noscript, "
    "[lang]:not(html)"
)
"""Elements with commands, dates in the browser's form, addresses, notation, and languages in their own words."""
# All texts that people read or hear: text nodes, and attributes for screen readers.
READ = """(noWords) => {
  const found = [];
  const texts = [];
  const walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    if (!node.parentElement.closest(noWords)) texts.push(node.data);
  for (const element of document.querySelectorAll("[aria-label], [title], [placeholder], [alt]"))
    if (!element.closest(noWords) && element.tagName !== "LINK")
      for (const name of ["aria-label", "title", "placeholder", "alt"]) found.push(element.getAttribute(name) ?? "");
  // A sentence may go through several elements, such as its tiles.
  return [texts.join(" "), ...found];
}"""


def forget_catalogues() -> None:
    languages.translations_of.cache_clear()
    store.script_address.cache_clear()


@pytest.fixture
def all_marked(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Make German a language in which every sentence is the English one in brackets."""
    catalog = marked_sentences()
    for message in catalog:
        if message.id:
            several = isinstance(message.id, tuple | list)
            message.string = tuple(f"⟦{one}⟧" for one in message.id) if several else f"⟦{message.id}⟧"
    folder = tmp_path_factory.mktemp("languages")
    finnish = languages.catalogue_path("fi")
    monkeypatch.setattr(languages, "FOLDER", folder)
    languages.catalogue_path("fi").parent.mkdir(parents=True)
    languages.catalogue_path("fi").write_bytes(finnish.read_bytes())
    path = languages.catalogue_path("de")
    path.parent.mkdir(parents=True)
    path.write_bytes(lzma.compress(compiled(catalog)))
    for language in languages.LANGUAGES:
        cards = languages.catalogue_path(language, languages.CARDS)
        cards.parent.mkdir(parents=True, exist_ok=True)
        cards.write_bytes(lzma.compress(compiled(Catalog())))
    forget_catalogues()
    yield
    forget_catalogues()


def left_in_english(text: str) -> list[str]:
    """Return the words outside of brackets that are no names."""
    before, text = "", CERTIFICATE.sub(" ", text)
    while before != text:
        before, text = text, MARKED.sub(" ", text)
    return [word for word in LETTERS.findall(text) if word not in NAMES]


@pytest.mark.usefixtures("all_marked")
@pytest.mark.timeout(600)
def test_every_word_of_every_screen_is_marked_for_translation(tmp_path: Path, serve: Callable, browser: Browser):
    (marked,) = small_phones(browser, "de-DE")
    english_words: dict[str, str] = {}
    marked_texts = 0
    for stage, screen in Theatre(tmp_path, serve).screens():
        for page in see([marked], stage, screen):
            texts = page.evaluate(READ, NO_WORDS)
            marked_texts += sum(bool(MARKED.search(text)) for text in texts) + len(MARKED.findall(texts[0]))
            for text in texts:
                if words := left_in_english(text):
                    english_words.setdefault(" ".join(words), screen.name)
    assert marked_texts > 1000
    assert not english_words, "\n".join(f"{name}: {words}" for words, name in english_words.items())


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_german_and_finnish_fit_every_screen_at_every_size(tmp_path: Path, serve: Callable, browser: Browser):
    """`test_every_screen` shows all sizes in English, and each screen in only one of the two on phones."""
    phones = small_phones(browser, "de-DE", "fi-FI")
    faults: list[str] = []
    for stage, screen in Theatre(tmp_path, serve).screens():
        for page, language in zip(see(phones, stage, screen), ("de", "fi"), strict=True):
            page.evaluate(UNPAINTED)
            for width, height in SIZES:
                resize(page, width, height)
                found = dict.fromkeys(pressing_faults(page, screen.kind == "turn"))
                faults += [f"{screen.name} in {language} at {width} x {height}: {fault}" for fault in found]
            page.set_viewport_size(SMALLEST)
    assert not faults, "\n".join(faults)


def small_phones(browser: Browser, *locales: str) -> list[Page]:
    """Open a page on a small phone in each language."""
    contexts = [browser.new_context(locale=locale, viewport=SMALLEST, **QUIET) for locale in locales]
    for context in contexts:
        context.add_init_script(UNPAINTED)
    return [context.new_page() for context in contexts]
