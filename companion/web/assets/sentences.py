"""The translated sentences that a script needs: those whose English stands in it."""

from __future__ import annotations

import gettext
import json
import re

from tilekeeper.companion.languages import translations_of

CONTEXT_END = "\x04"
"""Parts the context of a sentence from the sentence in a catalogue."""
JOINED = re.compile(r'" \+\s+"')
"""Where a sentence goes on in the next line of a script."""


def sentences_of(script: str, language: str) -> dict[str, str | list[str]]:
    """The sentences of a script in a language, by their English; those with a number as a list of their forms."""
    translations = translations_of(language)
    script = JOINED.sub("", script)
    # The standard library reads a catalogue into this table, and offers no other way to look through it.
    table = getattr(translations, "_catalog", {}) if isinstance(translations, gettext.GNUTranslations) else {}
    found: dict[str, str | list[str]] = {}
    forms: dict[str, dict[int, str]] = {}
    for key, text in table.items():
        message, form = key if isinstance(key, tuple) else (key, None)
        if not message or json.dumps(message.rpartition(CONTEXT_END)[2], ensure_ascii=False) not in script:
            continue
        if form is None:
            found[message] = text
        else:
            forms.setdefault(message, {})[form] = text
    return found | {message: [its[at] for at in sorted(its)] for message, its in forms.items()}
