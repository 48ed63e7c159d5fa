"""The translations for a script: those of the English sentences that stand in it."""

from __future__ import annotations

import gettext
import json
import re

from tilekeeper.companion.languages import translations_of

CONTEXT_END = "\x04"
"""Separates context and sentence in a catalogue."""
JOINED = re.compile(r'" \+\s+"')
"""The join of a sentence that is split over two lines of a script."""


def sentences_of(script: str, language: str) -> dict[str, str | list[str]]:
    """Return a script's sentences in a language, by their English; plural sentences as a list of their forms."""
    translations = translations_of(language)
    script = JOINED.sub("", script)
    # The standard library has no public way to list a catalogue.
    table = getattr(translations, "_catalog", {}) if isinstance(translations, gettext.GNUTranslations) else {}
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
