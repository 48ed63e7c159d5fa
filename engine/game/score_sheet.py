"""The score sheet: the points of each player in each round, totals, leaders, and rounds that should add up to 0."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from tilekeeper.engine.game.scoring import Points, RoundScore, simplify_points
from tilekeeper.engine.rules.policies import Totals


@dataclass(frozen=True, slots=True)
class ScoreSheet:
    """The scores of all rounds, by seat."""

    players: tuple[str, ...]
    counts: Totals
    """The rule for the winner of several rounds."""
    rounds: tuple[RoundScore, ...] = ()

    def with_round(self, score: RoundScore) -> ScoreSheet:
        """Return the sheet with one more round.

        Raises:
            ValueError: if the round has another number of players.
        """
        if len(score.points) != len(self.players):
            raise ValueError(f"the sheet has {len(self.players)} players, the round {len(score.points)}")
        return replace(self, rounds=(*self.rounds, score))

    @property
    def totals(self) -> tuple[Points, ...]:
        """The total of each player: the sum of points, or the number of rounds won."""
        match self.counts:
            case Totals.HIGHEST_TOTAL:
                return tuple(
                    simplify_points(sum(score.points[player] for score in self.rounds))
                    for player in range(len(self.players))
                )
            case Totals.ROUNDS_WON:
                return tuple(
                    sum(player in score.winners for score in self.rounds) for player in range(len(self.players))
                )
            case _ as never:  # pragma: no cover - the type checker proves it
                assert_never(never)

    @property
    def leaders(self) -> tuple[int, ...]:
        """The players with the highest total; nobody before the first round."""
        totals = self.totals
        return tuple(player for player, total in enumerate(totals) if self.rounds and total == max(totals))

    @property
    def imbalance(self) -> Points:
        """The sum of all points of the zero-sum rounds; 0 if all were noted without a mistake."""
        return simplify_points(sum(sum(score.points) for score in self.rounds if score.zero_sum))

    @property
    def unbalanced_rounds(self) -> tuple[int, ...]:
        """The indices of zero-sum rounds whose points do not add up to 0."""
        return tuple(index for index, score in enumerate(self.rounds) if score.zero_sum and sum(score.points) != 0)


def score_from_notes(points: Sequence[Points]) -> RoundScore:
    """Return the score of a round from the points that were noted by hand; the highest points win.

    The round counts as zero-sum, so its points should add up to 0.
    """
    most = max(points)
    return RoundScore(
        tuple(points), tuple(player for player, noted in enumerate(points) if noted == most), zero_sum=True
    )
