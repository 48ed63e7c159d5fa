"""Which messages a change of the game night brings: a comparison of two of its states."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from typing import Literal

from tilekeeper.companion.game_night.played_turns import PlayedTurn, newest_verdict, played_turns
from tilekeeper.companion.hooks.messages import (
    EveningEnded,
    HookMessage,
    PlayerScore,
    PlayerTotal,
    RoundEnded,
    TimeRunningOut,
    TurnEnded,
    VerdictGiven,
)
from tilekeeper.companion.session.game_night import GameNight
from tilekeeper.engine.game.events import TileDrawn, TilesLaid, TurnFailed
from tilekeeper.engine.game.score_sheet import ScoreSheet
from tilekeeper.engine.game.state import Phase


def messages_between(earlier: GameNight, night: GameNight, at: str) -> Iterator[HookMessage]:
    """Yield the messages about what happened from one state of a game night to a later one, in order.

    Steps that were undone meanwhile bring none. `at` is the time in UTC.
    """
    recorded, first_new = night.state.recorded, len(earlier.state.recorded.records)
    if len(recorded.records) > first_new:
        for turn in played_turns(recorded):
            if turn.place >= first_new:
                yield from _of_turn(night, turn, at)
    sheet = night.state.state.sheet
    for place in range(len(earlier.state.state.sheet.rounds), len(sheet.rounds)):
        yield _of_round(night, place, at)
    if night.state.state.phase is Phase.OVER and earlier.state.state.phase is not Phase.OVER:
        totals = [
            PlayerTotal(player=name, total=float(total))
            for name, total in zip(sheet.players, sheet.totals, strict=True)
        ]
        rounds = len(sheet.rounds)
        yield EveningEnded(**_head(night, max(1, rounds), at), winners=_names(sheet, sheet.leaders), totals=totals)


def time_message(night: GameNight, left_s: int, at: str) -> TimeRunningOut:
    """Return the message that the turn in progress has at most `left_s` seconds left."""
    play = night.state.round
    player = night.state.state.players[play.turn]
    return TimeRunningOut(**_head(night, play.number, at), player=player, left_s=left_s)


def _of_turn(night: GameNight, turn: PlayedTurn, at: str) -> Iterator[HookMessage]:
    after = night.state.recorded.states[turn.place]
    head, player = _head(night, turn.round, at), night.state.state.players[turn.player]
    verdict = None if after.round is None else newest_verdict(after.round)
    entry = turn.record.entry
    if isinstance(entry, TilesLaid) and verdict is not None:
        yield VerdictGiven(
            **head,
            player=player,
            kind=verdict.outcome.value,
            overruled=entry.overruled,
            laid=len(verdict.placed),
            faults=[str(violation.code) for violation in verdict.violations],
        )
    if turn.settled:
        follows = None if after.round is None or after.phase is not Phase.TURNS else after.players[after.round.turn]
        yield TurnEnded(
            **_head(night, turn.round, at),
            player=player,
            turn=turn.number,
            kind=_kind(turn),
            laid=len(turn.placed),
            seconds=turn.seconds,
            next=follows,
        )


def _kind(turn: PlayedTurn) -> Literal["laid", "drew", "passed", "failed"]:
    match turn.record.entry:
        case TilesLaid():
            return "laid"
        case TurnFailed():
            return "failed"
        case TileDrawn():
            return "drew"
        case _:
            return "passed"


def _of_round(night: GameNight, place: int, at: str) -> RoundEnded:
    sheet = night.state.state.sheet
    score = sheet.rounds[place]
    totals = ScoreSheet(sheet.players, sheet.counts, sheet.rounds[: place + 1]).totals
    scores = [
        PlayerScore(player=name, points=float(points), total=float(total))
        for name, points, total in zip(sheet.players, score.points, totals, strict=True)
    ]
    return RoundEnded(**_head(night, place + 1, at), winners=_names(sheet, score.winners), scores=scores)


def _names(sheet: ScoreSheet, seats: tuple[int, ...]) -> list[str]:
    return [sheet.players[seat] for seat in seats]


def _head(night: GameNight, round_number: int, at: str) -> dict[str, object]:
    return {"id": secrets.token_hex(8), "at": at, "evening": night.id, "demo": night.demo, "round": round_number}
