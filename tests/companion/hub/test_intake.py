"""Taking messages in: each entry is stored once and in order; duplicates, gaps and forged messages do no harm."""

import base64
import json
import logging
import threading
from collections.abc import Collection, Iterable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from tests.support.club_tables import CLUB, SentMessage, answer, chained, entry
from tests.support.postgres import needs_postgres
from tilekeeper.companion.hub import intake as intake_module
from tilekeeper.companion.hub import log_chain, raised_hands
from tilekeeper.companion.hub import notices as notices_module
from tilekeeper.companion.hub.database import Database
from tilekeeper.companion.hub.intake import MOST_ENTRIES, Intake
from tilekeeper.companion.hub.notices import newest_notices, notice_words
from tilekeeper.companion.hub.raised_hands import MOST_HANDS
from tilekeeper.companion.hub.schema import CommandRow, DisputeRow, EntryRow, LogRow, TableRow
from tilekeeper.companion.hub.views import night_view
from tilekeeper.companion.messaging.messages import Dispute, Event, Presence, TableStatus, read_message
from tilekeeper.companion.messaging.topics import Branch, topic
from tilekeeper.engine.game.state import Phase

pytestmark = pytest.mark.slow  # a hub with its database for each


def taken(database: Database) -> list[tuple[str, str, int, str]]:
    with database.reading() as session:
        rows = session.scalars(select(EntryRow).order_by(EntryRow.table, EntryRow.log, EntryRow.seq))
        return [(row.table, row.log, row.seq, row.kind) for row in rows]


def notices(database: Database) -> list[str]:
    with database.reading() as session:
        return [notice_words(row) for row in newest_notices(session)]


def test_entries_are_stored_once_and_in_order(database: Database) -> None:
    """A duplicate is counted and not stored; an entry after a gap waits until the gap is filled."""
    requests: list[tuple[str, str, int]] = []
    intake = Intake(database, CLUB, lambda *missing: requests.append(missing))
    first = intake.take([entry("7", 1), entry("7", 2), entry("7", 2), entry("8", 1)])
    assert (first.entries, first.repeated, first.early) == (3, 1, 0)
    gap = intake.take([entry("7", 5), entry("7", 4)])
    assert (gap.entries, gap.early, requests) == (0, 2, [("7", "first", 3)])
    rest = intake.take([entry("7", 3), entry("7", 4), entry("7", 5), entry("7", 1)])
    assert (rest.entries, rest.repeated, rest.missing) == (3, 1, {})
    assert [seq for table, _, seq, _ in taken(database) if table == "7"] == [1, 2, 3, 4, 5]


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from("123"), st.integers(1, 12)), max_size=60), st.integers(1, 9))
def test_any_order_of_messages_leaves_logs_without_gaps(
    tmp_path: Path, numbered: list[tuple[str, int]], batch: int
) -> None:
    """For any batches in any order, each stored log is 1, 2, 3 …, and the requested entries complete it."""
    database = Database(f"sqlite:///{tmp_path}/{uuid4()}.sqlite3")
    intake = Intake(database, CLUB)
    for at in range(0, len(numbered), batch):
        result = intake.take([entry(table, seq) for table, seq in numbered[at : at + batch]])
        for (table, _), seq in result.missing.items():
            most = max(seq for one, seq in numbered[: at + batch] if one == table)
            intake.take([entry(table, number) for number in range(seq, most + 1)])
    for table in {table for table, _ in numbered}:
        most = max(seq for one, seq in numbered if one == table)
        assert [seq for one, _, seq, _ in taken(database) if one == table] == list(range(1, most + 1))
    database.close()


def test_message_taken_by_two_hubs_is_stored_once(database: Database, database_url: str) -> None:
    """Two hubs on one database get each message; each entry is stored once, and none is missing."""
    other = Database(database_url)
    messages = [entry(str(table), seq) for seq in range(1, 41) for table in range(8)]
    counts: list[int] = []

    def take(hub: Database, batch: int) -> None:
        intake = Intake(hub, CLUB)
        counts.append(sum(intake.take(messages[at : at + batch]).entries for at in range(0, len(messages), batch)))

    threads = [threading.Thread(target=take, args=(hub, batch)) for hub, batch in ((database, 7), (other, 11))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    other.close()
    assert sum(counts) == len(messages)
    assert [(table, seq) for table, _, seq, _ in taken(database)] == [
        (str(table), seq) for table in range(8) for seq in range(1, 41)
    ]


@pytest.mark.parametrize("backend", ["postgresql"])
@needs_postgres()
@pytest.mark.slow
def test_messages_are_stored_despite_a_database_deadlock(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """PostgreSQL ends one of two deadlocked transactions; its messages are stored all the same."""
    waits = threading.Barrier(2)
    sorted_logs = intake_module.lock_logs

    def in_other_order(session: Session, keys: Iterable[tuple[str, str]]) -> dict[tuple[str, str], int]:
        """Lock the logs one by one, each hub from the other end, as when both begin new logs."""
        ends = sorted(keys, reverse=threading.current_thread().name == "backwards")
        found = {}
        for at, key in enumerate(ends):
            found |= sorted_logs(session, [key])
            if at == 0:
                with suppress(threading.BrokenBarrierError):
                    waits.wait(timeout=2)
        return found

    Intake(database, CLUB).take([entry("1", 1), entry("2", 1)])
    monkeypatch.setattr(intake_module, "lock_logs", in_other_order)
    counts: list[int] = []

    def take() -> None:
        counts.append(Intake(database, CLUB).take([entry("1", 2), entry("2", 2)]).entries)

    threads = [threading.Thread(target=take, name=name) for name in ("forwards", "backwards")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(counts) == [0, 2]


def test_missing_entries_are_requested_after_a_retained_state(database: Database) -> None:
    """A retained state gives the number of entries; a hub that was down asks for the missing ones."""
    requests: list[tuple[str, str, int]] = []
    intake = Intake(database, CLUB, lambda *missing: requests.append(missing))
    intake.take([entry("7", 1)])
    state = TableStatus(table="7", log="first", last_seq=9, phase=Phase.TURNS)
    intake.take([(topic(CLUB, "7", Branch.STATE), state.payload())])
    assert requests == [("7", "first", 2)]
    with database.reading() as session:
        row = session.get_one(LogRow, ("7", "first"))
        assert (row.taken, row.known) == (1, 9)
        assert session.get_one(TableRow, "7").state["phase"] == "turns"  # type: ignore[index]


def test_message_of_an_unknown_version_is_refused_with_a_notice(database: Database) -> None:
    """It is not stored, the other messages are, and the organiser gets a notice."""
    events_topic, payload = entry("7", 1)
    strange = json.dumps(json.loads(payload) | {"version": 2}).encode()
    result = Intake(database, CLUB).take([(events_topic, strange), entry("8", 1), (events_topic, strange)])
    assert (result.refused, result.entries) == (2, 1)
    assert notices(database) == [
        (
            "Table 7 sent something that was not accepted: This message has version 2, but "
            "this Tilekeeper knows version 1. Install the same Tilekeeper on both."
        )
    ]


def test_message_in_the_name_of_another_table_is_refused(database: Database) -> None:
    """The broker limits a table to its own topic; a message that names another table is refused."""
    _, payload = entry("9", 1)
    result = Intake(database, CLUB).take([(topic(CLUB, "7", Branch.EVENTS), payload)])
    assert (result.refused, taken(database)) == (1, [])
    assert notices(database)[0].startswith("Table 7 says it is table 9")


@pytest.mark.parametrize("data", ["a\x00b", "😀", "'; DROP TABLE entries; --"])
def test_text_that_the_database_refuses_stops_no_other_entry(database: Database, data: str) -> None:
    """Text with a NUL is refused with a reason, other strange text is stored; other entries are stored either way."""
    result = Intake(database, CLUB).take([entry("7", 1, note=data), entry("8", 1)])
    assert result.entries + result.refused == 2
    assert result.refused == ("\x00" in data)
    assert "8" in {table for table, *_ in taken(database)}


@pytest.mark.parametrize(
    "what",
    [
        {"left_s": float("nan")},
        {"left_s": float("inf")},
        {"left_s": 1e300},
        {"player": -100, "phase": "turns"},
        {"last_seq": 2**70, "log": "first"},
        {"last_seq": 2**31, "log": "first"},
        {"banks_s": [float("inf")]},
        {"pool": 2**70},
        {"players": [{"name": "A", "rack": 1, "opened": True, "total": float("nan")}]},
    ],
)
def test_number_that_no_page_can_show_is_refused(database: Database, what: dict[str, object]) -> None:
    """Such a message stops neither the hub's intake nor its pages."""
    state = {"version": 1, "table": "1", "sent_at": "2026-11-23T18:00:00+00:00", **what}
    message = (topic(CLUB, "1", Branch.STATE), json.dumps(state).encode())
    result = Intake(database, CLUB).take([message, entry("8", 1)])
    assert (result.refused, result.entries) == (1, 1)
    events_topic, payload = entry("7", 1)
    too_large = json.dumps(json.loads(payload) | {"seq": 2**63}).encode()
    assert Intake(database, CLUB).take([(events_topic, too_large)]).refused == 1
    with database.reading() as session:
        assert night_view(session).spare


def test_state_under_a_long_table_name_is_refused_for_good(database: Database) -> None:
    """PostgreSQL stores no such name, not even in the notice about it; the broker would deliver the state for ever."""
    name = 200 * "7"
    state = json.loads(TableStatus(table="7").payload()) | {"table": name}
    message = (f"tilekeeper/1/{CLUB}/tables/{name}/state", json.dumps(state).encode())
    result = Intake(database, CLUB).take([message, entry("8", 1)])
    assert (result.refused, result.entries) == (1, 1)


def test_message_that_can_not_be_stored_is_refused_with_a_notice(
    database: Database, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Whatever the reason, and whatever its text, the messages before and after it are stored."""
    caplog.set_level(logging.CRITICAL, logger=intake_module.__name__)  # parallel test runs can't pass on such a text

    def fail(session: Session, disputes: Collection[Dispute], notices: object) -> None:
        if disputes:
            raise ValueError("strange \ud800\0 text")

    monkeypatch.setattr(intake_module, "take_disputes", fail)
    hand = Dispute(table="7", id="d1", log="first", seq=3)
    poison = (topic(CLUB, "7", Branch.DISPUTES), hand.payload())
    result = Intake(database, CLUB).take([entry("7", 1), poison, entry("7", 2)])
    assert (result.refused, result.entries) == (1, 2)
    assert notices(database) == ["Table 7 sent something that was not accepted: strange ? text"]


def test_outage_of_the_database_refuses_no_message(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OperationalError("", {}, Exception("the server is gone"))

    monkeypatch.setattr(intake_module, "_take_tables", fail)
    with pytest.raises(OperationalError):
        Intake(database, CLUB).take([entry("7", 1), entry("7", 2)])
    monkeypatch.undo()
    assert (taken(database), notices(database)) == ([], [])


def state_of(messages: list[SentMessage]) -> SentMessage:
    """Return the state of a table that has sent these entries."""
    last = read_message(Event, messages[-1][1])
    state = TableStatus(table=last.table, log=last.log, last_seq=last.seq, digest=last.digest, phase=Phase.TURNS)
    return topic(CLUB, last.table, Branch.STATE), state.payload()


LOG = chained([entry("7", seq, turn=seq) for seq in range(1, 9)])
"""A log at the hub."""
OTHER = chained([entry("7", seq, turn=seq if seq <= 4 else -seq) for seq in range(1, 13)])
"""The log of the same table after it was restored from a copy with four entries."""


@pytest.mark.parametrize(
    "messages",
    [
        pytest.param([*OTHER[4:], state_of(OTHER)], id="all later entries"),
        pytest.param([OTHER[5]], id="one entry that the hub has"),
        pytest.param(OTHER[8:10], id="only entries that the hub has not"),
        pytest.param([state_of(OTHER[:6])], id="a state alone, with fewer entries"),
        pytest.param([state_of(OTHER[:8])], id="a state alone, with as many entries"),
    ],
)
def test_log_of_a_restored_table_is_kept_apart_and_the_organiser_is_told(
    database: Database, messages: list[SentMessage]
) -> None:
    """The hub keeps what it has, takes no mixture, and asks for all entries under a new name."""
    requests: list[tuple[str, str, int]] = []
    intake = Intake(database, CLUB, lambda *log: requests.append(log))
    intake.take([*LOG, state_of(LOG)])
    before = taken(database)
    assert intake.take(messages).parted == {("7", "first")}
    assert intake.take(OTHER).entries == 0
    assert taken(database) == before
    assert requests == 2 * [("7", "first", 0)]
    (notice,) = notices(database)
    assert notice.startswith("Table 7 reports another game than before")
    anew = [(place, payload.replace(b'"log":"first"', b'"log":"first.1"')) for place, payload in OTHER]
    assert intake.take(anew).entries == len(OTHER)
    assert len(taken(database)) == len(LOG) + len(OTHER)


def test_log_that_goes_on_or_is_repeated_is_no_other_log(database: Database) -> None:
    """Neither are entries without digests, and those after them."""
    intake, more = Intake(database, CLUB), chained([entry("7", seq, turn=seq) for seq in range(1, 13)])
    plain = [entry("8", seq) for seq in range(1, 5)]
    for messages in (LOG[:5], LOG[2:], [state_of(LOG[:3])], [*more, state_of(more), *LOG], plain, plain):
        assert not intake.take(messages).parted
    late = chained([entry("8", seq) for seq in range(1, 9)])
    assert intake.take(late[4:]).parted == set()
    assert len(taken(database)) == 12 + 8
    assert notices(database) == []


@pytest.mark.parametrize("message", [("elsewhere", b"{}"), (topic("other", "7", Branch.EVENTS), b"{}")])
def test_message_of_another_club_is_ignored(database: Database, message: tuple[str, bytes]) -> None:
    """Messages of another club are ignored without a notice."""
    assert Intake(database, CLUB).take([message]).refused == 1
    assert notices(database) == []


def test_wrong_clock_of_a_table_is_measured(database: Database) -> None:
    """The hub measures the error of a table's clock, and computes nothing from that clock."""
    late = Presence(table="7", presence="here", sent_at=datetime.now(UTC) + timedelta(hours=1))
    Intake(database, CLUB).take([(topic(CLUB, "7", Branch.PRESENCE), late.payload())])
    with database.reading() as session:
        assert session.get_one(TableRow, "7").skew_s == pytest.approx(3600, abs=5)


def test_last_will_marks_a_table_as_gone(database: Database) -> None:
    """The last will of a table marks it as gone."""
    intake = Intake(database, CLUB)
    for presence, is_here in (("here", True), ("gone", False)):
        message = Presence.model_validate({"table": "7", "presence": presence})
        intake.take([(topic(CLUB, "7", Branch.PRESENCE), message.payload())])
        with database.reading() as session:
            assert session.get_one(TableRow, "7").here is is_here


def test_dispute_is_stored_once_with_its_pictures(database: Database) -> None:
    """A table publishes its open disputes again after each reconnection."""
    dispute = Dispute(
        table="7", id="d1", log="first", seq=3, raised_by="Ada", verdict="Illegal.", reasons=["x"], before_jpeg="/9j/"
    )
    message = (topic(CLUB, "7", Branch.DISPUTES), dispute.payload())
    Intake(database, CLUB).take([message, message])
    Intake(database, CLUB).take([message])
    with database.reading() as session:
        (row,) = session.scalars(select(DisputeRow)).all()
        assert (row.before, row.after, row.reasons, row.decision) == (b"\xff\xd8\xff", None, ["x"], "")


def test_answer_to_an_unknown_command_changes_nothing(database: Database) -> None:
    """An answer to an unknown command changes nothing."""
    assert Intake(database, CLUB).take([answer("7", "nobody")]).refused == 0


def test_one_table_does_not_fill_the_database_of_the_hub(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Logs, entries, raised hands and notices of a table have limits, and the others are stored as before."""
    monkeypatch.setattr(log_chain, "MOST_LOGS", 3)
    monkeypatch.setattr(notices_module, "MAX_NOTICES_PER_TABLE", 4)
    monkeypatch.setattr(raised_hands, "MOST_PICTURE_BYTES", 100)
    intake = Intake(database, CLUB)
    result = intake.take([entry("7", 1, "tile-drawn", f"log-{number}") for number in range(9)])
    assert (result.entries, result.refused) == (3, 6)
    assert intake.take([entry("7", MOST_ENTRIES + 1, "tile-drawn", "log-0")]).refused == 1
    long = Event(table="7", log="log-0", seq=2, kind="x", data={"x": 20_000 * "x"}, at="now")
    assert intake.take([(topic(CLUB, "7", Branch.EVENTS), long.payload())]).refused == 1
    picture = base64.b64encode(30 * b"x").decode()
    hands = [
        Dispute(table="7", id=f"hand-{number}", log="log-0", seq=1, before_jpeg=picture, after_jpeg=picture)
        for number in range(2 * MOST_HANDS)
    ]
    intake.take([(topic(CLUB, "7", Branch.DISPUTES), hand.payload()) for hand in hands])
    claims = [Presence(table=f"table-{number}", presence="here") for number in range(9)]
    intake.take([(topic(CLUB, "7", Branch.PRESENCE), claim.payload()) for claim in claims])
    assert intake.take([entry("8", 1), entry("7", 2, "tile-drawn", "log-0")]).entries == 2
    with database.reading() as session:
        assert len(session.scalars(select(DisputeRow)).all()) == MOST_HANDS
        assert len(session.scalars(select(DisputeRow.id).where(DisputeRow.after.is_not(None))).all()) == 1
        assert len(newest_notices(session)) <= 4
    assert any("more than a table needs" in words for words in notices(database))


def test_table_with_too_many_entries_is_not_asked_for_more(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit counts for all logs of a table together; otherwise one card fills the hub's disk."""
    monkeypatch.setattr(intake_module, "MOST_ENTRIES", 5)
    intake = Intake(database, CLUB)
    assert intake.take([entry("7", number, "tile-drawn", "log-1") for number in (1, 2, 3)]).entries == 3
    result = intake.take([entry("7", number, "tile-drawn", "log-2") for number in (1, 2, 3, 4)])
    assert (result.entries, result.refused, result.early, result.missing) == (2, 1, 1, {})
    assert intake.take([entry("8", number) for number in (1, 2)]).entries == 2
    with database.reading() as session:
        rows = session.execute(select(LogRow.taken, LogRow.known).where(LogRow.table == "7").order_by(LogRow.log)).all()
        assert [tuple(row) for row in rows] == [(3, 3), (2, 2)]
    assert any("more than a table needs" in words for words in notices(database))


def test_answer_of_a_table_does_not_replace_that_of_another(database: Database) -> None:
    """A card's messages can name the command of another table; both answers come in one batch."""
    waiting = {"kind": "pause", "payload": {}, "made_at": "", "done": False, "refusal": ""}
    with database.writing() as session:
        session.add(CommandRow(id="pause-3", place=1, table="3", **waiting))
    Intake(database, CLUB).take([answer("3", "pause-3"), answer("2", "pause-3", refusal="no")])
    with database.reading() as session:
        row = session.get_one(CommandRow, "pause-3")
        assert row.answered_at is not None
        assert row.done
