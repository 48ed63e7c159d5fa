"""The file of an event: a rebuilt event is the same, and other files change nothing."""

import json
from pathlib import Path

import pytest
from sqlalchemy.orm import Session

from tests.support.club_hall import plan
from tilekeeper.companion.hub.check import check_event
from tilekeeper.companion.hub.database import Database
from tilekeeper.companion.hub.event_file import rebuild_event, write_event
from tilekeeper.companion.hub.hub import Hub
from tilekeeper.companion.hub.rounds import read_tournament
from tilekeeper.companion.hub.schema import HallRow
from tilekeeper.companion.refusal import Refused

pytestmark = pytest.mark.slow  # a hub with its database for each


@pytest.fixture(scope="module")
def holds() -> str:
    """A night in its second round."""
    return "hall"


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
    ]
    other = Database(f"sqlite:///{tmp_path}/other.sqlite3")
    for data in wrong:
        with pytest.raises(Refused), other.writing() as session:
            rebuild_event(session, data)
        with other.reading() as session:
            assert read_tournament(session).players == []
    other.close()
