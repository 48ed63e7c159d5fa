"""Random results of games, for simulated tournaments."""

from __future__ import annotations

import random
from typing import Final

from tilekeeper.companion.tournament.record import GameResult, Player

_POINTS_PER_STEP: Final = 5
_MOST_STEPS: Final = 12
"""A loser pays 5 to 60 points in steps of 5, so that many scores are equal."""
_UNOPENED: Final = 0.05
"""The share of losers who never opened."""


def random_result(round_: int, table: tuple[Player, ...], rng: random.Random) -> GameResult:
    """Return a random result of a game at a table, in which all losers pay one winner."""
    winner = rng.choice(table)
    points = {player: -_POINTS_PER_STEP * rng.randint(1, _MOST_STEPS) for player in table if player != winner}
    unopened = frozenset(player for player in points if rng.random() < _UNOPENED)
    return GameResult(round_, {**points, winner: -sum(points.values())}, frozenset({winner}), unopened)
