"""Putting an earlier entry right: what came after it is replayed, as if it had been recorded so from the beginning."""

from __future__ import annotations

import json
from collections.abc import Mapping

from tilekeeper.companion.game_night.record import Record
from tilekeeper.companion.game_night.state import GameNightState, Press
from tilekeeper.companion.refusal import Refused
from tilekeeper.engine.game.events import Corrected, GameStarted, Undone
from tilekeeper.engine.game.log import GameLogError


def amend(
    night: GameNightState, press: Press, place: int, event: Mapping[str, object], reason: str = ""
) -> GameNightState:
    """Record another event in the place of an earlier one.

    Args:
        night: the state of the game night.
        press: who says so.
        place: which, from 0, as in the history.
        event: what should have been recorded, in the form of the game's file.
        reason: why, in a person's words.

    Raises:
        Refused: if there is no such entry, it is none that can be put right, or what came after it could not follow.
    """
    try:
        instead = Record.read(json.dumps(event), {"step": 0, "at": ""}).entry
    except GameLogError as error:
        raise Refused(f"This is no event: {error.message}.", "bad-input") from None
    if isinstance(instead, Corrected | Undone | GameStarted) or place == 0:
        raise Refused("The beginning can't be put right, nor what was taken back: begin a new evening, or undo.")
    return night.with_events([Corrected(place, instead)], press, reason=reason)
