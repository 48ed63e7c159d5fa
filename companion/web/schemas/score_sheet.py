"""Answers about the score sheet of a game night."""

from typing import Self

from tilekeeper.companion.text.scores import balance_sentences, leaders_sentence, points_words
from tilekeeper.companion.web.schemas.answer import Answer
from tilekeeper.engine.game.score_sheet import ScoreSheet
from tilekeeper.engine.game.scoring import Points
from tilekeeper.engine.rules.policies import Totals


class PointsJson(Answer):
    """Points, as a number and as a score sheet shows them."""

    value: float
    text: str
    """`+24`, `-5`, `+7 1/2`."""

    @classmethod
    def from_points(cls, points: Points, signed: bool) -> Self:
        """Return points as a number, and as text with a typographic minus."""
        return cls(value=float(points), text=points_words(points, signed).replace("-", "\N{MINUS SIGN}"))


class RoundJson(Answer):
    """The points of one round, by seat, and its winners."""

    points: list[PointsJson]
    winners: list[int]


class SheetJson(Answer):
    """The score sheet: all scored rounds, the totals and the leaders."""

    rounds: list[RoundJson]
    totals: list[PointsJson]
    running: list[list[float]]
    """The totals after each round, by seat, for a line chart."""
    leaders: list[int]
    counts: str
    """`highest-total` or `rounds-won`."""
    leads: str
    """A sentence about who leads."""
    balance: list[str]
    """Sentences about whether all points of a round add up to zero; empty if the edition does not require this."""
    balanced: bool
    """Whether the points of every round add up as the edition requires."""

    @classmethod
    def from_sheet(cls, sheet: ScoreSheet) -> Self:
        """Return the score sheet for the page."""
        signed = sheet.counts is Totals.HIGHEST_TOTAL
        partial = [ScoreSheet(sheet.players, sheet.counts, sheet.rounds[: at + 1]) for at in range(len(sheet.rounds))]
        return cls(
            rounds=[
                RoundJson(
                    points=[PointsJson.from_points(points, signed) for points in score.points],
                    winners=list(score.winners),
                )
                for score in sheet.rounds
            ],
            totals=[PointsJson.from_points(points, signed) for points in sheet.totals],
            running=[[float(points) for points in upto.totals] for upto in partial],
            leaders=list(sheet.leaders),
            counts=sheet.counts.value,
            leads=leaders_sentence(sheet),
            balance=balance_sentences(sheet),
            balanced=not sheet.unbalanced_rounds and sheet.imbalance == 0,
        )
