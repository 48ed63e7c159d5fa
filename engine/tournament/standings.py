"""Standings of a tournament, and the tie-breaks.

The first of these that differs decides. Players who are equal in all of them share a place, and the next places are
skipped:

1. the total of points, or the rounds won if the edition counts those;
2. the rounds won, or the total of points if rounds won decide;
3. the strength of opposition: the sum of the totals of all opponents, once for each meeting;
4. the best single round.

A bye counts 0 points and no win, so totals of zero-sum rounds still add up to 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeAlias

from tilekeeper.engine.game.scoring import Points, simplify_points
from tilekeeper.engine.rules.policies import Totals
from tilekeeper.engine.tournament.pairing import Player

_SortKey: TypeAlias = tuple[Points, Points, Points, Points]


@dataclass(frozen=True, slots=True)
class TableResult:
    """The result of one table in a round."""

    points: Mapping[Player, Points]
    """The points of each player."""
    won: frozenset[Player]
    """The winners; several if they share the win."""

    @property
    def balance(self) -> Points:
        """The sum of all points; 0 if the losers pay the winner."""
        return simplify_points(Fraction(sum(self.points.values())))


@dataclass(frozen=True, slots=True)
class Standing:
    """One line of the standings."""

    place: int
    """From 1; shared after a tie."""
    player: Player
    total: Points
    won: int
    """Rounds won, shared wins included."""
    opposition: Points
    """The sum of the totals of all opponents, once for each meeting."""
    best: Points
    """The most points in one round; 0 before the first."""
    played: int
    """Rounds played, byes not included."""


def standings(
    players: Iterable[Player], results: Sequence[TableResult], counts: Totals = Totals.HIGHEST_TOTAL
) -> tuple[Standing, ...]:
    """Return the standings, best first; players with a shared place are in the order of entry.

    Args:
        players: all players, also those who have left.
        results: the results of all tables of all rounds.
        counts: the rule for the winner of several rounds.

    Raises:
        KeyError: if a result names an unknown player.
    """
    totals: dict[Player, Points] = dict.fromkeys(players, 0)
    won, played, met = dict.fromkeys(totals, 0), dict.fromkeys(totals, 0), {player: list[Player]() for player in totals}
    noted: dict[Player, list[Points]] = {player: [] for player in totals}
    for result in results:
        for player, points in result.points.items():
            totals[player] += points
            noted[player].append(points)
            won[player] += player in result.won
            played[player] += 1
            met[player] += [opponent for opponent in result.points if opponent != player]

    def line(player: Player) -> Standing:
        opposition = simplify_points(Fraction(sum(totals[opponent] for opponent in met[player])))
        best = max(noted[player], default=0)
        return Standing(
            0, player, simplify_points(Fraction(totals[player])), won[player], opposition, best, played[player]
        )

    ranked = sorted(map(line, totals), key=lambda standing: _sort_key(standing, counts), reverse=True)
    return _assign_places(ranked, counts)


def _sort_key(line: Standing, counts: Totals) -> _SortKey:
    first = (line.total, line.won) if counts is Totals.HIGHEST_TOTAL else (line.won, line.total)
    return (*first, line.opposition, line.best)


def _assign_places(ranked: Sequence[Standing], counts: Totals) -> tuple[Standing, ...]:
    placed: list[Standing] = []
    for number, line in enumerate(ranked, start=1):
        shared = placed and _sort_key(placed[-1], counts) == _sort_key(line, counts)
        place = placed[-1].place if shared else number
        placed.append(replace(line, place=place))
    return tuple(placed)
