"""Storage of translatable sentences: stored or sent as message and values, translated later for each reader."""

from __future__ import annotations

import json
from typing import Any, Final

from tilekeeper.companion.languages import is_marked
from tilekeeper.engine.language import LazyText, lazy_gettext, translate

LONGEST: Final = 4000
_BEGINS: Final = '{"message":'


def to_stored(text: str, most: int = LONGEST) -> str:
    """Return a text in its stored form: JSON with message and values if the text is translatable, else the text itself.

    Args:
        text: a sentence; translatable if it comes from `lazy_gettext`, or from `gettext` with the language `STORED`.
            Its values may be translatable texts themselves.
        most: the maximum length of the result; if the JSON is longer, the English text is stored, cut if necessary.
    """
    if isinstance(text, LazyText):
        whole = json.dumps(_dump(text), ensure_ascii=False, separators=(",", ":"))
        if len(whole) <= most:
            return whole
    return str.__str__(text)[:most]


def is_translatable(text: str) -> bool:
    """Return whether a stored text, possibly from an untrusted sender, can be translated."""
    return _load(text) is not None


def translate_stored(text: str) -> str:
    """Return a stored text in the current language; unchanged if it can't be translated."""
    loaded = _load(text)
    return text if loaded is None else translate(loaded)


def translate_lines(text: str) -> str:
    """Return stored texts, one per line, in the current language, joined by dashes."""
    return " – ".join(translate_stored(line) for line in text.split("\n") if line)


def _dump(text: LazyText) -> dict[str, Any]:
    return {"message": text.message, "values": {name: _dump_value(value) for name, value in text.values.items()}}


def _dump_value(value: object) -> object:
    if isinstance(value, LazyText) and is_marked(value.message):
        return _dump(value)
    # A text that is the same in all languages, such as a name, is in no catalogue, so it is stored as it is.
    return value if isinstance(value, int | float) else str(value)


def _load(text: str) -> LazyText | None:
    """Return the text behind its stored form; None unless all its messages are in the catalogues.

    Other messages could come from a malicious sender.
    """
    if not text.startswith(_BEGINS):
        return None
    try:
        return _load_parts(json.loads(text))
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError):
        return None


def _load_parts(content: Any) -> LazyText:
    """Return the text of a message and its values.

    Raises:
        ValueError, KeyError, TypeError, AttributeError, IndexError: if they are no such text.
    """
    message, values = content["message"], content["values"]
    loaded = {name: _load_parts(value) if isinstance(value, dict) else value for name, value in values.items()}
    if not is_marked(message) or not all(isinstance(value, str | int | float) for value in loaded.values()):
        raise ValueError(message)
    message.format(**loaded)  # refuses a message whose values are missing
    return lazy_gettext(message, **loaded)
