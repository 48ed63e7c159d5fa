"""How everybody stands after some rounds, and by what ties are broken.

The first of these that differs decides; who is equal in all shares a place, and the places after it are skipped:

1. the total of what was noted, or the rounds won where the edition counts those;
2. the rounds won, or the total where rounds won decide;
3. the totals of those one sat with, one added for each meeting: who had the stronger tables;
4. the best single round.

A bye notes 0 and wins nothing, so that totals still add to zero wherever those of the tables do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeAlias

from tilekeeper.engine.game.scoring import Points, simplify_points
from tilekeeper.engine.rules.policies import Totals
from tilekeeper.engine.tournament.pairing import Player

_Rank: TypeAlias = tuple[Points, Points, Points, Points]


@dataclass(frozen=True, slots=True)
class TableResult:
    """What one table came to in a round."""

    points: Mapping[Player, Points]
    """What each player notes for it."""
    won: frozenset[Player]
    """Who has won it; several where they share it."""

    @property
    def balance(self) -> Points:
        """By how much plus exceeds minus; 0 where the edition's losers pay the winner."""
        return simplify_points(Fraction(sum(self.points.values())))


@dataclass(frozen=True, slots=True)
class Standing:
    """One line of the standings."""

    place: int
    """From 1; shared by those whom nothing parts."""
    player: Player
    total: Points
    won: int
    """Rounds won, shared ones too."""
    opposition: Points
    """The totals of those the player sat with, one added for each meeting."""
    best: Points
    """The most that the player noted in one round; 0 before the first."""
    played: int
    """Rounds in which the player sat at a table."""


def standings(
    players: Iterable[Player], results: Sequence[TableResult], counts: Totals = Totals.HIGHEST_TOTAL
) -> tuple[Standing, ...]:
    """The standings, the best first; equals in the order in which they were entered.

    Args:
        players: everybody, those who have left too.
        results: of all tables of all rounds.
        counts: what decides over several rounds.

    Raises:
        KeyError: if a result names somebody who is not among the players.
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
            met[player] += [other for other in result.points if other != player]

    def line(player: Player) -> Standing:
        opposition = simplify_points(Fraction(sum(totals[other] for other in met[player])))
        best = max(noted[player], default=0)
        return Standing(
            0, player, simplify_points(Fraction(totals[player])), won[player], opposition, best, played[player]
        )

    ranked = sorted(map(line, totals), key=lambda one: _rank(one, counts), reverse=True)
    return _placed(ranked, counts)


def _rank(line: Standing, counts: Totals) -> _Rank:
    first = (line.total, line.won) if counts is Totals.HIGHEST_TOTAL else (line.won, line.total)
    return (*first, line.opposition, line.best)


def _placed(ranked: Sequence[Standing], counts: Totals) -> tuple[Standing, ...]:
    placed: list[Standing] = []
    for number, line in enumerate(ranked, start=1):
        shared = placed and _rank(placed[-1], counts) == _rank(line, counts)
        place = placed[-1].place if shared else number
        placed.append(replace(line, place=place))
    return tuple(placed)
