"""The languages that the app speaks, and the catalogues of its sentences.

Each folder holds `messages.po`, which people translate, and `messages.mo.xz`, which is made of it and read at run time.
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
DEFAULT_LANGUAGE: Final = "en"
LANGUAGES: Final[Mapping[str, str]] = MappingProxyType({"en": "English", "de": "Deutsch", "fi": "Suomi"})
"""Each language by its code, with its name in itself."""


@cache
def translations_of(language: str) -> gettext.NullTranslations:
    """The catalogue of a language of `LANGUAGES`; English needs none."""
    if language == DEFAULT_LANGUAGE:
        return gettext.NullTranslations()
    with lzma.open(catalogue_path(language)) as file:
        return gettext.GNUTranslations(file)


def is_marked(message: object) -> bool:
    """Whether this is a sentence of the app's own, as it stands in the code."""
    others = (language for language in LANGUAGES if language != DEFAULT_LANGUAGE)
    return isinstance(message, str) and any(
        translations_of(language).gettext(message) != message for language in others
    )


def catalogue_path(language: str) -> Path:
    """The file that is read for a language: GNU gettext's own, compressed, so that the app stays small."""
    return FOLDER / language / "LC_MESSAGES" / f"{DOMAIN}.mo.xz"


def language_of(words: str | None) -> str | None:
    """Return the language of a locale such as `de_AT.UTF-8` or `fi-FI`; None if the app does not have it."""
    code = (words or "").replace("-", "_").partition("_")[0].partition(".")[0].lower()
    return DEFAULT_LANGUAGE if code in ("c", "posix") else code if code in LANGUAGES else None


def language_of_shell(environment: Mapping[str, str]) -> str:
    """The language that a shell is set to, by the variables that GNU gettext looks at, in its order."""
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        if environment.get(name):
            wanted = environment[name].split(":")
            return next(filter(None, map(language_of, wanted)), DEFAULT_LANGUAGE)
    return DEFAULT_LANGUAGE
