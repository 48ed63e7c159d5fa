"""The languages of the app, and the GNU gettext catalogues of its sentences.

Each folder holds `messages.po`, which people translate, and `messages.mo.xz`, which is compiled from it and read at run
time. `cards.po` has the sentences that are different where people play with cards instead of tiles, also for English.
"""

import gettext
import lzma
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final

FOLDER: Final = Path(__file__).parent
DOMAIN: Final = "messages"
CARDS: Final = "cards"
"""The catalogue of what is said of cards, in place of tiles, racks and the pool."""
DEFAULT_LANGUAGE: Final = "en"
LANGUAGES: Final[Mapping[str, str]] = MappingProxyType({"en": "English", "de": "Deutsch", "fi": "Suomi"})
"""The name of each language in that language, by its code."""


@cache
def translations_of(language: str, of_cards: bool = False) -> gettext.NullTranslations:
    """Return the catalogue of a language of `LANGUAGES`; an empty one for English, the language of the code.

    Args:
        language: the language's code.
        of_cards: whether it speaks of cards instead of tiles.
    """
    if of_cards:
        with lzma.open(catalogue_path(language, CARDS)) as file:
            translations = gettext.GNUTranslations(file)
        translations.add_fallback(translations_of(language))
        return translations
    if language == DEFAULT_LANGUAGE:
        return gettext.NullTranslations()
    with lzma.open(catalogue_path(language)) as file:
        return gettext.GNUTranslations(file)


def is_marked(message: object) -> bool:
    """Return whether a message is one of the app's English sentences: a text that some catalogue translates."""
    other_languages = (language for language in LANGUAGES if language != DEFAULT_LANGUAGE)
    return isinstance(message, str) and any(
        translations_of(language).gettext(message) != message for language in other_languages
    )


def catalogue_path(language: str, domain: str = DOMAIN) -> Path:
    """Return the path of a language's catalogue: a `.mo` file of GNU gettext, compressed to keep the app small."""
    return FOLDER / language / "LC_MESSAGES" / f"{domain}.mo.xz"


def language_of(words: str | None) -> str | None:
    """Return the language of a locale such as `de_AT.UTF-8` or `fi-FI`; None if the app does not have it."""
    code = (words or "").replace("-", "_").partition("_")[0].partition(".")[0].lower()
    return DEFAULT_LANGUAGE if code in ("c", "posix") else code if code in LANGUAGES else None


def language_of_shell(environment: Mapping[str, str]) -> str:
    """Return the language that a shell's environment sets, by GNU gettext's variables in their order of priority."""
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        if environment.get(name):
            wanted = environment[name].split(":")
            return next(filter(None, map(language_of, wanted)), DEFAULT_LANGUAGE)
    return DEFAULT_LANGUAGE
