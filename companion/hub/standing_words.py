"""Standings in words: the values of criteria, and why a player is ahead."""

from __future__ import annotations

from typing import Final

from tilekeeper.companion.text.scores import points_words
from tilekeeper.companion.tournament.criteria import Criterion
from tilekeeper.companion.tournament.standings import Standing
from tilekeeper.companion.tournament.words import criterion_words
from tilekeeper.engine.game.scoring import Points
from tilekeeper.engine.language import gettext

_COUNTS: Final = (
    Criterion.PLACEMENT_POINTS,
    Criterion.WINS,
    Criterion.DIRECT_ENCOUNTER,
    Criterion.LOT,
    Criterion.BY_HAND,
    Criterion.KNOCK_OUT_ROUND,
)
"""The criteria that are never negative, so their values are shown without a plus sign."""
_LOT_UNIT: Final = 16**9
"""Of the 13 hexadecimal digits of a lot only the first four are shown, as a number up to 65,535."""


def value_words(line: Standing, criterion: Criterion) -> str:
    """Return a player's value of a criterion as text; a dash if the criterion was not compared for the player."""
    if criterion not in line.values:
        return "–"
    return number_words(line.values[criterion], criterion)


def number_words(value: Points, criterion: Criterion) -> str:
    """Return a value of a criterion as text; points have a plus sign, counts such as wins have none."""
    if criterion is Criterion.LOT:
        return str(int(value) // _LOT_UNIT)
    words = points_words(value)
    return words.removeprefix("+") if criterion in _COUNTS else words


def reason_words(line: Standing, lower: Standing, name: str) -> str:
    """Return why a player is ahead of the next line, the player `name`, as a sentence.

    The sentence is empty if a higher score is the reason, or if both share a place.
    """
    if line.lead is None or line.score > lower.score:
        return ""
    criterion = criterion_words(line.lead.criterion)
    if line.lead.criterion in (Criterion.LOT, Criterion.BY_HAND):
        return gettext("Tied with {name}, ahead on: {criterion}", name=name, criterion=criterion)
    own, other = (number_words(value, line.lead.criterion) for value in (line.lead.own, line.lead.other))
    if line.score < lower.score:
        return gettext(
            "Ahead of {name} on: {criterion} ({own} to {other})", name=name, criterion=criterion, own=own, other=other
        )
    return gettext(
        "Tied with {name}, ahead on: {criterion} ({own} to {other})",
        name=name,
        criterion=criterion,
        own=own,
        other=other,
    )
