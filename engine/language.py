"""The language that sentences are made in: English, unless a program speaks another one.

Sentences are marked as with GNU gettext: `gettext("{name} begins.", name="Ada")`. Their values stand in braces, so that
a translation may put them in another order. What is spoken holds for a thread or task, as `contextvars` do.

>>> with speaking(german):
...     str(verdict)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from gettext import NullTranslations
from typing import Final

ENGLISH: Final = NullTranslations()
"""Gives every message as it stands in the code."""

KEPT: Final = NullTranslations()
"""Speaks English that is kept: while it is spoken, `gettext` gives what `lazy_gettext` does."""

_spoken: ContextVar[NullTranslations] = ContextVar("spoken", default=ENGLISH)


@contextmanager
def speaking(translations: NullTranslations) -> Iterator[None]:
    """Let sentences that are made meanwhile be in the language of these translations."""
    token = _spoken.set(translations)
    try:
        yield
    finally:
        _spoken.reset(token)


def speak(translations: NullTranslations) -> None:
    """Let all sentences that this thread or task makes from now on be in the language of these translations."""
    _spoken.set(translations)


def gettext(message: str, /, **values: object) -> str:
    """A sentence in the language that is spoken.

    Args:
        message: the sentence in English, with the names of values in braces.
        values: what stands in their place.
    """
    speaks = _spoken.get()
    return lazy_gettext(message, **values) if speaks is KEPT else _complete(speaks.gettext(message), values)


def ngettext(singular: str, plural: str, count: int, /, **values: object) -> str:
    """A sentence with a number, which stands for `{count}`, in the form that the language has for that number."""
    return _complete(_spoken.get().ngettext(singular, plural, count), {"count": count, **values})


def pgettext(context: str, message: str, /, **values: object) -> str:
    """A sentence that means another thing elsewhere; `context` tells translators which one this is."""
    return _complete(_spoken.get().pgettext(context, message), values)


def gettext_noop(message: str) -> str:
    """Mark a sentence that is kept in a table, as it is; whoever takes it out hands it to `gettext`."""
    return message


def ngettext_noop(singular: str, plural: str) -> tuple[str, str]:
    """Mark a sentence with a number that is kept in a table, as `gettext_noop` does; `ngettext` takes both."""
    return singular, plural


class LazyText(str):
    """A sentence that is kept, and is read later by people of several languages; as a string it is English.

    `spoken` puts it into the language that is spoken then.
    """

    __slots__ = ("message", "values")
    message: str
    values: Mapping[str, object]

    def __str__(self) -> str:
        return self  # an error whose message it is gives it back whole


def lazy_gettext(message: str, /, **values: object) -> LazyText:
    """A sentence that is put into a language only once somebody reads it; arguments as those of `gettext`."""
    kept = {name: str(value) if isinstance(value, Exception) else value for name, value in values.items()}
    text = LazyText(message.format(**kept) if kept else message)
    text.message, text.values = message, kept
    return text


def spoken(text: str) -> str:
    """A text in the language that is spoken, where it is one that `lazy_gettext` made; any other as it is."""
    if not isinstance(text, LazyText):
        return text
    return gettext(text.message, **text.values)


def as_sentence(text: str) -> str:
    """A text in the language that is spoken, as a sentence with its capital letter and full stop."""
    words = spoken(text)
    # A file or an address keeps its own spelling.
    first = words[:1].upper() if words.partition(" ")[0].isalpha() else words[:1]
    return f"{first}{words[1:]}{'' if words.endswith(('.', '!', '?')) else '.'}"


def _complete(text: str, values: Mapping[str, object]) -> str:
    """A text with its values, those that are lazy texts, or errors with one, in the language that is spoken."""
    its = {name: spoken(str(value)) if isinstance(value, str | Exception) else value for name, value in values.items()}
    return text.format(**its) if its else text


def listed(words: Iterable[str]) -> str:
    """One or more words as a list, `red 5, red 6 and joker`."""
    *first, last = words
    return gettext("{first} and {last}", first=", ".join(first), last=last) if first else last


def either(words: Iterable[str]) -> str:
    """One or more words of which one holds, `red 5, red 6 or joker`."""
    *first, last = words
    return gettext("{first} or {last}", first=", ".join(first), last=last) if first else last
