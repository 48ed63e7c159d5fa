"""Messages go over the wire and come back the same; what is none is refused with a sentence that says why."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilekeeper.companion.broker.messages import (
    Acknowledgement,
    ClockCommand,
    DecideCommand,
    Dispute,
    Event,
    MessageRefused,
    Player,
    SeatCommand,
    read_command,
    read_message,
)
from tilekeeper.companion.broker.topics import Branch, is_name, parse_topic, topic

AT = datetime(2026, 11, 21, 19, 30, 5, tzinfo=UTC)
names = st.from_regex(r"[A-Za-z0-9_-]{1,40}", fullmatch=True)
texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=40)
ids = texts.filter(bool)


def command_json(**other: object) -> bytes:
    """A command that is all right, but for what is said otherwise."""
    whole = {"version": 1, "table": "7", "sent_at": "2026-11-21T19:30:05Z", "id": "a", "kind": "pause"}
    return json.dumps({**whole, "by": "Kim", "role": "arbiter", **other}).encode()


@given(names, ids, st.integers(1, 2**31 - 1), texts, st.dictionaries(texts, st.none() | st.integers() | texts))
def test_event_comes_back(table: str, log: str, seq: int, reason: str, data: dict[str, object]) -> None:
    """An event is the same after the wire, whatever it holds."""
    event = Event(table=table, sent_at=AT, log=log, seq=seq, kind="passed", data=data, at="", reason=reason)
    assert read_message(Event, event.payload()) == event


@given(names, ids, texts, st.lists(ids, min_size=2, max_size=8))
def test_commands_come_back(table: str, id_: str, by: str, players: list[str]) -> None:
    """Each kind of command is known by its kind after the wire."""
    head = {"table": table, "sent_at": AT, "id": id_, "by": by, "role": "arbiter"}
    for command in (
        SeatCommand(**head, round=3, players=[Player(id=one, name=one) for one in players], edition="travel"),
        ClockCommand(**head, kind="start"),
        DecideCommand(**head, dispute="d", decision="time_given", seconds=30.0, why="a tile fell"),
    ):
        assert read_command(command.payload()) == command


@pytest.mark.parametrize(
    ("payload", "said", "id_"),
    [
        (b"\xff\x00", "This is not a message: it is not a JSON object.", None),
        (b"[" * 60_000, "This is not a message: it is not a JSON object.", None),
        (b"[]", "This is not a message: it is not a JSON object.", None),
        (command_json(version=2), "This message has version 2, but this Tilekeeper knows version 1", "a"),
        (command_json(version="1"), 'This message has version "1", but this Tilekeeper', "a"),
        (command_json(kind="shout"), "This message can't be understood", "a"),
        (command_json(table="7/../8"), "pause.table", "a"),
        (command_json(more=1), "pause.more: Extra inputs are not permitted", "a"),
        (command_json(sent_at="2026-11-21T19:30:05"), "sent_at", "a"),
        (command_json(kind="decide", dispute="d", decision="time_given", seconds=-5), "seconds", "a"),
    ],
)
def test_what_is_no_message_is_refused(payload: bytes, said: str, id_: str | None) -> None:
    """One sentence says what is wrong; the id is told where it can be read."""
    with pytest.raises(MessageRefused) as caught:
        read_command(payload)
    assert said in caught.value.reason
    assert "\n" not in caught.value.reason
    assert caught.value.id == id_


def test_picture_is_base64() -> None:
    """A dispute holds pictures as base64 and nothing else; an answer holds its command's id."""
    dispute = Dispute(table="7", id="d", log="l", seq=4, before_jpeg="AAAA")
    with pytest.raises(MessageRefused):
        read_message(Dispute, dispute.payload().replace(b"AAAA", b"<b>!"))
    assert read_message(Acknowledgement, Acknowledgement(table="7", command="c", done=True).payload()).command == "c"


@given(names, names)
def test_topics_lead_back(club: str, table: str) -> None:
    """Each topic of the tree says which club, table and branch it is of, and no other is in the tree."""
    for branch in Branch:
        place = parse_topic(topic(club, table, branch))
        assert place is not None
        assert (place.club, place.table, place.branch) == (club, table, branch)
        assert parse_topic(f"{topic(club, table, branch)}/more") is None
    assert is_name(club)
    assert parse_topic(f"tilekeeper/1/{club}/tables/{table}/resend") is None
    assert parse_topic(f"tilekeeper/2/{club}/tables/{table}/events") is None


@pytest.mark.parametrize("name", ["", "a b", "a/b", "+", "#", "ä", "x" * 41, "7\n"])
def test_names_that_would_spoil_a_topic(name: str) -> None:
    """A club or table has a name that means nothing to a broker."""
    assert not is_name(name)
