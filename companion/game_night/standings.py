"""Standings over evenings: what each player has come to, added up from the results of evenings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from tilekeeper.companion.game_night.evening_result import EveningResult, PlayerResult
from tilekeeper.engine.game.scoring import Points, simplify_points
from tilekeeper.engine.rules.policies import Totals


@dataclass(frozen=True, slots=True)
class PlayerTotals:
    """What a player has come to. The name as it was typed is the player: whoever types the same is the same."""

    name: str
    evenings: int = 0
    """In how many evenings a round was scored."""
    evenings_won: int = 0
    """How many of them the player led in the end, alone or with others."""
    rounds: int = 0
    rounds_won: int = 0
    points: Points = 0
    """Of the evenings in which points decide; those in which rounds or stars do add nothing."""
    turns: int = 0
    laid: int = 0
    best: int = 0
    """The most tiles that were laid in one turn."""
    timed: int = 0
    seconds: float = 0.0

    @property
    def average_s(self) -> float | None:
        """How long a turn took in the mean; none where that is not known of any."""
        return self.seconds / self.timed if self.timed else None


def standings(results: Iterable[EveningResult]) -> tuple[PlayerTotals, ...]:
    """Return the standings after some evenings, whoever has won most of them at the front.

    Evenings without a scored round count for nothing. Who won equally many evenings is ordered by rounds won, then by
    points, then by name.
    """
    found: dict[str, PlayerTotals] = {}
    for result in results:
        if result.rounds:
            for seat, player in enumerate(result.players):
                found[player.name] = _with_evening(
                    found.get(player.name, PlayerTotals(player.name)), result, seat, player
                )
    return tuple(sorted(found.values(), key=_place))


def _place(one: PlayerTotals) -> tuple[int, int, Points, str]:
    return -one.evenings_won, -one.rounds_won, -one.points, one.name


def _with_evening(so_far: PlayerTotals, result: EveningResult, seat: int, player: PlayerResult) -> PlayerTotals:
    sheet = result.sheet
    points = sheet.totals[seat] if result.counts is Totals.HIGHEST_TOTAL else 0
    return replace(
        so_far,
        evenings=so_far.evenings + 1,
        evenings_won=so_far.evenings_won + (seat in sheet.leaders),
        rounds=so_far.rounds + len(result.rounds),
        rounds_won=so_far.rounds_won + sum(seat in score.winners for score in result.rounds),
        points=simplify_points(so_far.points + points),
        turns=so_far.turns + player.turns,
        laid=so_far.laid + player.laid,
        best=max(so_far.best, player.best),
        timed=so_far.timed + player.timed,
        seconds=so_far.seconds + player.seconds,
    )
