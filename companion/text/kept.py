"""Storage of translatable sentences: stored or sent as message and values, translated later for each reader."""

from __future__ import annotations

import json
from typing import Final

from tilekeeper.companion.languages import is_marked
from tilekeeper.engine.language import LazyText, gettext

LONGEST: Final = 4000
_BEGINS: Final = '{"message":'


def to_stored(text: str, most: int = LONGEST) -> str:
    """Return a text in its stored form: JSON with message and values if the text is translatable, else the text itself.

    Args:
        text: a sentence; translatable if it comes from `lazy_gettext`, or from `gettext` with the language `STORED`.
        most: the maximum length of the result; if the JSON is longer, the English text is stored, cut if necessary.
    """
    if isinstance(text, LazyText):
        values = {name: value if isinstance(value, int | float) else str(value) for name, value in text.values.items()}
        whole = json.dumps({"message": text.message, "values": values}, ensure_ascii=False, separators=(",", ":"))
        if len(whole) <= most:
            return whole
    return str.__str__(text)[:most]


def is_translatable(text: str) -> bool:
    """Return whether a stored text, possibly from an untrusted sender, can be translated."""
    return _content(text) is not None


def translate_stored(text: str) -> str:
    """Return a stored text in the current language; unchanged if it can't be translated."""
    content = _content(text)
    return text if content is None else gettext(content[0], **content[1])


def _content(text: str) -> tuple[str, dict[str, str | int | float]] | None:
    """Return message and values of a stored text; None unless the message is in the catalogues.

    Other messages could come from a malicious sender.
    """
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
