"""What remains of an evening once it is played: its rounds and what each player did, small enough to keep beside it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, Final, TypeAlias

from pydantic import Field, TypeAdapter, ValidationError

from tilekeeper.companion.game_night.clock import Seconds
from tilekeeper.companion.game_night.played_turns import PlayedTurn, played_turns
from tilekeeper.companion.game_night.recorded_game import RecordedGame
from tilekeeper.engine.game.score_sheet import ScoreSheet
from tilekeeper.engine.game.scoring import RoundScore
from tilekeeper.engine.rules.policies import Totals

_MOST: Final = 10**9
"""No number of an evening is larger: standings add them up, and pages show them."""
Count: TypeAlias = Annotated[int, Field(ge=0, le=_MOST)]


@dataclass(frozen=True, slots=True)
class PlayerResult:
    """What one player did in an evening."""

    name: str
    """As it was typed."""
    turns: Count
    laid: Count
    """How many tiles from the rack stayed on the table."""
    best: Count
    """The most of them in one turn."""
    timed: Count
    """Of how many turns it is known how long they took."""
    seconds: Seconds
    """How long those took together."""


@dataclass(frozen=True, slots=True)
class EveningResult:
    """The rounds that were scored, by seats, and what was done in all turns so far."""

    edition: str
    counts: Totals
    """What decides over several rounds."""
    players: tuple[PlayerResult, ...]
    rounds: tuple[RoundScore, ...]

    @property
    def sheet(self) -> ScoreSheet:
        """The score sheet."""
        return ScoreSheet(tuple(player.name for player in self.players), self.counts, self.rounds)

    def as_json(self) -> dict[str, Any]:
        """As plain data for JSON, which `result_from_json` reads back; points that are shared stay exact."""
        plain: dict[str, Any] = _RESULT.dump_python(self, mode="json", exclude={"rounds"})
        return plain | {"rounds": [_round_json(score) for score in self.rounds]}


_RESULT: Final = TypeAdapter(EveningResult)


def result_of(recorded: RecordedGame) -> EveningResult:
    """Return what an evening has come to so far."""
    sheet, turns = recorded.state.sheet, tuple(turn for turn in played_turns(recorded) if turn.settled)
    players = tuple(
        _player(name, [turn for turn in turns if turn.player == seat])
        for seat, name in enumerate(recorded.state.players)
    )
    # Who came late has no points of the rounds before: the sheet itself knows that.
    return EveningResult(recorded.start.edition, sheet.counts, players, sheet.rounds)


def result_from_json(kept: object) -> EveningResult | None:
    """Return the result that was kept; None where it is none."""
    try:
        result = _RESULT.validate_python(kept)
    except ValidationError:
        return None
    seats = len(result.players)
    return result if all(_fits(one, seats) for one in result.rounds) else None


def _fits(score: RoundScore, seats: int) -> bool:
    return (
        len(score.points) == seats
        and set(score.winners) <= set(range(seats))
        and all(-_MOST <= points <= _MOST for points in score.points)
    )


def _round_json(score: RoundScore) -> dict[str, Any]:
    points = [str(points) if isinstance(points, Fraction) else points for points in score.points]
    return {"points": points, "winners": list(score.winners), "zero_sum": score.zero_sum}


def _player(name: str, turns: Iterable[PlayedTurn]) -> PlayerResult:
    own = tuple(turns)
    laid = [len(turn.placed) for turn in own]
    seconds = [turn.seconds for turn in own if turn.seconds is not None]
    return PlayerResult(name, len(own), sum(laid), max(laid, default=0), len(seconds), round(sum(seconds), 1))
