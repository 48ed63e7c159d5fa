"""The table of a season: several events, of which each player's best count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from tilekeeper.companion.tournament.record import Player
from tilekeeper.engine.game.scoring import Points, simplify_points


@dataclass(frozen=True, slots=True)
class SeasonLine:
    """One line of a season's table."""

    place: int
    """The place, from 1; equal players share it, and the next places are left out."""
    player: Player
    total: Points
    """The sum of the scores in the events that count."""
    scores: tuple[Points | None, ...]
    """The score in each event; None for an event in which the player did not play."""
    counted: tuple[bool, ...]
    """For each event whether its score counts in `total`."""


def season_table(events: Sequence[Mapping[Player, Points]], best: int | None = None) -> tuple[SeasonLine, ...]:
    """Return the table of a season, best first; equal players are in the order of their names.

    Args:
        events: for each event the score of each of its players.
        best: the number of each player's best events that count; None for all.

    >>> [(line.place, line.player, line.total) for line in season_table([{"A": 5, "B": 3}, {"A": -9, "B": 1}], 1)]
    [(1, 'A', 5), (2, 'B', 3)]
    """
    lines = []
    for player in sorted({player for event in events for player in event}):
        scores = tuple(event.get(player) for event in events)
        order = sorted(
            ((-score, index) for index, score in enumerate(scores) if score is not None),
        )[:best]
        total = simplify_points(Fraction(-sum(score for score, _ in order)))
        kept = {index for _, index in order}
        lines.append(SeasonLine(0, player, total, scores, tuple(index in kept for index in range(len(events)))))
    lines.sort(key=lambda line: -line.total)
    totals = [line.total for line in lines]
    return tuple(
        SeasonLine(totals.index(line.total) + 1, line.player, line.total, line.scores, line.counted) for line in lines
    )
