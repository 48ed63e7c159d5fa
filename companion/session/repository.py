"""The repository of game nights: begins new game nights, loads stored ones, and stores each change."""

from __future__ import annotations

import logging
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from pydantic import TypeAdapter
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from tilekeeper.companion.capture.encoding import Picture
from tilekeeper.companion.game_night.clock import Clock
from tilekeeper.companion.game_night.evening_result import result_of
from tilekeeper.companion.game_night.live import live_json, revive
from tilekeeper.companion.game_night.player_names import seat_name, tidy_name, tidy_names
from tilekeeper.companion.game_night.record import Note
from tilekeeper.companion.game_night.recorded_game import RecordedGame
from tilekeeper.companion.game_night.settings import DEFAULT_SETTINGS, GameNightSettings
from tilekeeper.companion.game_night.state import GameNightState, state_of_records
from tilekeeper.companion.observation.observed_table import EMPTY_TABLE
from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.session.agreement import Agreement
from tilekeeper.companion.session.game_night import GameNight
from tilekeeper.companion.session.snapshot import Moment
from tilekeeper.companion.storage.pictures import Pictures
from tilekeeper.companion.storage.schema import OPEN_EVENING
from tilekeeper.companion.storage.store import SavedGameNight, Store, WrittenElsewhere
from tilekeeper.engine.game.events import GameStarted
from tilekeeper.engine.game.score_sheet import ScoreSheet
from tilekeeper.engine.game.state import Phase
from tilekeeper.engine.language import gettext, lazy_gettext

log = logging.getLogger(__name__)

_ID: Final = TypeAdapter(str)
_RACKS: Final = "racks"
"""The key of the stored preference `TableState.racks_may_stand`."""
_FLAG: Final = TypeAdapter(bool)


@dataclass(frozen=True, slots=True)
class _Stored:
    """How much of a game night is stored: its revision and the number of its records."""

    id: str
    revision: int
    records: int


@dataclass(frozen=True, slots=True)
class _KeptResult:
    """The result of a game night as JSON, cached until its score sheet or `over` changes."""

    id: str
    sheet: ScoreSheet
    over: bool
    result: dict[str, Any]


class GameNights:
    """Begins, loads and stores the game nights of one data folder.

    If the disk fails, the game night goes on in memory, `trouble` reports it, and each later action tries to store
    everything that is missing.
    """

    def __init__(self, database: Store) -> None:
        """Use a database; pictures are stored in the database's folder."""
        self.database = database
        self.pictures = Pictures(database.folder)
        self.trouble = ""
        """A sentence that says why the newest actions are not on the disk; empty if all of them are."""
        self._picture_trouble = ""
        self._stored: _Stored | None = None
        self._result: _KeptResult | None = None
        self._salvage_notices: tuple[str, ...] = ()

    @property
    def notices(self) -> tuple[str, ...]:
        """Sentences for the page about damage that was found in stored game nights."""
        return (*self.database.notices, *self._salvage_notices)

    def begin(self, agreement: Agreement, moment: Moment, by: str) -> GameNight:
        """Return a new game night; `store` stores it later.

        Raises:
            Refused: if the choices are not possible, for example two equal names.
        """
        people = tuple(tuple(map(tidy_name, people)) for people in agreement.seats)
        players = tidy_names(map(seat_name, people))
        event = GameStarted(
            players, agreement.edition, agreement.house, agreement.rounds, agreement.first_acquaintance,
            agreement.leader,
        )  # fmt: skip
        recorded = RecordedGame.begin(event, people, Note(step=1, at=moment.utc, by=by))
        state = GameNightState(recorded, agreement.settings, Clock(0, None), EMPTY_TABLE)
        return GameNight(secrets.token_hex(8), moment.utc, moment.utc, 1, state, moment.now_s)

    def load(self, id_: str, moment: Moment) -> GameNight:
        """Return a stored game night up to its last readable record, with its clock stopped.

        Unreadable records are moved to a file, which `notices` names.

        Raises:
            Refused: if there is no such game night, or nothing of it can be read.
        """
        saved = self.database.game_night(id_)
        if saved is None:
            raise Refused(gettext("There is no such evening."), "not-found")
        stored = self.database.lines(id_)
        recorded, trouble = RecordedGame.salvage(stored, saved.seated)
        if recorded is None:
            raise Refused(
                gettext("This evening is damaged from its first entry and can't be read: {trouble}.", trouble=trouble)
            )
        lost = len(stored) - len(recorded.records)
        if lost:
            path = self.database.cut(id_, len(recorded.records))
            self._add_notice(
                lazy_gettext(
                    "The last {lost} entries of this evening can't be read ({trouble}). They are kept in {path}.",
                    lost=lost,
                    trouble=trouble,
                    path=path,
                )
            )
        try:
            settings = GameNightSettings.from_json(saved.settings)
        except ValueError:
            settings = DEFAULT_SETTINGS
            self._add_notice(
                lazy_gettext("The settings of this evening can't be read. The app uses those of a new evening.")
            )
        try:
            state = state_of_records(recorded, settings) if lost else revive(recorded, settings, saved.live)
        except ValueError:
            state = state_of_records(recorded, settings)
            self._add_notice(lazy_gettext("The clock's time can't be read. The clock starts again."))
        return GameNight(saved.id, saved.begun_at, saved.changed_at, saved.revision, state, moment.now_s)

    def last_played(self, moment: Moment) -> GameNight | None:
        """Return the game night that was in progress when the app ended; None if there is none or it is unreadable."""
        latest = self.database.newest()
        if latest is None or latest.over or self.database.recall(OPEN_EVENING, _ID) != latest.id:
            return None
        try:
            return self.load(latest.id, moment)
        except Refused as why:
            log.warning("The last game night can't be opened: %s", why)
            return None

    @property
    def racks_may_stand(self) -> bool:
        """Whether racks may have stood around the table when the app ended (`TableState.racks_may_stand`)."""
        return self.database.recall(_RACKS, _FLAG) is True

    def note_racks(self, *, may_stand: bool) -> None:
        """Store `TableState.racks_may_stand`, so that it is known after a restart."""
        with self._in_memory_at_worst():
            self.database.remember(_RACKS, may_stand)

    def picture(self, id_: str, name: str) -> bytes | None:
        """Return a picture of a game night's history as JPEG; None if there is no such picture."""
        return self.pictures.find(id_, name)

    def store(self, before: GameNight | None, after: GameNight | None, picture: Picture | None, moment: Moment) -> None:
        """Store what a command has changed in the game night; the demo is not stored.

        Args:
            before: the game night before the command; None for none.
            after: the game night after it; None for none.
            picture: the newest picture, which is stored if the command has added a record.
            moment: the time of the command.

        Raises:
            Refused: if another app has written to this game night; nothing is stored then.
        """
        before, after = _unless_demo(before), _unless_demo(after)
        if after is not None and before is not None and after.id == before.id:
            if after.revision != before.revision:
                self._keep_picture(before, after, picture)
                self.save(after, moment)
                if len(after.state.state.sheet.rounds) > len(before.state.state.sheet.rounds):
                    self._back_up(after)
            return
        if before is not None:
            self.save(before, moment)
        with self._in_memory_at_worst():
            self.database.remember(OPEN_EVENING, None if after is None else after.id)
            if after is not None:
                saved = self.database.game_night(after.id)
                self._stored = None if saved is None else _Stored(after.id, saved.revision, _record_count(after))
        if after is not None:
            self.pictures.make_room(after.id)
            self.save(after, moment)

    def save(self, night: GameNight, moment: Moment) -> None:
        """Store the records of a game night that are not stored yet, and its live state, such as the clock.

        Nothing of the demo is stored.

        Raises:
            Refused: if another app has written to this game night; nothing is stored then.
        """
        if night.demo:
            return
        saved, records, stored = (
            _saved(night, moment, self._result_json(night)),
            night.state.recorded.records,
            self._stored,
        )
        with self._in_memory_at_worst():
            if stored is None or stored.id != night.id:
                self.database.add(saved, records)
            else:
                self.database.save(saved, stored.revision, stored.records, records[stored.records :])
            self._stored = _Stored(night.id, night.revision, len(records))
            self.trouble = self._picture_trouble

    def _result_json(self, night: GameNight) -> dict[str, Any]:
        state, kept = night.state.state, self._result
        over = state.phase is Phase.OVER
        if kept is None or (kept.id, kept.over, kept.sheet) != (night.id, over, state.sheet):
            kept = _KeptResult(night.id, state.sheet, over, result_of(night.state.recorded).as_json())
            self._result = kept
        return kept.result

    @contextmanager
    def _in_memory_at_worst(self) -> Iterator[None]:
        try:
            yield
        except (WrittenElsewhere, IntegrityError):
            raise Refused(gettext("Another Tilekeeper has changed this evening. Open it again.")) from None
        except (SQLAlchemyError, OSError) as error:
            reason = getattr(error, "orig", None) or error
            self.trouble = lazy_gettext(
                "The newest turns can't be saved: {reason}. The game goes on, but closing the app loses them.",
                reason=str(reason),
            )
            log.warning("%s", self.trouble)

    def _back_up(self, night: GameNight) -> None:
        """Back up the database, and delete pictures of old game nights if there are too many."""
        try:
            self.database.back_up(night.id, night.begun_at)
            self.pictures.make_room(night.id)
        except (sqlite3.Error, OSError) as error:
            log.warning("The game nights could not be copied: %s", error)

    def _add_notice(self, notice: str) -> None:
        log.warning("%s", notice)
        self._salvage_notices = (*self._salvage_notices, notice)

    def _keep_picture(self, before: GameNight, after: GameNight, picture: Picture | None) -> None:
        records = after.state.recorded.records
        if len(records) == len(before.state.recorded.records) or picture is None:
            return
        name = records[-1].note.picture
        if name is not None:
            try:
                self.pictures.keep(after.id, name, picture.jpeg)
            except OSError as error:
                self._picture_trouble = lazy_gettext(
                    "The pictures of turns can't be saved: {reason}.", reason=error.strerror or error
                )
            else:
                self._picture_trouble = ""


def _unless_demo(night: GameNight | None) -> GameNight | None:
    return None if night is None or night.demo else night


def _record_count(night: GameNight) -> int:
    return len(night.state.recorded.records)


def _saved(night: GameNight, moment: Moment, result: object) -> SavedGameNight:
    return SavedGameNight(
        id=night.id,
        begun_at=night.begun_at,
        changed_at=night.changed_at,
        revision=night.revision,
        over=night.state.state.phase is Phase.OVER,
        seated=night.state.recorded.seated,
        settings=night.state.settings.as_json(),
        live=live_json(night.state, moment.now_s),
        result=result,
    )
