"""Sentences that are kept or sent, and read later by people of several languages."""

from __future__ import annotations

import json
from typing import Final

from tilekeeper.companion.languages import is_marked
from tilekeeper.engine.language import LazyText, gettext

LONGEST: Final = 4000
_BEGINS: Final = '{"message":'


def kept(text: str, most: int = LONGEST) -> str:
    """A text as it is kept: JSON with message and values where it can be told in other languages, else as it is.

    Args:
        text: a sentence; one made by `lazy_gettext`, or with `STORED` as the language, can be told in other languages.
        most: how long it may be; what is longer is cut, and stays in English.
    """
    if isinstance(text, LazyText):
        values = {name: value if isinstance(value, int | float) else str(value) for name, value in text.values.items()}
        whole = json.dumps({"message": text.message, "values": values}, ensure_ascii=False, separators=(",", ":"))
        if len(whole) <= most:
            return whole
    return str.__str__(text)[:most]


def is_kept(text: str) -> bool:
    """Whether a text can be told in other languages: whoever sent it may be anybody."""
    return _content(text) is not None


def told(text: str) -> str:
    """A text that was kept, in the language that is spoken; as it stands where its message is none of the app's own."""
    content = _content(text)
    return text if content is None else gettext(content[0], **content[1])


def _content(text: str) -> tuple[str, dict[str, str | int | float]] | None:
    """Message and values. What is no message of the catalogues is none: it could ask for gigabytes in its braces."""
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
