"""The session: commands run one after another and are stored before they are published; readers never wait."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import ParamSpec, TypeVar

import pytest
from flask import Flask
from sqlalchemy.exc import OperationalError

from tests.support.game_night_client import EveningClient
from tests.support.known_tables import PlayedSource
from tilekeeper.companion.adjudication import turn
from tilekeeper.companion.capture.encoding import Picture
from tilekeeper.companion.capture.no_source import NoSource
from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.session.commands import CorrectTile
from tilekeeper.companion.session.session import MOST_PICTURES, Session
from tilekeeper.companion.session.snapshot import Moment
from tilekeeper.companion.session.table_state import TableState
from tilekeeper.companion.storage.store import WrittenElsewhere
from tilekeeper.companion.web.api.extensions import parts

WITHIN_S = 5.0
P = ParamSpec("P")
R = TypeVar("R")


@dataclass
class Slow:
    """A command that takes until the test releases it."""

    command: Rename
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
    return Slow(Rename("slow"), threading.Event(), threading.Event())


def in_a_thread(work: Callable[[], object]) -> threading.Thread:
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def picture(number: int) -> Picture:
    return Picture(number, b"jpeg", (4, 3), "camera 0", (0, 0, 4, 3))


def test_readers_do_not_wait_for_a_command(session: Session, slow: Slow) -> None:
    """State and pictures can be read while a command runs; afterwards the state has the results of both."""
    thread = in_a_thread(lambda: session.handle(slow))
    assert slow.begun.wait(WITHIN_S)
    before = session.state
    session.show(picture(1), settled=False)
    assert session.state.snapshot.picture == picture(1)
    assert session.wait(before.version, 0.0) is not None
    slow.goes_on.set()
    thread.join(WITHIN_S)
    assert session.state.source.watched == "slow"
    assert session.state.snapshot.picture == picture(1)


def test_commands_wait_for_each_other(session: Session, slow: Slow) -> None:
    """The second command gets the state that the first one returned."""
    first = in_a_thread(lambda: session.handle(slow))
    assert slow.begun.wait(WITHIN_S)
    watched_before: list[str] = []

    class Second:
        def apply(self, state: TableState, moment: Moment) -> TableState:
            watched_before.append(state.source.watched)
            return Rename("second").apply(state, moment)

    second = in_a_thread(lambda: session.handle(Second()))
    second.join(0.05)
    assert (second.is_alive(), watched_before) == (True, [])
    slow.goes_on.set()
    for thread in (first, second):
        thread.join(WITHIN_S)
    assert (watched_before, session.state.source.watched) == (["slow"], "second")


@dataclass
class Gate:
    """Blocks calls of a function until the test opens it."""

    begun: threading.Event = field(default_factory=threading.Event)
    goes_on: threading.Event = field(default_factory=threading.Event)

    def before(self, work: Callable[P, R]) -> Callable[P, R]:
        def held(*arguments: P.args, **named: P.kwargs) -> R:
            self.begun.set()
            assert self.goes_on.wait(WITHIN_S)
            return work(*arguments, **named)

        return held


@dataclass(frozen=True, slots=True)
class Rename:
    """A command unrelated to the game."""

    watched: str

    def apply(self, state: TableState, moment: Moment) -> TableState:
        return replace(state, source=replace(state.source, watched=self.watched))


@pytest.fixture
def judge_gate(monkeypatch: pytest.MonkeyPatch) -> Gate:
    """Blocks the judge of tables that are entered by hand."""
    gate = Gate()
    monkeypatch.setattr(turn, "judge_once", gate.before(turn.judge_once))
    return gate


@pytest.fixture
def disk_gate(hand_app: Flask, monkeypatch: pytest.MonkeyPatch) -> Gate:
    """Blocks the disk writes of the app without a camera."""
    gate, database = Gate(), parts(hand_app).game_nights.database
    monkeypatch.setattr(database, "save", gate.before(database.save))
    return gate


def test_other_tablets_can_act_while_done_is_judged(by_hand: EveningClient, hand_app: Flask, judge_gate: Gate) -> None:
    """While Done is judged the clock is stopped and other tablets can act; the verdict comes after their actions."""
    by_hand.deal()
    by_hand.act("resume")
    done = in_a_thread(lambda: by_hand.act("done", table="K10 B10 O10"))
    assert judge_gate.begun.wait(WITHIN_S)
    other = EveningClient(hand_app)
    assert other.state["turn"]["waiting_to"] == "done"
    clock = other.act("more-time", seconds=60)["clock"]
    assert (clock["running"], clock["extra_s"]) == (False, 60)
    judge_gate.goes_on.set()
    done.join(WITHIN_S)
    state = other.state
    assert (state["verdict"]["kind"], state["turn"]["waiting_to"]) == ("legal", None)
    assert (state["evening"]["player"], state["evening"]["clock"]["running"]) == (1, True)


def test_verdict_of_a_cancelled_done_is_dropped(by_hand: EveningClient, hand_app: Flask, judge_gate: Gate) -> None:
    """Another tablet has cancelled Done meanwhile."""
    by_hand.deal()
    done = in_a_thread(lambda: by_hand.act("done", table="K10 B10 O10"))
    assert judge_gate.begun.wait(WITHIN_S)
    other = EveningClient(hand_app)
    revision = other.act("cancel")["revision"]
    judge_gate.goes_on.set()
    done.join(WITHIN_S)
    assert (other.state["verdict"], other.evening["revision"]) == (None, revision)


def test_readers_and_camera_do_not_wait_for_the_disk(by_hand: EveningClient, session: Session, disk_gate: Gate) -> None:
    """While an action is stored, pages get the earlier state with new pictures; then the action with these pictures."""
    disk_gate.goes_on.set()
    by_hand.deal()
    disk_gate.goes_on.clear()
    disk_gate.begun.clear()
    thread = in_a_thread(lambda: by_hand.act("draw"))
    assert disk_gate.begun.wait(WITHIN_S)
    session.show(picture(1), settled=False)
    assert (session.state.activity.turn.finished, session.state.snapshot.picture) == (0, picture(1))
    disk_gate.goes_on.set()
    thread.join(WITHIN_S)
    assert (session.state.activity.turn.finished, session.state.snapshot.picture) == (1, picture(1))


def test_commands_are_applied_while_the_disk_writes(by_hand: EveningClient, session: Session, disk_gate: Gate) -> None:
    """They are published in order, each after it is stored."""
    disk_gate.goes_on.set()
    by_hand.deal()
    disk_gate.goes_on.clear()
    disk_gate.begun.clear()
    threads = [in_a_thread(lambda: by_hand.act("draw"))]
    assert disk_gate.begun.wait(WITHIN_S)
    before, applied = session.state, Gate()
    applied.goes_on.set()
    command = Rename("another")
    monitored = SimpleNamespace(apply=applied.before(command.apply))
    threads.append(in_a_thread(lambda: session.handle(monitored)))
    assert applied.begun.wait(WITHIN_S)
    assert session.state is before
    disk_gate.goes_on.set()
    for thread in threads:
        thread.join(WITHIN_S)
    assert (session.state.source.watched, session.state.activity.turn.finished) == ("another", 1)


def test_change_that_could_not_be_stored_is_dropped(
    by_hand: EveningClient, session: Session, hand_app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another app has written to this game night; later commands are applied again without the failed one."""
    by_hand.deal()
    gate = Gate()

    def refuse(*_: object) -> None:
        raise WrittenElsewhere

    monkeypatch.setattr(parts(hand_app).game_nights.database, "save", gate.before(refuse))
    threads = [in_a_thread(lambda: by_hand.act_refused("draw"))]
    assert gate.begun.wait(WITHIN_S)
    threads.append(in_a_thread(lambda: session.handle(Rename("another"))))
    time.sleep(0.05)
    assert session.state.source.watched != "another"
    gate.goes_on.set()
    for thread in threads:
        thread.join(WITHIN_S)
    assert (session.state.source.watched, session.state.activity.turn.finished) == ("another", 0)


def test_refused_command_changes_nothing(session: Session) -> None:
    before = session.state
    with pytest.raises(Refused):
        session.handle(CorrectTile(reading_number=9, tile=0, label="red-3"))
    assert session.state is before


def test_pages_get_an_action_after_it_is_stored(make_app, monkeypatch: pytest.MonkeyPatch) -> None:
    """While the disk writes, pages get the earlier state; if it fails, the game goes on and pages show a notice."""
    page = EveningClient(app := make_app(NoSource(), watch=False))
    page.deal()
    session, database = parts(app).session, parts(app).game_nights.database
    save, states = database.save, []

    def watched(*arguments: object) -> None:
        states.append(session.state)
        save(*arguments)

    before = session.state
    with monkeypatch.context() as patch:
        patch.setattr(database, "save", watched)
        page.act("draw")
    assert states == [before]

    def refuse(*_: object) -> None:
        raise OperationalError("INSERT", {}, Exception("disk full"))

    with monkeypatch.context() as patch:
        patch.setattr(database, "save", refuse)
        page.act("draw")
    assert page.state["storage"]["trouble"]


def test_only_the_newest_pictures_are_kept(session: Session) -> None:
    for number in range(1, MOST_PICTURES + 3):
        session.show(picture(number), settled=False)
    assert session.picture(2) is None
    assert session.picture(3) == picture(3)


def test_state_without_visible_changes_notifies_no_page(make_app, camera: PlayedSource) -> None:
    """The tracker grows more certain with every frame; pages are notified only if something visible changed."""
    session = parts(make_app(camera, watch=False)).session
    state = session.state

    class Same:
        def apply(self, state: TableState, moment: Moment) -> TableState:
            return replace(state, annotations=state.annotations)

    assert session.handle(Same()).version == state.version
