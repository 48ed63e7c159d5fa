"""Floods of messages: refused ones cost little, and what a flood has displaced is requested again."""

import pytest
from sqlalchemy import event

from tests.support.club_tables import CLUB, answer, entry
from tilekeeper.companion.hub.database import Database
from tilekeeper.companion.hub.intake import Intake
from tilekeeper.companion.hub.notices import newest_notices
from tilekeeper.companion.hub.raised_hands import MOST_HANDS
from tilekeeper.companion.messaging.messages import Dispute, PastLog, Presence, TableStatus
from tilekeeper.companion.messaging.topics import Branch, topic
from tilekeeper.engine.game.state import Phase

pytestmark = pytest.mark.slow  # a hub with its database for each


def test_flood_of_refused_messages_takes_few_statements(database: Database) -> None:
    """Notices, raised hands and answers of a batch are stored together; each costs less than a statement of its own."""
    statements: list[str] = []
    event.listen(database.engine, "before_cursor_execute", lambda *about: statements.append(about[2]))
    flood = [(topic(CLUB, "3", Branch.STATE), b"[%d" % number) for number in range(200)]
    flood += [(topic(CLUB, "3", Branch.EVENTS), entry("9", number)[1]) for number in range(1, 100)]
    flood += [answer("3", f"nothing-{number}") for number in range(100)]
    hands = [Dispute(table="3", id=f"hand-{number}", log="l", seq=1) for number in range(5 * MOST_HANDS)]
    flood += [(topic(CLUB, "3", Branch.DISPUTES), hand.payload()) for hand in hands]
    result = Intake(database, CLUB).take(flood)
    assert result.refused == 299
    assert len(statements) < 25 + MOST_HANDS, "\n".join(statements)
    with database.reading() as session:
        times = {row.kind: 0 for row in newest_notices(session)}
        for row in newest_notices(session):
            times[row.kind] += row.times
    assert times == {"refused": 200 + 4 * MOST_HANDS, "other-table": 99}


def test_raised_hand_that_a_status_names_is_requested_until_it_comes(database: Database) -> None:
    """A broker under a flood may have dropped it. One that never comes is not requested for ever."""
    requests: list[tuple[str, str, int]] = []
    intake = Intake(database, CLUB, lambda *missing: requests.append(missing))
    state = TableStatus(table="7", log="first", last_seq=2, phase=Phase.TURNS, disputes=["d1"])
    status = (topic(CLUB, "7", Branch.STATE), state.payload())
    intake.take([entry("7", 1), entry("7", 2), status])
    assert requests == [("7", "first", 3)]
    hand = Dispute(table="7", id="d1", log="first", seq=2)
    intake.take([status, (topic(CLUB, "7", Branch.DISPUTES), hand.payload())])
    intake.take([status])
    assert len(requests) == 1
    refused = (status[0], state.model_copy(update={"disputes": ["d2"]}).payload())
    for _ in range(20):
        intake.take([refused])
    assert len(requests) < 10


def test_entries_of_a_past_log_that_the_hub_lacks_are_requested(database: Database) -> None:
    """A flood may have displaced the end of a log, and a restored database lacks whole logs."""
    requests: list[tuple[str, str, int]] = []
    intake = Intake(database, CLUB, lambda *missing: requests.append(missing))
    past = [PastLog(log=log, last_seq=2) for log in ("whole", "cut", "lost")]
    presence = Presence(table="7", presence="here", past_logs=past).payload()
    whole = [entry("7", seq, "tile-drawn", "whole") for seq in (1, 2)]
    intake.take([*whole, entry("7", 1, "tile-drawn", "cut"), (topic(CLUB, "7", Branch.PRESENCE), presence)])
    assert sorted(requests) == [("7", "cut", 2), ("7", "lost", 1)]
