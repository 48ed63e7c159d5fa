"""The standings over several game nights: each player's totals."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from tilekeeper.companion.game_night.evening_result import EveningResult, PlayerResult
from tilekeeper.engine.game.scoring import Points, simplify_points
from tilekeeper.engine.rules.policies import Totals


@dataclass(frozen=True, slots=True)
class PlayerTotals:
    """A player's totals over several game nights. Players are identified by their names, letter by letter."""

    name: str
    evenings: int = 0
    """The number of game nights with a scored round."""
    evenings_won: int = 0
    """How many of these game nights the player won, alone or with others."""
    rounds: int = 0
    rounds_won: int = 0
    points: Points = 0
    """The sum of points over the game nights that are decided by points, not by rounds won or stars."""
    turns: int = 0
    laid: int = 0
    best: int = 0
    """The most tiles laid in one turn."""
    timed: int = 0
    seconds: float = 0.0

    @property
    def average_s(self) -> float | None:
        """The average duration of a turn, in seconds; None if no duration is known."""
        return self.seconds / self.timed if self.timed else None


def standings(results: Iterable[EveningResult]) -> tuple[PlayerTotals, ...]:
    """Return the totals of each player, the best first: by game nights won, then rounds won, then points, then name.

    Game nights without a scored round do not count.
    """
    totals: dict[str, PlayerTotals] = {}
    for result in results:
        if result.rounds:
            for seat, player in enumerate(result.players):
                totals[player.name] = _add_game_night(
                    totals.get(player.name, PlayerTotals(player.name)), result, seat, player
                )
    return tuple(sorted(totals.values(), key=_sort_key))


def _sort_key(totals: PlayerTotals) -> tuple[int, int, Points, str]:
    return -totals.evenings_won, -totals.rounds_won, -totals.points, totals.name


def _add_game_night(totals: PlayerTotals, result: EveningResult, seat: int, player: PlayerResult) -> PlayerTotals:
    sheet = result.sheet
    points = sheet.totals[seat] if result.counts is Totals.HIGHEST_TOTAL else 0
    return replace(
        totals,
        evenings=totals.evenings + 1,
        evenings_won=totals.evenings_won + (seat in sheet.leaders),
        rounds=totals.rounds + len(result.rounds),
        rounds_won=totals.rounds_won + sum(seat in score.winners for score in result.rounds),
        points=simplify_points(totals.points + points),
        turns=totals.turns + player.turns,
        laid=totals.laid + player.laid,
        best=max(totals.best, player.best),
        timed=totals.timed + player.timed,
        seconds=totals.seconds + player.seconds,
    )
