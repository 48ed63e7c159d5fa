"""The score sheet: what each player noted round by round, the totals, who leads, and whether plus equals minus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from tilekeeper.engine.game.scoring import Points, RoundScore, whole
from tilekeeper.engine.rules.policies import Totals


@dataclass(frozen=True, slots=True)
class ScoreSheet:
    """The rounds of a game, by seats."""

    players: tuple[str, ...]
    counts: Totals
    """What decides over several rounds."""
    rounds: tuple[RoundScore, ...] = ()

    def with_round(self, score: RoundScore) -> ScoreSheet:
        """The sheet with one more round.

        Raises:
            ValueError: if the round has another number of players.
        """
        if len(score.points) != len(self.players):
            raise ValueError(f"the sheet has {len(self.players)} players, the round {len(score.points)}")
        return replace(self, rounds=(*self.rounds, score))

    @property
    def totals(self) -> tuple[Points, ...]:
        """The sum of each player's points, or the rounds that each has won where those are what counts."""
        match self.counts:
            case Totals.HIGHEST_TOTAL:
                return tuple(
                    whole(sum(score.points[player] for score in self.rounds)) for player in range(len(self.players))
                )
            case Totals.ROUNDS_WON:
                return tuple(
                    sum(player in score.winners for score in self.rounds) for player in range(len(self.players))
                )
            case _ as never:  # pragma: no cover - the type checker proves it
                assert_never(never)

    @property
    def leaders(self) -> tuple[int, ...]:
        """Who has the highest total; several share it, and nobody has it before the first round."""
        totals = self.totals
        return tuple(player for player, total in enumerate(totals) if self.rounds and total == max(totals))

    @property
    def imbalance(self) -> Points:
        """By how much plus exceeds minus in the totals of all rounds in which they must be equal; 0 is right."""
        return whole(sum(sum(score.points) for score in self.rounds if score.zero_sum))

    @property
    def unbalanced_rounds(self) -> tuple[int, ...]:
        """The rounds, from 0, in which plus does not equal minus although it must."""
        return tuple(at for at, score in enumerate(self.rounds) if score.zero_sum and sum(score.points) != 0)


def noted_round(points: Sequence[Points]) -> RoundScore:
    """A round as players noted it by hand: whoever notes most has won it, and plus should equal minus."""
    most = max(points)
    return RoundScore(
        tuple(points), tuple(player for player, noted in enumerate(points) if noted == most), zero_sum=True
    )
