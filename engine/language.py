"""Translation of sentences with GNU gettext: English, unless a program chooses another language.

A call such as `gettext("{name} begins.", name="Ada")` marks a sentence for translators. Names in braces stand for
values, so that a translation can change their order. Each thread or task has its own language, in a context variable.

>>> with use_language(german):
...     str(verdict)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from gettext import NullTranslations
from typing import Final

ENGLISH: Final = NullTranslations()
"""English: each message as it is written in the code."""

STORED: Final = NullTranslations()
"""English for sentences that are stored: while this is the language, `gettext` returns a `LazyText`."""

_language: ContextVar[NullTranslations] = ContextVar("language", default=ENGLISH)


@contextmanager
def use_language(translations: NullTranslations) -> Iterator[None]:
    """Translate the sentences of this thread or task by a gettext catalogue inside a `with` block."""
    token = _language.set(translations)
    try:
        yield
    finally:
        _language.reset(token)


def set_language(translations: NullTranslations) -> None:
    """Translate all later sentences of this thread or task by a gettext catalogue."""
    _language.set(translations)


def gettext(message: str, /, **values: object) -> str:
    """Translate a sentence into the current language.

    Args:
        message: the sentence in English, with the names of values in braces.
        values: the values by name.
    """
    language = _language.get()
    return lazy_gettext(message, **values) if language is STORED else _fill_in(language.gettext(message), values)


def ngettext(singular: str, plural: str, count: int, /, **values: object) -> str:
    """Translate a sentence in the plural form that fits a number.

    Args:
        singular: the sentence in English for the number 1.
        plural: the sentence in English for any other number.
        count: the number, which replaces `{count}`.
        values: the other values by name.
    """
    return _fill_in(_language.get().ngettext(singular, plural, count), {"count": count, **values})


def pgettext(context: str, message: str, /, **values: object) -> str:
    """Translate a message whose English words mean something else in another place.

    Args:
        context: a hint in English, with which translators distinguish the meanings.
        message: the message in English, with the names of values in braces.
        values: the values by name.
    """
    return _fill_in(_language.get().pgettext(context, message), values)


def gettext_noop(message: str) -> str:
    """Mark a sentence in a table for translators and return it unchanged; pass it to `gettext` when it is used."""
    return message


def ngettext_noop(singular: str, plural: str) -> tuple[str, str]:
    """Mark a sentence with a plural form for translators, like `gettext_noop`; pass both forms to `ngettext`."""
    return singular, plural


class LazyText(str):
    """A stored sentence that readers of several languages may see later; as a string it is English.

    `translate` returns it in the language of the reader.
    """

    __slots__ = ("message", "values")
    message: str
    values: Mapping[str, object]

    def __str__(self) -> str:
        return self  # so that the `str` of an error keeps the type of its message


def lazy_gettext(message: str, /, **values: object) -> LazyText:
    """Return a sentence that `translate` will translate later; the arguments are those of `gettext`."""
    stored = {name: str(value) if isinstance(value, Exception) else value for name, value in values.items()}
    text = LazyText(message.format(**stored) if stored else message)
    text.message, text.values = message, stored
    return text


def translate(text: str) -> str:
    """Translate a text of `lazy_gettext` into the current language; return any other text unchanged."""
    if not isinstance(text, LazyText):
        return text
    return gettext(text.message, **text.values)


def as_sentence(text: str) -> str:
    """Translate a text and add a capital letter and a full stop where they are missing."""
    words = translate(text)
    # A file name or an address keeps its spelling.
    first = words[:1].upper() if words.partition(" ")[0].isalpha() else words[:1]
    return f"{first}{words[1:]}{'' if words.endswith(('.', '!', '?')) else '.'}"


def _fill_in(text: str, values: Mapping[str, object]) -> str:
    """Put values into a text; values that are lazy texts, or errors with a lazy text, are translated first."""
    translated = {
        name: translate(str(value)) if isinstance(value, str | Exception) else value for name, value in values.items()
    }
    return text.format(**translated) if translated else text


def join_with_and(words: Iterable[str]) -> str:
    """Join one or more words with commas and "and": `red 5, red 6 and joker`."""
    *first, last = words
    return gettext("{first} and {last}", first=", ".join(first), last=last) if first else last


def join_with_or(words: Iterable[str]) -> str:
    """Join one or more words with commas and "or": `red 5, red 6 or joker`."""
    *first, last = words
    return gettext("{first} or {last}", first=", ".join(first), last=last) if first else last
