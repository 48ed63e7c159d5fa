"""Sentences that are stored or sent, and translated later for each reader."""

from __future__ import annotations

import json
from typing import Final

from tilekeeper.companion.languages import is_marked
from tilekeeper.engine.language import LazyText, gettext

LONGEST: Final = 4000
_BEGINS: Final = '{"message":'


def to_stored(text: str, most: int = LONGEST) -> str:
    """Return a text as it is stored: JSON with message and values if it can be translated, else the text itself.

    Args:
        text: a sentence; it can be translated if `lazy_gettext` made it, or `gettext` with the language `STORED`.
        most: the highest number of characters; a longer text is cut and stays in English.
    """
    if isinstance(text, LazyText):
        values = {name: value if isinstance(value, int | float) else str(value) for name, value in text.values.items()}
        whole = json.dumps({"message": text.message, "values": values}, ensure_ascii=False, separators=(",", ":"))
        if len(whole) <= most:
            return whole
    return str.__str__(text)[:most]


def is_translatable(text: str) -> bool:
    """Return whether a stored text, which anybody may have sent, can be translated."""
    return _content(text) is not None


def translate_stored(text: str) -> str:
    """Return a stored text in the present language; unchanged if its message is not in the catalogues."""
    content = _content(text)
    return text if content is None else gettext(content[0], **content[1])


def _content(text: str) -> tuple[str, dict[str, str | int | float]] | None:
    """Return message and values; None for a message that is not in the catalogues, which could be malicious."""
    if not text.startswith(_BEGINS):
        return None
    try:
        content = json.loads(text)
        message, values = content["message"], content["values"]
        if is_marked(message) and all(isinstance(value, str | int | float) for value in values.values()):
            message.format(**values)
            return message, values
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError):
        pass
    return None
