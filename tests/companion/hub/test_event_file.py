"""The file of an event: a rebuilt event is the same, and other files change nothing."""

import json
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from tests.support.club_desk import night
from tests.support.club_hall import plan
from tests.support.postgres import needs_postgres
from tilekeeper.companion.hub.check import check_event
from tilekeeper.companion.hub.database import Database
from tilekeeper.companion.hub.event_file import rebuild_event, write_event
from tilekeeper.companion.hub.hub import Hub
from tilekeeper.companion.hub.rounds import players_of, read_tournament
from tilekeeper.companion.hub.rulings import Rulings
from tilekeeper.companion.hub.schema import HallRow, HandOrderRow, JournalRow, PenaltyRow
from tilekeeper.companion.refusal import Refused

HOLDS = "hall"
pytestmark = pytest.mark.slow  # a hub with its database for each


def test_rebuilt_event_is_the_same_and_goes_on(hub: Hub, empty_database_url: str) -> None:
    """The file of the rebuilt event is the same file; codes stay out of it, and new players get new numbers."""
    with hub.database.reading() as session:
        written, standings = "".join(write_event(session)), read_tournament(session).standings
        differences = list(check_event(session))  # the logs of this hall are only their ends
        assert not any(code in written for code in read_codes(session).values())
    other = Database(empty_database_url)
    with other.writing() as session:
        assert rebuild_event(session, written.encode()) == differences
    with other.reading() as session:
        assert "".join(write_event(session)) == written
        assert read_tournament(session).standings == standings
    Hub(other).desk.add_player(plan(other), "Neu")
    with other.writing() as session, pytest.raises(Refused, match="already has players"):
        rebuild_event(session, written.encode())
    other.close()


@pytest.mark.parametrize("backend", ["postgresql"])
@needs_postgres()
def test_numbers_go_on_after_those_of_the_file_in_postgresql(empty_database_url: str, tmp_path: Path) -> None:
    """Sequences of PostgreSQL know nothing of rows that were written with their numbers."""
    first = Database(f"sqlite:///{tmp_path}/first.sqlite3")
    desk, rulings = night(first, 4, format={"criteria": ["tile-points", "by-hand"]}), Rulings(first)
    desk.pair(plan(first), "Olga")
    desk.enter_points(plan(first), 1, "1", ["30", "-10", "-10", "-10"], "Olga")
    with first.reading() as session:
        _, one, other, third = (int(line.player) for line in read_tournament(session).standings)
    rulings.order_by_hand(plan(first), other, one, "played off", "Olga")
    rulings.punish(plan(first), third, 1, "late", "Olga")
    with first.reading() as session:
        written = "".join(write_event(session))
    first.close()
    rebuilt = Database(empty_database_url)
    with rebuilt.writing() as session:
        assert rebuild_event(session, written.encode()) == []
    desk, rulings = Hub(rebuilt).desk, Rulings(rebuilt)
    desk.import_players(plan(rebuilt), b"Late\nLater")
    rulings.punish(plan(rebuilt), third, 1, "late again", "Olga")
    rulings.draw_lots(plan(rebuilt), 5, "Olga")
    with rebuilt.reading() as session:
        assert [row.id for row in players_of(session)] == [1, 2, 3, 4, 5, 6]
        for kind, count in ((PenaltyRow, 2), (HandOrderRow, 2), (JournalRow, 4)):
            assert list(session.scalars(select(kind.id).order_by(kind.id))) == list(range(1, count + 1)), kind
    rebuilt.close()


IMPOSSIBLE: tuple[tuple[str, str, object], ...] = (
    ("players", "name", "x" * 101),
    ("players", "more_s", 2**40),
    ("rounds", "made_at", "soon"),
    ("seatings", "table", "../../codes"),
    ("seatings", "table", "²"),
    ("seatings", "games", [{"points": ["1e999999999"] * 4, "won": [0], "unopened": []}]),
    ("seatings", "games", [{"points": ["1/0"] * 4, "won": [0], "unopened": []}]),
    ("logs", "log", "a/b"),
    ("disputes", "raised_at", "soon"),
)


def changed(event: dict[str, Any], table: str, name: str, value: object) -> bytes:
    """Return the file of an event with another value in the first row of a table."""
    first, *others = event["rows"][table]
    rows = {**event["rows"], table: [{**first, name: value}, *others]}
    return json.dumps({**event, "rows": rows}).encode()


def read_codes(session: Session) -> dict[str, str]:
    return session.get_one(HallRow, 1).codes


def test_file_that_is_no_event_changes_nothing(hub: Hub, tmp_path: Path) -> None:
    """Other files, a later version, a wrong type, a player who is missing."""
    with hub.database.reading() as session:
        event = json.loads("".join(write_event(session)))
    rows = event["rows"]
    wrong = [
        b"",
        b"[]",
        b"{}",
        json.dumps({**event, "version": 9}).encode(),
        json.dumps({**event, "seed": "x"}).encode(),
        json.dumps({**event, "rows": {**rows, "players": rows["players"][1:]}}).encode(),
        json.dumps({**event, "rows": {**rows, "rounds": [{**rows["rounds"][0], "number": "1"}]}}).encode(),
        json.dumps({**event, "rows": {**rows, "seatings": rows["seatings"] * 2}}).encode(),
        b"[" * 100_000,
        json.dumps({**event, "seed": 2**70}).encode(),
        *(changed(event, *change) for change in IMPOSSIBLE),
    ]
    other = Database(f"sqlite:///{tmp_path}/other.sqlite3")
    for data in wrong:
        with pytest.raises(Refused), other.writing() as session:
            rebuild_event(session, data)
        with other.reading() as session:
            assert read_tournament(session).players == []
    other.close()
