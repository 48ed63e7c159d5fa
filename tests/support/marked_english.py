"""English in which each sentence stands between two invisible marks, so that words without a translation are found.

The marks have no width, so a page is laid out as in English.
"""

from __future__ import annotations

import lzma
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.support.catalogues import compiled, translated, translations
from tilekeeper.companion import languages
from tilekeeper.companion.web.assets import store

# INVISIBLE SEPARATOR and INVISIBLE PLUS; axe-core ignores both when it compares a label with a name.
START, END = "\u2063", "\u2064"
MARKED = re.compile(f"{START}[^{START}{END}]*{END}")
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


@contextmanager
def marked_english(folder: Path) -> Iterator[None]:
    """Mark all English sentences; the catalogues of all languages are in a new folder until the end."""
    shutil.copytree(languages.FOLDER, folder, ignore=shutil.ignore_patterns("*.py", "*.po", "__pycache__"))
    # A test holds that each catalogue has all sentences; to search the code for them takes seconds.
    catalog = translated(translations()[0])
    for message in catalog:
        if message.id:
            several = isinstance(message.id, tuple | list)
            message.string = tuple(map(_marked, message.id)) if several else _marked(message.id)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(languages, "FOLDER", folder)
        patch.setattr(languages, "DEFAULT_LANGUAGE", "")  # the only language that is read without a catalogue
        languages.catalogue_path("en").write_bytes(lzma.compress(compiled(catalog)))
        _forget_catalogues()
        yield
    _forget_catalogues()


def read_marked(page: Page) -> tuple[int, list[str]]:
    """Return the number of marked texts on an English page, and the texts that have words without a mark."""
    texts = page.evaluate(READ, NO_WORDS)
    marked = sum(bool(MARKED.search(text)) for text in texts) + len(MARKED.findall(texts[0]))
    return marked, [" ".join(words) for text in texts if (words := _unmarked_words(text))]


def _marked(sentence: str) -> str:
    return f"{START}{sentence}{END}"


def _unmarked_words(text: str) -> list[str]:
    before, text = "", CERTIFICATE.sub(" ", text)
    while before != text:
        before, text = text, MARKED.sub(" ", text)
    return [word for word in LETTERS.findall(text) if word not in NAMES]


def _forget_catalogues() -> None:
    languages.translations_of.cache_clear()
    store.script_address.cache_clear()
