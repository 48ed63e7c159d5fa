"""Serialises the live state of a game night (what no record has, such as the clock), so that a restart keeps it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final, NotRequired

from pydantic import TypeAdapter
from typing_extensions import TypedDict

from tilekeeper.companion.game_night.clock import Clock
from tilekeeper.companion.game_night.recorded_game import RecordedGame
from tilekeeper.companion.game_night.settings import GameNightSettings
from tilekeeper.companion.game_night.state import FailedTurn, FailureCause, GameNightState, Halt, state_of_records
from tilekeeper.engine.game.events import TilesLaid
from tilekeeper.engine.game.log import format_entry, format_header, parse_log
from tilekeeper.engine.tiles.notation import parse_table


class _Failing(TypedDict):
    why: FailureCause
    laid: str | None
    taken_back: NotRequired[str | None]
    """The overruled legal turn as a line of the game's file."""


class _Live(TypedDict):
    clock: object
    failing: _Failing | None
    start_picture: str | None
    results_seen: NotRequired[int]
    """Game nights of earlier versions have neither this nor `halt`."""
    halt: NotRequired[Halt | None]


_LIVE: Final = TypeAdapter(_Live)


def live_json(night: GameNightState, now_s: float) -> dict[str, Any]:
    """Return the live state of a game night, such as its clock, as plain data for JSON, for `revive`."""
    failing = night.failing
    return {
        "clock": night.clock.as_json(now_s),
        "failing": None if failing is None else _failing_json(failing),
        "start_picture": night.start_picture,
        "results_seen": night.results_seen,
        "halt": night.halt,
    }


def revive(recorded: RecordedGame, settings: GameNightSettings, live: object) -> GameNightState:
    """Return the game night of `recorded` with its stored live state; the clock is stopped.

    Raises:
        ValueError: if `live` was not made by `live_json` for these records.
    """
    stored = _LIVE.validate_python(live)
    clock = Clock.from_json(stored["clock"])
    if not 0 <= clock.player < len(clock.banks_s or recorded.state.players):
        raise ValueError("the clock is that of another game")
    failing = stored["failing"]
    return replace(
        state_of_records(recorded, settings),
        clock=clock,
        start_picture=stored["start_picture"],
        results_seen=stored.get("results_seen", len(recorded.state.sheet.rounds)),
        failing=None if failing is None else _failing_from(failing),
        halt=stored.get("halt"),
    )


def _failing_json(failing: FailedTurn) -> _Failing:
    return {
        "why": failing.why,
        "laid": None if failing.laid is None else str(failing.laid),
        "taken_back": None if failing.taken_back is None else format_entry(failing.taken_back),
    }


def _failing_from(stored: _Failing) -> FailedTurn:
    laid = None if stored["laid"] is None else parse_table(stored["laid"])
    line = stored.get("taken_back")
    if line is None:
        return FailedTurn(stored["why"], laid)
    (taken_back,) = parse_log(f"{format_header()}\n{line}\n")
    if not isinstance(taken_back, TilesLaid):
        raise ValueError("what was taken back is no turn")
    return FailedTurn(stored["why"], laid, taken_back)
