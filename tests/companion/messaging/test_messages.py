"""Messages survive a round trip as JSON; an invalid message is refused with the reason."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from tilekeeper.companion.messaging.messages import (
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
from tilekeeper.companion.messaging.topics import Branch, is_name, parse_topic, topic

AT = datetime(2026, 11, 21, 19, 30, 5, tzinfo=UTC)
names = st.from_regex(r"[A-Za-z0-9_-]{1,40}", fullmatch=True)
texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=40)
ids = st.from_regex(r"[A-Za-z0-9_-]{1,60}(\.[0-9]{1,3})?", fullmatch=True)


def command_json(**other: object) -> bytes:
    """A valid command with some fields replaced."""
    whole = {"version": 1, "table": "7", "sent_at": "2026-11-21T19:30:05Z", "id": "a", "kind": "pause"}
    return json.dumps({**whole, "by": "Kim", "role": "arbiter", **other}).encode()


@given(names, ids, st.integers(1, 2**31 - 1), texts, st.dictionaries(texts, st.none() | st.integers() | texts))
def test_event_survives_a_round_trip(table: str, log: str, seq: int, reason: str, data: dict[str, object]) -> None:
    event = Event(table=table, sent_at=AT, log=log, seq=seq, kind="passed", data=data, at="", reason=reason)
    assert read_message(Event, event.payload()) == event


@given(names, ids, texts, st.lists(ids, min_size=2, max_size=8))
def test_command_of_each_kind_survives_a_round_trip(table: str, id_: str, by: str, players: list[str]) -> None:
    """`read_command` returns the class of the command's kind."""
    head = {"table": table, "sent_at": AT, "id": id_, "by": by, "role": "arbiter"}
    for command in (
        SeatCommand(**head, round=3, players=[Player(id=one, name=one) for one in players], edition="travel"),
        ClockCommand(**head, kind="start"),
        DecideCommand(**head, dispute="d", decision="time_given", seconds=30.0, why="a tile fell"),
    ):
        assert read_command(command.payload()) == command


@pytest.mark.parametrize(
    ("payload", "reason", "id_"),
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
def test_invalid_command_is_refused_with_reason_and_id(payload: bytes, reason: str, id_: str | None) -> None:
    """The reason is one line, and the id is given if it can be read."""
    with pytest.raises(MessageRefused) as caught:
        read_command(payload)
    assert reason in caught.value.reason
    assert "\n" not in caught.value.reason
    assert caught.value.id == id_


@pytest.mark.parametrize("id_", ["", ".", "..", "../codes", "a/b", "a b", "a.b", "é", "a\n", "a%2F", 65 * "a"])
def test_id_that_could_lead_elsewhere_in_an_address_is_refused(id_: str) -> None:
    with pytest.raises(ValidationError):
        Dispute(table="7", id=id_, log="l", seq=4)
    with pytest.raises(MessageRefused) as caught:
        read_command(command_json(id=id_))
    assert caught.value.id is None


def test_dispute_picture_that_is_not_base64_is_refused() -> None:
    """Pictures in a dispute must be base64; an acknowledgement keeps the command's id."""
    dispute = Dispute(table="7", id="d", log="l", seq=4, before_jpeg="AAAA")
    with pytest.raises(MessageRefused):
        read_message(Dispute, dispute.payload().replace(b"AAAA", b"<b>!"))
    assert read_message(Acknowledgement, Acknowledgement(table="7", command="c", done=True).payload()).command == "c"


@given(names, names)
def test_topic_is_parsed_to_club_table_and_branch(club: str, table: str) -> None:
    """Parsing a topic gives its club, table and branch; a topic outside the tree gives None."""
    for branch in Branch:
        place = parse_topic(topic(club, table, branch))
        assert place is not None
        assert (place.club, place.table, place.branch) == (club, table, branch)
        assert parse_topic(f"{topic(club, table, branch)}/more") is None
    assert is_name(club)
    assert parse_topic(f"tilekeeper/1/{club}/tables/{table}/resend") is None
    assert parse_topic(f"tilekeeper/2/{club}/tables/{table}/events") is None


@pytest.mark.parametrize("name", ["", "a b", "a/b", "+", "#", "ä", "x" * 41, "7\n"])
def test_name_with_characters_of_topics_is_refused(name: str) -> None:
    assert not is_name(name)


@pytest.mark.parametrize(
    "parts", [b"[]," * 1_300_000, b"1," * 2_000_000, b'{"a":[' * 5_100], ids=["lists", "numbers", "nested"]
)
def test_message_of_very_many_parts_is_refused_before_it_is_parsed(parts: bytes) -> None:
    """It would otherwise take half a gigabyte for a moment: the parser needs 300 bytes for an empty list."""
    payload = b'{"version":1,"table":"7","id":"d","log":"l","seq":1,"reasons":[' + parts + b"1]}"
    with pytest.raises(MessageRefused, match="too long"):
        read_message(Dispute, payload)
