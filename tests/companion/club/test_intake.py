"""Each entry is taken once and in order, whatever comes twice, late, early or from somebody else."""

import json
import threading
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select
from sqlalchemy.orm import Session

from tests.support.club_tables import CLUB, answer, entry
from tests.support.postgres import needs_postgres
from tilekeeper.companion.broker.messages import Dispute, Presence, TableStatus
from tilekeeper.companion.broker.topics import Branch, topic
from tilekeeper.companion.club import intake as intake_module
from tilekeeper.companion.club.database import Database
from tilekeeper.companion.club.intake import Intake
from tilekeeper.companion.club.notices import newest, notice_words
from tilekeeper.companion.club.schema import DisputeRow, EntryRow, LogRow, TableRow
from tilekeeper.companion.club.views import night_view
from tilekeeper.engine.game.state import Phase

pytestmark = pytest.mark.slow  # a hub with its database for each


def taken(database: Database) -> list[tuple[str, str, int, str]]:
    with database.reading() as session:
        rows = session.scalars(select(EntryRow).order_by(EntryRow.table, EntryRow.log, EntryRow.seq))
        return [(row.table, row.log, row.seq, row.kind) for row in rows]


def notices(database: Database) -> list[str]:
    with database.reading() as session:
        return [notice_words(row) for row in newest(session)]


def test_entries_are_taken_once_and_in_order(database: Database) -> None:
    """A doubled entry is counted and not kept again; one that leaves a gap waits until the gap is filled."""
    requests: list[tuple[str, str, int]] = []
    intake = Intake(database, CLUB, lambda *missing: requests.append(missing))
    first = intake.take([entry("7", 1), entry("7", 2), entry("7", 2), entry("8", 1)])
    assert (first.entries, first.again, first.early) == (3, 1, 0)
    gap = intake.take([entry("7", 5), entry("7", 4)])
    assert (gap.entries, gap.early, requests) == (0, 2, [("7", "first", 3)])
    rest = intake.take([entry("7", 3), entry("7", 4), entry("7", 5), entry("7", 1)])
    assert (rest.entries, rest.again, rest.missing) == (3, 1, {})
    assert [seq for table, _, seq, _ in taken(database) if table == "7"] == [1, 2, 3, 4, 5]


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from("123"), st.integers(1, 12)), max_size=60), st.integers(1, 9))
def test_any_mix_leaves_logs_without_holes(tmp_path: Path, said: list[tuple[str, int]], batch: int) -> None:
    """Whatever comes in whatever batches: what is kept of a log is 1, 2, 3 … and what was asked for completes it."""
    database = Database(f"sqlite:///{tmp_path}/{uuid4()}.sqlite3")
    intake = Intake(database, CLUB)
    for at in range(0, len(said), batch):
        result = intake.take([entry(table, seq) for table, seq in said[at : at + batch]])
        for (table, _), seq in result.missing.items():
            most = max(there for one, there in said[: at + batch] if one == table)
            intake.take([entry(table, number) for number in range(seq, most + 1)])
    for table in {table for table, _ in said}:
        most = max(seq for one, seq in said if one == table)
        assert [seq for one, _, seq, _ in taken(database) if one == table] == list(range(1, most + 1))
    database.close()


def test_two_hubs_take_the_same_at_once(database: Database, database_url: str) -> None:
    """Two hubs on one database get every message both; each entry is there once, and none is missing."""
    other = Database(database_url)
    said = [entry(str(table), seq) for seq in range(1, 41) for table in range(8)]
    counts: list[int] = []

    def take(hub: Database, batch: int) -> None:
        intake = Intake(hub, CLUB)
        counts.append(sum(intake.take(said[at : at + batch]).entries for at in range(0, len(said), batch)))

    threads = [threading.Thread(target=take, args=(hub, batch)) for hub, batch in ((database, 7), (other, 11))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    other.close()
    assert sum(counts) == len(said)
    assert [(table, seq) for table, _, seq, _ in taken(database)] == [
        (str(table), seq) for table in range(8) for seq in range(1, 41)
    ]


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
@needs_postgres()
@pytest.mark.slow
def test_hubs_that_wait_for_each_other_go_on(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """PostgreSQL ends one of two transactions that wait in a circle; its messages are taken all the same."""
    waits = threading.Barrier(2)
    sorted_logs = intake_module._lock_logs

    def in_other_order(session: Session, keys: Iterable[tuple[str, str]]) -> dict[tuple[str, str], int]:
        """One log after the other, the hubs from two ends, as where both begin new ones."""
        ends = sorted(keys, reverse=threading.current_thread().name == "backwards")
        found = {}
        for at, key in enumerate(ends):
            found |= sorted_logs(session, [key])
            if at == 0:
                with suppress(threading.BrokenBarrierError):
                    waits.wait(timeout=2)
        return found

    Intake(database, CLUB).take([entry("1", 1), entry("2", 1)])
    monkeypatch.setattr(intake_module, "_lock_logs", in_other_order)
    counts: list[int] = []

    def take() -> None:
        counts.append(Intake(database, CLUB).take([entry("1", 2), entry("2", 2)]).entries)

    threads = [threading.Thread(target=take, name=name) for name in ("forwards", "backwards")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(counts) == [0, 2]


def test_a_log_that_is_behind_is_asked_for_by_the_state(database: Database) -> None:
    """A retained state says how much there is; a hub that was away asks for the rest of it."""
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


def test_an_unknown_version_is_refused_and_told(database: Database) -> None:
    """Nothing of it is kept, what came with it is, and the organiser reads a sentence."""
    there, payload = entry("7", 1)
    strange = json.dumps(json.loads(payload) | {"version": 2}).encode()
    result = Intake(database, CLUB).take([(there, strange), entry("8", 1), (there, strange)])
    assert (result.refused, result.entries) == (2, 1)
    assert notices(database) == [
        (
            "Table 7 sent something that was not accepted: This message has version 2, but "
            "this Tilekeeper knows version 1. Install the same Tilekeeper on both."
        )
    ]


def test_a_table_that_says_it_is_another_is_refused(database: Database) -> None:
    """Its own topic is the one that the broker lets it write to; what it claims beyond that is not taken."""
    _, payload = entry("9", 1)
    result = Intake(database, CLUB).take([(topic(CLUB, "7", Branch.EVENTS), payload)])
    assert (result.refused, taken(database)) == (1, [])
    assert notices(database)[0].startswith("Table 7 says it is table 9")


@pytest.mark.parametrize("data", ["a\x00b", "😀", "'; DROP TABLE entries; --"])
def test_what_no_text_column_takes_keeps_nobody_out(database: Database, data: str) -> None:
    """A NUL is refused with a word, other strange text is kept; the entries beside it are taken either way."""
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
        {"players": [{"name": "A", "rack": 1, "opened": True, "total": float("nan")}]},
    ],
)
def test_numbers_that_no_page_can_show_are_refused(database: Database, what: dict[str, object]) -> None:
    """One table that says such a thing keeps neither the hub from taking others nor anybody from their pages."""
    state = {"version": 1, "table": "1", "sent_at": "2026-11-23T18:00:00+00:00", **what}
    message = (topic(CLUB, "1", Branch.STATE), json.dumps(state).encode())
    result = Intake(database, CLUB).take([message, entry("8", 1)])
    assert (result.refused, result.entries) == (1, 1)
    there, payload = entry("7", 1)
    too_large = json.dumps(json.loads(payload) | {"seq": 2**63}).encode()
    assert Intake(database, CLUB).take([(there, too_large)]).refused == 1
    with database.reading() as session:
        assert night_view(session).spare


@pytest.mark.parametrize("message", [("elsewhere", b"{}"), (topic("other", "7", Branch.EVENTS), b"{}")])
def test_other_topics_are_left_alone(database: Database, message: tuple[str, bytes]) -> None:
    """What belongs to another club is no trouble of this one."""
    assert Intake(database, CLUB).take([message]).refused == 1
    assert notices(database) == []


def test_a_clock_that_is_wrong_by_an_hour_is_seen(database: Database) -> None:
    """Nothing is reckoned from a table's clock, and the hub knows by how much it is wrong."""
    late = Presence(table="7", presence="here", sent_at=datetime.now(UTC) + timedelta(hours=1))
    Intake(database, CLUB).take([(topic(CLUB, "7", Branch.PRESENCE), late.payload())])
    with database.reading() as session:
        assert session.get_one(TableRow, "7").skew_s == pytest.approx(3600, abs=5)


def test_presence_comes_and_goes(database: Database) -> None:
    """The last will of a table says that it has gone."""
    intake = Intake(database, CLUB)
    for presence, here in (("here", True), ("gone", False)):
        said = Presence.model_validate({"table": "7", "presence": presence})
        intake.take([(topic(CLUB, "7", Branch.PRESENCE), said.payload())])
        with database.reading() as session:
            assert session.get_one(TableRow, "7").here is here


def test_a_raised_hand_is_kept_once_with_its_pictures(database: Database) -> None:
    """A table says its open disputes again whenever it reaches the broker."""
    dispute = Dispute(
        table="7", id="d1", log="first", seq=3, raised_by="Ada", verdict="Illegal.", reasons=["x"], before_jpeg="/9j/"
    )
    said = (topic(CLUB, "7", Branch.DISPUTES), dispute.payload())
    Intake(database, CLUB).take([said, said])
    Intake(database, CLUB).take([said])
    with database.reading() as session:
        (row,) = session.scalars(select(DisputeRow)).all()
        assert (row.before, row.after, row.reasons, row.decision) == (b"\xff\xd8\xff", None, ["x"], "")


def test_an_answer_to_no_command_is_nothing(database: Database) -> None:
    """Whoever answers what was never asked changes nothing."""
    assert Intake(database, CLUB).take([answer("7", "nobody")]).refused == 0
