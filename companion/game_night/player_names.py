"""Cleans the names of players, and refuses names that can't be used."""

import unicodedata
from collections.abc import Iterable, Sequence
from typing import Final

from tilekeeper.companion.refusal import Refused
from tilekeeper.engine.language import gettext

LONGEST_NAME: Final = 60
"""The limit of a name in Unicode code points; one family emoji has seven to eleven."""
APP: Final = "app"
"""The author, in the history, of actions that the app has taken by itself; no tablet or person may have this name."""
_BETWEEN_PEOPLE: Final = " & "
# The zero-width joiner makes one emoji of several. Other invisible characters could make two names look equal or
# reverse the page's text.
_JOINER: Final = "\u200d"
_INVISIBLE: Final = frozenset(("Cc", "Cf", "Cs", "Co"))


def tidy_name(name: str) -> str:
    """Return a name with single spaces and without invisible characters.

    Raises:
        Refused: if the result is empty or too long.
    """
    visible = filter(_is_visible, unicodedata.normalize("NFC", name))
    tidy = " ".join("".join(visible).split())
    if not tidy.replace(_JOINER, ""):
        raise Refused(gettext("A player has no name yet."), "bad-name")
    if len(tidy) > LONGEST_NAME:
        raise Refused(
            gettext(
                "“{name}…” is too long for a name: {count} characters. At most {most} fit.",
                name=tidy[:20],
                count=len(tidy),
                most=LONGEST_NAME,
            ),
            "bad-name",
        )
    return tidy


def tidy_names(names: Iterable[str], taken: Sequence[str] = ()) -> tuple[str, ...]:
    """Return players' names with single spaces and without invisible characters.

    Raises:
        Refused: if a name is empty or too long, or equals another of `names` or one of `taken`.
    """
    tidied: list[str] = []
    for name in names:
        tidy = tidy_name(name)
        if _key(tidy) in map(_key, (*taken, *tidied)):
            raise Refused(
                gettext("Two players are called {name}. Add something to tell them apart.", name=tidy), "bad-name"
            )
        tidied.append(tidy)
    return tuple(tidied)


def is_name_of_app(name: str) -> bool:
    """Return whether the history would take a name for the app's own."""
    return _key(name) == APP


def seat_name(people: Sequence[str]) -> str:
    """Return the name of a seat by its people: `Ada & Bo` if two people share it."""
    return _BETWEEN_PEOPLE.join(people)


def people_of(name: str) -> tuple[str, ...]:
    """Return the people at a seat by the seat's name (the inverse of `seat_name`)."""
    return tuple(name.split(_BETWEEN_PEOPLE))


def _is_visible(character: str) -> bool:
    return character.isspace() or character == _JOINER or unicodedata.category(character) not in _INVISIBLE


def _key(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()
