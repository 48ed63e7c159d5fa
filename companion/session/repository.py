"""Game nights on the disk: begins new ones, reads those that are stored, and stores what actions change."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from tilekeeper.companion.capture.encoding import Picture
from tilekeeper.companion.game_night.clock import Clock
from tilekeeper.companion.game_night.player_names import seat_name, tidy_name, tidy_names
from tilekeeper.companion.game_night.record import Note, Record
from tilekeeper.companion.game_night.recorded_game import RecordedGame
from tilekeeper.companion.game_night.settings import GameNightSettings
from tilekeeper.companion.game_night.state import GameNightState, live_json, revived
from tilekeeper.companion.observation.observed_table import EMPTY_TABLE
from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.session.game_night import GameNight
from tilekeeper.companion.session.snapshot import Moment
from tilekeeper.companion.storage.pictures import Pictures
from tilekeeper.companion.storage.store import SavedGameNight, Store
from tilekeeper.engine.game.events import GameStarted
from tilekeeper.engine.game.log import GameLogError
from tilekeeper.engine.game.state import EventRefused, Phase

log = logging.getLogger(__name__)

_OPEN = "open"
"""The preference that holds the id of the game night that is played."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """What the people agree upon before they sit down."""

    seats: tuple[tuple[str, ...], ...]
    """Who sits where, clockwise; mostly one person a seat."""
    edition: str
    house: tuple[str, ...]
    rounds: int | None
    first_acquaintance: bool
    leader: int | None
    settings: GameNightSettings


class GameNights:
    """All game nights of one data folder."""

    def __init__(self, database: Store) -> None:
        """Take the database; the pictures lie in the same folder."""
        self.database = database
        self.pictures = Pictures(database.folder)

    def begin(self, agreement: Agreement, moment: Moment, by: str) -> GameNight:
        """Return a new game night; it is stored once it is played.

        Raises:
            Refused: if it can't be played so.
        """
        people = tuple(tuple(map(tidy_name, people)) for people in agreement.seats)
        players = tidy_names(map(seat_name, people))
        event = GameStarted(
            players, agreement.edition, agreement.house, agreement.rounds, agreement.first_acquaintance,
            agreement.leader,
        )  # fmt: skip
        recorded = RecordedGame.begun(event, people, Note(step=1, at=moment.utc, by=by))
        state = GameNightState(recorded, agreement.settings, Clock(0, None), EMPTY_TABLE)
        return GameNight(secrets.token_hex(8), moment.utc, moment.utc, 1, state, moment.now_s)

    def load(self, id_: str, moment: Moment) -> GameNight:
        """Return a stored game night, with its clock standing.

        Raises:
            Refused: if there is no such game night, or it can't be read.
        """
        saved = self.database.game_night(id_)
        if saved is None:
            raise Refused("There is no such evening.", "not-found")
        try:
            recorded = RecordedGame.replayed(self.records(saved.id), saved.people)
            state = revived(recorded, GameNightSettings.from_json(saved.settings), saved.live)
        except (EventRefused, KeyError, ValueError) as error:
            raise Refused(f"This evening was written by another version and can't be read: {error}") from None
        return GameNight(saved.id, saved.begun_at, saved.changed_at, saved.revision, state, moment.now_s)

    def last_played(self, moment: Moment) -> GameNight | None:
        """Return the game night that was played when the app ended; None where it was left, is over or unreadable."""
        latest = next(iter(self.database.game_nights()), None)
        if latest is None or latest.over or self.database.recall(_OPEN) != latest.id:
            return None
        try:
            return self.load(latest.id, moment)
        except Refused as why:
            log.warning("The last evening can't be opened: %s", why)
            return None

    def records(self, id_: str) -> Sequence[Record]:
        """Return the records of a game night.

        Raises:
            Refused: if they can't be read.
        """
        try:
            return [Record.read(line, note) for line, note in self.database.lines(id_)]
        except (GameLogError, KeyError, TypeError, ValueError) as error:
            raise Refused(f"This evening was written by another version and can't be read: {error}") from None

    def picture(self, id_: str, name: str) -> bytes | None:
        """Return a picture of a game night's history as JPEG; None where there is none of that name."""
        return self.pictures.find(id_, name)

    def store(self, before: GameNight | None, after: GameNight | None, picture: Picture | None, moment: Moment) -> None:
        """Store what a command has changed.

        Args:
            before: the game night that was played before the command; None for none.
            after: the one that is played after it.
            picture: what the camera shows.
            moment: when.

        Raises:
            sqlalchemy.exc.SQLAlchemyError, OSError: if the disk refuses it; nothing is stored then.
        """
        if after is not None and before is not None and after.id == before.id:
            if after.revision != before.revision:
                self._keep_picture(before, after, picture)
                self.save(before, after, moment)
            return
        if before is not None:
            self.save(before, before, moment)
        if after is None:
            if before is not None:
                self.database.remember(_OPEN, None)
            return
        if self.database.game_night(after.id) is None:
            self.database.add(_saved(after, moment), after.state.recorded.records)
        self.database.remember(_OPEN, after.id)

    def save(self, before: GameNight, after: GameNight, moment: Moment) -> None:
        """Store the records that were added since `before`, and what lives between two records."""
        first = len(before.state.recorded.records)
        self.database.save(_saved(after, moment), first, after.state.recorded.records[first:])

    def _keep_picture(self, before: GameNight, after: GameNight, picture: Picture | None) -> None:
        records = after.state.recorded.records
        if len(records) == len(before.state.recorded.records) or picture is None:
            return
        name = records[-1].note.picture
        if name is not None:
            self.pictures.keep(after.id, name, picture.jpeg)


def _saved(night: GameNight, moment: Moment) -> SavedGameNight:
    return SavedGameNight(
        id=night.id,
        begun_at=night.begun_at,
        changed_at=night.changed_at,
        revision=night.revision,
        over=night.state.state.phase is Phase.OVER,
        people=night.state.recorded.people,
        settings=night.state.settings.as_json(),
        live=live_json(night.state, moment.now_s),
    )
