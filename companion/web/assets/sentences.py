"""Selects the translations that a script of the page needs: those of the sentences in it."""

from __future__ import annotations

import gettext
import json
import re

from tilekeeper.companion.languages import translations_of

CONTEXT_END = "\x04"
"""The character between context and sentence in a gettext catalogue."""
JOINED = re.compile(r'" \+\s+"')
"""The code between two parts of a sentence that is split over several lines of a script."""


def sentences_of(script: str, language: str, of_cards: bool = False) -> dict[str, str | list[str]]:
    """Return the translations of a script's sentences, by English sentence; a list of all forms if it has a plural.

    `of_cards`: whether they speak of cards instead of tiles.
    """
    script = JOINED.sub("", script)
    table = _table(translations_of(language))
    if of_cards:
        table = table | _table(translations_of(language, of_cards=True))
    sentences: dict[str, str | list[str]] = {}
    forms: dict[str, dict[int, str]] = {}
    for key, text in table.items():
        message, form = key if isinstance(key, tuple) else (key, None)
        if not message or json.dumps(message.rpartition(CONTEXT_END)[2], ensure_ascii=False) not in script:
            continue
        if form is None:
            sentences[message] = text
        else:
            forms.setdefault(message, {})[form] = text
    return sentences | {message: [texts[at] for at in sorted(texts)] for message, texts in forms.items()}


def _table(translations: gettext.NullTranslations) -> dict[str | tuple[str, int], str]:
    # The standard library has no public way to list a catalogue.
    return getattr(translations, "_catalog", {}) if isinstance(translations, gettext.GNUTranslations) else {}
