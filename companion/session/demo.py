"""The demo: a game night of two invented players at the recorded table, which is not stored."""

from __future__ import annotations

import secrets
from typing import Final

from tilekeeper.companion.capture.recorded_table import start_of
from tilekeeper.companion.capture.source_choice import demo_path
from tilekeeper.companion.game_night.record import Note
from tilekeeper.companion.game_night.recorded_game import RecordedGame
from tilekeeper.companion.game_night.settings import DEFAULT_SETTINGS
from tilekeeper.companion.game_night.state import state_of_records
from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.session.game_night import GameNight
from tilekeeper.companion.session.snapshot import Moment
from tilekeeper.engine.game.events import (
    Dealt,
    GameStarted,
    PlayerOpened,
    PoolCounted,
    StarterChosen,
    TableCorrected,
)
from tilekeeper.engine.language import gettext
from tilekeeper.engine.tiles.notation import parse_table

PLAYERS: Final = ("Ada", "Bo")
EDITION: Final = "large-numbers"


def begin_demo(moment: Moment) -> GameNight:
    """Return the game night of the demo in its first turn, on the table with which the film begins.

    Raises:
        Refused: if the film is not installed.
    """
    path = demo_path()
    if path is None:
        raise Refused(gettext("The recorded table is not installed."), "not-found")
    film = start_of(path)
    table = parse_table(film.table)
    recorded = RecordedGame.begin(
        GameStarted(PLAYERS, EDITION), tuple((name,) for name in PLAYERS), Note(step=1, at=moment.utc, by="")
    )
    note = Note(step=2, at=moment.utc, by="")
    recorded = recorded.with_events((StarterChosen(0, overruled=True), Dealt(), TableCorrected(table)), note)
    play = recorded.state.round
    assert play is not None  # the tiles were dealt
    opened = map(PlayerOpened, sorted(film.opened))
    recorded = recorded.with_events((*opened, PoolCounted(play.pool - sum(map(len, table.melds)))), note)
    night = state_of_records(recorded, DEFAULT_SETTINGS)
    return GameNight(secrets.token_hex(8), moment.utc, moment.utc, 1, night, moment.now_s, demo=True)
