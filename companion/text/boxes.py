"""Names and descriptions of the editions' boxes, for users who don't know the name of their edition."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from tilekeeper.engine.language import gettext, gettext_noop
from tilekeeper.engine.rules.ruleset import RuleSet


class Sign(StrEnum):
    """What the picture of a box shows beside some of its tiles, so that people recognise the box."""

    NONE = "none"
    SHEET = "sheet"
    """A sheet of rules in Finnish."""
    SMALL = "small"
    """Small tiles in a case."""
    COINS = "coins"
    """A coin with a star."""
    CARDS = "cards"
    """Cards instead of tiles."""


@dataclass(frozen=True, slots=True)
class Box:
    """The name and the description of an edition's box."""

    _name: str
    _look: str
    sign: Sign = Sign.NONE

    @property
    def name(self) -> str:
        """The name in the current language, such as `Standard box`."""
        return gettext(self._name)

    @property
    def look(self) -> str:
        """A description of the box's appearance, in one or two short sentences."""
        return gettext(self._look)


BOXES: Final[Mapping[str, Box]] = MappingProxyType(
    {
        "large-numbers": Box(
            gettext_noop("Standard box"),
            gettext_noop(
                "Tiles with large numbers from 1 to 13, two of each, and two jokers. If you are not sure, take "
                "this one."
            ),
        ),
        "finnish": Box(
            gettext_noop("Finnish box"),
            gettext_noop(
                "The same tiles as in the standard box, and a sheet of rules in Finnish. Sets with a joker can't be "
                "taken apart."
            ),
            Sign.SHEET,
        ),
        "travel": Box(
            gettext_noop("Travel box"),
            gettext_noop("The same tiles as in the standard box, in a small box that says “Travel”."),
            Sign.SMALL,
        ),
        "junior": Box(
            gettext_noop("Junior box"),
            gettext_noop(
                "For children from 4 years: yellow instead of orange, numbers from 1 to 10, and coins with stars."
            ),
            Sign.COINS,
        ),
        "cards": Box(
            gettext_noop("Cards"),
            gettext_noop("Cards instead of tiles, and yellow instead of orange. Your first sets need 40 points."),
            Sign.CARDS,
        ),
    }
)
"""The boxes by the name of their edition."""


def plays_with_cards(rules: RuleSet) -> bool:
    """Return whether an edition is played with cards, so that people do not speak of tiles, racks and a pool."""
    return BOXES[rules.name].sign is Sign.CARDS
