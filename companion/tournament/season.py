"""The table of a season: several events, of which each player's best events or best games count."""

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
    """The score in each event; None for an event in which the player did not play. If the best games count, the score
    has only the games that count in the season."""
    counted: tuple[bool, ...]
    """For each event whether its score, or any of its games, counts in `total`."""


@dataclass(frozen=True, slots=True)
class EventGames:
    """The games of one player in one event."""

    games: tuple[Points, ...]
    """The score of each game, byes included."""
    penalties: Points = 0
    """The penalty points of the event, which always count."""


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
    return _placed(lines)


def season_table_by_games(events: Sequence[Mapping[Player, EventGames]], best: int) -> tuple[SeasonLine, ...]:
    """Return the table of a season in which the best games of each player count, from whichever events.

    Args:
        events: for each event the games of each of its players.
        best: the number of each player's best games that count.

    >>> games = [{"A": EventGames((5, -9))}, {"A": EventGames((7, 6), penalties=1)}]
    >>> [(line.total, line.scores) for line in season_table_by_games(games, 2)]
    [(12, (0, 12))]
    """
    lines = []
    for player in sorted({player for event in events for player in event}):
        played = [event.get(player) for event in events]
        order = sorted(
            (-score, index) for index, event in enumerate(played) if event is not None for score in event.games
        )[:best]
        counting = [[-score for score, at in order if at == index] for index in range(len(events))]
        scores = tuple(
            None if event is None else simplify_points(Fraction(sum(games) - event.penalties))
            for event, games in zip(played, counting, strict=True)
        )
        total = simplify_points(Fraction(sum(score for score in scores if score is not None)))
        lines.append(SeasonLine(0, player, total, scores, tuple(map(bool, counting))))
    return _placed(lines)


def _placed(lines: list[SeasonLine]) -> tuple[SeasonLine, ...]:
    """Return the lines with their places, the highest total first."""
    lines.sort(key=lambda line: -line.total)
    totals = [line.total for line in lines]
    return tuple(
        SeasonLine(totals.index(line.total) + 1, line.player, line.total, line.scores, line.counted) for line in lines
    )
