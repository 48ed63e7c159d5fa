"""The session: commands one after another, stored before they are shown, and readers who wait for nobody."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest
from flask import Flask
from sqlalchemy.exc import OperationalError

from tests.support.game_night_client import EveningClient
from tests.support.known_tables import PlayedSource
from tilekeeper.companion.capture.encoding import Picture
from tilekeeper.companion.capture.no_source import NoSource
from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.session.commands import SetOpened, UndoTurn
from tilekeeper.companion.session.session import MOST_PICTURES, Session
from tilekeeper.companion.session.snapshot import Moment
from tilekeeper.companion.session.table_state import TableState
from tilekeeper.companion.web.api.extensions import parts

WITHIN_S = 5.0


@dataclass
class Slow:
    """A command that takes until the test lets it go on, as a judge may."""

    command: SetOpened
    begun: threading.Event
    goes_on: threading.Event

    def apply(self, state: TableState, moment: Moment) -> TableState:
        self.begun.set()
        assert self.goes_on.wait(WITHIN_S)
        return self.command.apply(state, moment)


@pytest.fixture
def session(hand_app: Flask) -> Session:
    """A session without a camera."""
    return parts(hand_app).session


@pytest.fixture
def slow() -> Slow:
    """A slow command."""
    return Slow(SetOpened(True), threading.Event(), threading.Event())


def in_a_thread(work: Callable[[], object]) -> threading.Thread:
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def picture(number: int) -> Picture:
    return Picture(number, b"jpeg", (4, 3), "camera 0")


def test_readers_do_not_wait_for_a_command(session: Session, slow: Slow) -> None:
    """The state is there and pictures go on while a command takes its time; both are in the state after it."""
    thread = in_a_thread(lambda: session.handle(slow))
    assert slow.begun.wait(WITHIN_S)
    before = session.state
    session.show(picture(1), settled=False)
    assert session.state.snapshot.picture == picture(1)
    assert session.wait(before.version, 0.0) is not None
    slow.goes_on.set()
    thread.join(WITHIN_S)
    assert session.state.activity.turn.opened
    assert session.state.snapshot.picture == picture(1)


def test_commands_never_interleave(session: Session, slow: Slow) -> None:
    """The second is applied to what the first has made."""
    first = in_a_thread(lambda: session.handle(slow))
    assert slow.begun.wait(WITHIN_S)
    second = in_a_thread(lambda: session.handle(SetOpened(False)))
    time.sleep(0.05)
    assert second.is_alive()
    slow.goes_on.set()
    first.join(WITHIN_S)
    second.join(WITHIN_S)
    assert not session.state.activity.turn.opened


def test_what_was_worked_out_on_an_older_state_is_dropped(session: Session, slow: Slow) -> None:
    """Others go on meanwhile, and what they did holds."""
    kept: list[bool] = []
    thread = in_a_thread(lambda: kept.append(session.attempt(slow, session.state)))
    assert slow.begun.wait(WITHIN_S)
    session.handle(SetOpened(False))
    slow.goes_on.set()
    thread.join(WITHIN_S)
    assert kept == [False]
    assert not session.state.activity.turn.opened


def test_a_newer_picture_does_not_stand_in_the_way(session: Session) -> None:
    """Only a newer reading or another action makes the result useless."""
    before = session.state
    session.show(picture(1), settled=False)
    assert session.attempt(SetOpened(True), before)
    assert session.state.snapshot.picture == picture(1)


def test_a_refused_command_changes_nothing(session: Session) -> None:
    before = session.state
    with pytest.raises(Refused):
        session.handle(UndoTurn())
    assert session.state is before


def test_pages_hear_of_an_action_once_it_is_stored(make_app, monkeypatch: pytest.MonkeyPatch) -> None:
    """While the disk writes, the state is that of before; where it refuses, that state stays."""
    page = EveningClient(app := make_app(NoSource(), watch=False))
    page.deal()
    session, database = parts(app).session, parts(app).game_nights.database
    save, seen = database.save, []

    def watched(*arguments: object) -> None:
        seen.append(session.state)
        save(*arguments)

    before = session.state
    with monkeypatch.context() as patch:
        patch.setattr(database, "save", watched)
        page.act("draw")
    assert seen == [before]
    after = session.state

    def refuse(*_: object) -> None:
        raise OperationalError("INSERT", {}, Exception("disk full"))

    with monkeypatch.context() as patch:
        patch.setattr(database, "save", refuse)
        page.act_refused("draw")
    assert session.state is after


def test_only_the_newest_pictures_are_kept(session: Session) -> None:
    for number in range(1, MOST_PICTURES + 3):
        session.show(picture(number), settled=False)
    assert session.picture(2) is None
    assert session.picture(3) == picture(3)


def test_a_state_that_shows_nothing_new_wakes_nobody(make_app, camera: PlayedSource) -> None:
    """A tracker grows surer of a table with every frame; no page is told unless it shows something else."""
    session = parts(make_app(camera, watch=False)).session
    state = session.state

    class Same:
        def apply(self, state: TableState, moment: Moment) -> TableState:
            return replace(state, annotations=state.annotations)

    assert session.handle(Same()).version == state.version
