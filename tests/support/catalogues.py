"""The translation catalogues: sentences in the code, and their translations.

    python -m tests.support.catalogues

updates `companion/languages/*/LC_MESSAGES`: each `messages.po` gets new sentences and loses unused ones, and
`messages.mo.xz` is compiled from it. After changing a sentence, translate it in `messages.po` and run this again; a
test reports what is missing. `cards.po` has the sentences in which people who play with cards hear of cards, also in
English; what is not in it speaks of tiles.
"""

from __future__ import annotations

import ast
import io
import lzma
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Final

from babel.messages import Catalog, Message
from babel.messages.extract import extract
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from tilekeeper.companion.languages import CARDS, DEFAULT_LANGUAGE, DOMAIN, FOLDER, LANGUAGES, catalogue_path
from tilekeeper.engine.rules.editions import SOURCES, TITLES

REPOSITORY: Final = Path(__file__).parents[2]
MARKED: Final = (
    ("python", ("engine", "vision", "companion"), "**/*.py"),
    ("jinja2", ("companion/web/templates",), "**/*.html"),
    ("javascript", ("companion/web/static/js",), "**/*.js"),
)
"""How sentences are marked in the files of each folder, for Babel's extractors."""
OPTIONS: Final = {"parse_template_string": True}
"""Template literals of scripts contain sentences too."""
KEYWORDS: Final = {
    "_": None,
    "gettext": None,
    "gettext_noop": None,
    "lazy_gettext": None,
    "ngettext": (1, 2),
    "ngettext_noop": (1, 2),
    "pgettext": ((1, "c"), 2),
    # The sentences of rules.
    "rule": (2,),
}
PLACEHOLDER: Final = re.compile(r"\{\w*\}")
NOTE: Final = "Translators:"
_WHEN: Final = datetime(2026, 1, 1, tzinfo=UTC)
"""A fixed catalogue header, so that catalogues change only with their sentences."""


@cache
def marked_sentences() -> Catalog:
    """Return every sentence that is marked in the code, with the files that use it.

    The code is searched once per process, which takes seconds; do not change the catalogue.
    """
    catalog = Catalog()
    for method, folders, pattern in MARKED:
        for path in sorted(path for folder in folders for path in (REPOSITORY / folder).glob(pattern)):
            with path.open("rb") as file:
                for _, message, comments, context in extract(method, file, KEYWORDS, [NOTE], OPTIONS, True):
                    where = [(path.relative_to(REPOSITORY).as_posix(), None)]
                    catalog.add(message, None, where, auto_comments=comments, context=context)  # type: ignore[arg-type]
            if method == "python":
                for sentence in _sentences_of(path):
                    if sentence not in catalog:
                        where = [(path.relative_to(REPOSITORY).as_posix(), None)]
                        catalog.add(sentence, None, where)  # type: ignore[arg-type]
    for sentence in _sentences_of_editions():
        where = [("engine/rules/editions.txt", None)]
        catalog.add(sentence, None, where)  # type: ignore[arg-type]
    return catalog


def _sentences_of_editions() -> Iterator[str]:
    """Yield the titles of the editions, and the reasons for their values."""
    yield from TITLES.values()
    yield from (source.why for sources in SOURCES.values() for source in sources.values() if source.why)


def _sentences_of(path: Path) -> Iterator[str | tuple[str, ...]]:
    """Yield the sentences of a Python file; Babel overlooks some beside and inside of f-strings."""
    forms = {"gettext": 1, "ngettext": 2}
    for call in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in forms:
            messages = [one.value for one in call.args[: forms[call.func.id]] if isinstance(one, ast.Constant)]
            if len(messages) == forms[call.func.id]:
                yield messages[0] if len(messages) == 1 else tuple(messages)


def po_path(language: str, domain: str = DOMAIN) -> Path:
    """Return the file with the translations of a language."""
    return FOLDER / language / "LC_MESSAGES" / f"{domain}.po"


def translated(language: str, domain: str = DOMAIN) -> Catalog:
    """Return the translations of a language; an empty catalogue for a new one."""
    path = po_path(language, domain)
    if not path.is_file():
        return Catalog(
            language,
            project="Tilekeeper",
            version="0.1",
            header_comment="# The sentences of Tilekeeper; `make translations` brings this file up to date.",
            msgid_bugs_address="",
            last_translator="the Tilekeeper authors",
            language_team=language,
            creation_date=_WHEN,
            revision_date=_WHEN,
            fuzzy=False,
        )
    with path.open("rb") as file:
        return read_po(file, locale=language)


def compiled(catalog: Catalog) -> bytes:
    """Return the compiled catalogue that is read at run time."""
    file = io.BytesIO()
    write_mo(file, catalog)
    return file.getvalue()


def update() -> None:
    """Update the catalogues of all languages."""
    wanted = marked_sentences()
    for language in translations():
        catalog = translated(language)
        catalog.update(wanted, no_fuzzy_matching=True, update_creation_date=False)
        _write(catalog, language, DOMAIN)
    for language in LANGUAGES:
        said_of_cards = translated(language, CARDS)
        used = Catalog()
        for message in said_of_cards:
            if message.id and (found := wanted.get(message.id)) is not None:
                used.add(message.id, None, found.locations)
        said_of_cards.update(used, no_fuzzy_matching=True, update_creation_date=False)
        _write(said_of_cards, language, CARDS)


def _write(catalog: Catalog, language: str, domain: str) -> None:
    catalog.obsolete.clear()
    path = po_path(language, domain)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        write_po(file, catalog, width=110, sort_by_file=True, include_lineno=False, omit_header=False)
    packed = lzma.compress(compiled(catalog), preset=9 | lzma.PRESET_EXTREME)
    catalogue_path(language, domain).write_bytes(packed)


def translations() -> tuple[str, ...]:
    """Return the languages that have a catalogue."""
    return tuple(language for language in LANGUAGES if language != DEFAULT_LANGUAGE)


def faults(language: str, wanted: Catalog) -> Iterator[str]:
    """Yield the faults of a catalogue: missing, fuzzy or unused sentences, and values that differ."""
    catalog = translated(language)
    keys = {(message.id, message.context) for message in catalog if message.id}
    for message in wanted:
        if message.id and (message.id, message.context) not in keys:
            yield f"{language}: not in the catalogue: {_first(message)!r}"
    yield from faults_of_sentences(language, catalog, wanted)


def faults_of_sentences(language: str, catalog: Catalog, wanted: Catalog) -> Iterator[str]:
    """Yield the faults of the sentences that are in a catalogue."""
    for message in catalog:
        if not message.id:
            continue
        if message.fuzzy:
            yield f"{language}: marked as fuzzy: {_first(message)!r}"
        if wanted.get(message.id, message.context) is None:
            yield f"{language}: no longer in the code: {_first(message)!r}"
        yield from (f"{language}: {fault}: {_first(message)!r}" for fault in _faults_of(message))


def _faults_of(message: Message) -> Iterator[str]:
    originals = message.id if isinstance(message.id, tuple | list) else (message.id,)
    forms = message.string if isinstance(message.string, tuple | list) else (message.string,)
    if len(forms) < len(originals) or not all(forms):
        yield "not translated"
        return
    named = [set(PLACEHOLDER.findall(text)) for text in originals]
    for form in forms:
        values = set(PLACEHOLDER.findall(form))
        # The singular form may leave the number out.
        if not named[0] - {"{count}"} <= values <= named[-1] | named[0]:
            yield f"other values than in English, {sorted(values)}"


def _first(message: Message) -> str:
    return message.id[0] if isinstance(message.id, tuple | list) else message.id


if __name__ == "__main__":
    update()
    found = [fault for language in translations() for fault in faults(language, marked_sentences())]
    print("\n".join(found) or "All sentences are translated.")
    sys.exit(1 if found else 0)
