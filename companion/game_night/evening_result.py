"""The result of a game night, its rounds and each player's totals, as stored beside the records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, Final, TypeAlias

from pydantic import Field, TypeAdapter, ValidationError

from tilekeeper.companion.game_night.clock import Seconds
from tilekeeper.companion.game_night.played_turns import PlayedTurn, new_runs, played_turns
from tilekeeper.companion.game_night.recorded_game import RecordedGame
from tilekeeper.engine.game.score_sheet import ScoreSheet
from tilekeeper.engine.game.scoring import RoundScore
from tilekeeper.engine.rules.policies import Totals

_MOST: Final = 10**9
"""The limit for each stored number, so that sums in standings stay finite."""
Count: TypeAlias = Annotated[int, Field(ge=0, le=_MOST)]


@dataclass(frozen=True, slots=True)
class PlayerResult:
    """The result of one player in a game night."""

    name: str
    """The name as it was typed."""
    turns: Count
    laid: Count
    """How many tiles from the rack stayed on the table."""
    best: Count
    """The most tiles laid in one turn."""
    timed: Count
    """How many turns have a known duration."""
    seconds: Seconds
    """The total duration of the `timed` turns."""
    longest_run: Count
    """The most tiles of a run that the player has made; 0 for none."""
    fastest_s: Seconds | None
    """The duration of the fastest turn in which the player laid tiles; None if none was timed."""


@dataclass(frozen=True, slots=True)
class EveningResult:
    """The scored rounds of a game night, and each player's totals over all turns."""

    edition: str
    counts: Totals
    """What decides who wins the game night: the total of points, the rounds won, or the stars."""
    players: tuple[PlayerResult, ...]
    rounds: tuple[RoundScore, ...]

    @property
    def sheet(self) -> ScoreSheet:
        """The score sheet of all rounds, with totals and leaders."""
        return ScoreSheet(tuple(player.name for player in self.players), self.counts, self.rounds)

    def as_json(self) -> dict[str, Any]:
        """Return plain data for JSON, for `result_from_json`; fractions of points stay exact."""
        plain: dict[str, Any] = _RESULT.dump_python(self, mode="json", exclude={"rounds"})
        return plain | {"rounds": [_round_json(score) for score in self.rounds]}


_RESULT: Final = TypeAdapter(EveningResult)


def result_of(recorded: RecordedGame) -> EveningResult:
    """Return the result of a game night so far."""
    sheet, turns = recorded.state.sheet, tuple(turn for turn in played_turns(recorded) if turn.settled)
    players = tuple(
        _player(recorded, name, [turn for turn in turns if turn.player == seat])
        for seat, name in enumerate(recorded.state.players)
    )
    # The sheet knows that players who joined late have no points of earlier rounds.
    return EveningResult(recorded.start.edition, sheet.counts, players, sheet.rounds)


def result_from_json(stored: object) -> EveningResult | None:
    """Return the stored result; None if `stored` was not made by `EveningResult.as_json`."""
    try:
        result = _RESULT.validate_python(stored)
    except ValidationError:
        return None
    seats = len(result.players)
    return result if all(_is_valid(score, seats) for score in result.rounds) else None


def _is_valid(score: RoundScore, seats: int) -> bool:
    return (
        len(score.points) == seats
        and set(score.winners) <= set(range(seats))
        and all(-_MOST <= points <= _MOST for points in score.points)
    )


def _round_json(score: RoundScore) -> dict[str, Any]:
    points = [str(points) if isinstance(points, Fraction) else points for points in score.points]
    return {"points": points, "winners": list(score.winners), "zero_sum": score.zero_sum}


def _player(recorded: RecordedGame, name: str, turns: Sequence[PlayedTurn]) -> PlayerResult:
    laid = [len(turn.placed) for turn in turns]
    seconds = [turn.seconds for turn in turns if turn.seconds is not None]
    with_tiles = [turn.seconds for turn in turns if turn.placed and turn.seconds is not None]
    return PlayerResult(
        name,
        turns=len(turns),
        laid=sum(laid),
        best=max(laid, default=0),
        timed=len(seconds),
        seconds=round(sum(seconds), 1),
        longest_run=max((len(run) for turn in turns for run in new_runs(recorded, turn)), default=0),
        fastest_s=min(with_tiles, default=None),
    )
