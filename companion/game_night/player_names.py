"""The names of those who play: tidied, and refused in words where they can't stay as they are."""

import unicodedata
from collections.abc import Iterable, Sequence
from typing import Final

from tilekeeper.companion.refusal import Refused
from tilekeeper.engine.language import gettext

LONGEST_NAME: Final = 60
"""In code points; a family in one emoji takes seven to eleven."""
# Joins emoji to one; every other invisible sign could make two names look alike or turn the page's text around.
_JOINER: Final = "\u200d"
_INVISIBLE: Final = frozenset(("Cc", "Cf", "Cs", "Co"))


def tidy_name(name: str) -> str:
    """A name with single spaces and nothing that can't be seen.

    Raises:
        Refused: if nothing is left, or too much.
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
    """Return the names of several players, which differ from each other and from those who sit there already.

    Raises:
        Refused: if one can't stay, or two can't be told apart.
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


def seat_name(people: Sequence[str]) -> str:
    """The name of a seat that several share, such as two children at one rack: `Ada & Bo`."""
    return " & ".join(people)


def _is_visible(character: str) -> bool:
    return character.isspace() or character == _JOINER or unicodedata.category(character) not in _INVISIBLE


def _key(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()
