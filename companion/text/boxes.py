"""English words for the boxes that people have at home: how each is called, and by what it is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final


@dataclass(frozen=True, slots=True)
class Box:
    """A box as people know it who have never heard the name of its edition."""

    name: str
    look: str
    """What it looks like, in one or two short sentences."""


BOXES: Final[Mapping[str, Box]] = MappingProxyType(
    {
        "large-numbers": Box(
            "Standard box",
            "Tiles with large numbers from 1 to 13, two of each, and two jokers. If you are not sure, take this one.",
        ),
        "finnish": Box(
            "Finnish box",
            "The same tiles as in the standard box, and a sheet of rules in Finnish. Sets with a joker are locked.",
        ),
        "travel": Box(
            "Travel box",
            "The same tiles as in the standard box, in a small box that says “Travel”.",
        ),
        "junior": Box(
            "Junior box",
            "For children from 4 years: yellow instead of orange, numbers from 1 to 10, and coins with stars.",
        ),
        "cards": Box(
            "Cards",
            "Cards instead of tiles, and yellow instead of orange. To open you need 40 points.",
        ),
    }
)
"""By the key of the edition."""
