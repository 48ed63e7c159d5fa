"""The criteria of standings: measures of a player's games, and tie-breaks."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class Criterion(StrEnum):
    """A criterion of the standings; a higher value is always better.

    Criteria of the FIDE Handbook's tie-break regulations (C.07) have their names there.
    """

    TILE_POINTS = "tile-points"
    """The sum of the tile points of all games."""
    PLACEMENT_POINTS = "placement-points"
    """The sum of the points for the player's place in each game, such as 4, 3, 1, 0."""
    WINS = "wins"
    """The number of games won, shared wins included."""
    DIRECT_ENCOUNTER = "direct-encounter"
    """The results of equal players against each other, if all of them have met, or if nobody can overtake the first."""
    BEST_GAME = "best-game"
    """The highest number of tile points in one game."""
    BUCHHOLZ = "buchholz"
    """The sum of the scores of all opponents; an opponent who was met twice counts twice."""
    BUCHHOLZ_CUT_1 = "buchholz-cut-1"
    """Buchholz without the lowest score."""
    BUCHHOLZ_MEDIAN = "buchholz-median"
    """Buchholz without the lowest and the highest score."""
    PROGRESSIVE = "progressive"
    """The sum of the scores after each round, so early points count more."""
    LOT = "lot"
    """A lot, drawn from the seed of the tournament."""
    BY_HAND = "by-hand"
    """The decision of an arbiter."""
    KNOCK_OUT_ROUND = "knock-out-round"
    """The last knock-out round that the player reached."""
    KNOCK_OUT_RESULT = "knock-out-result"
    """The score in the last knock-out round that the player reached."""


MEASURES: Final = (Criterion.TILE_POINTS, Criterion.PLACEMENT_POINTS, Criterion.WINS)
"""The criteria that can be the score, the first criterion of the standings."""
TIE_BREAKS: Final = tuple(one for one in Criterion if not one.startswith("knock-out"))
"""The criteria that an organiser can choose, `MEASURES` included."""
KNOCK_OUT: Final = (Criterion.KNOCK_OUT_ROUND, Criterion.KNOCK_OUT_RESULT)
"""The criteria that come first once a knock-out has begun."""
