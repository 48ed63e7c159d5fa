"""The document of the topics says what the models say, and is what AsyncAPI calls a document."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema_rs import Draft7Validator, validator_for

from tests.support.asyncapi import MESSAGES, PATH, document, text
from tilekeeper.companion.broker.messages import ClockCommand, Event, Player, SeatCommand, TableStatus
from tilekeeper.companion.broker.topics import RETAINED, Branch, parse_topic

HEAD = {"table": "7", "id": "c", "by": "Kim", "role": "arbiter"}


def test_it_is_in_step() -> None:
    """`python -m tests.support.asyncapi` writes it anew."""
    assert PATH.read_text() == text()


def test_each_topic_is_in_the_tree() -> None:
    """Every branch has its channel, whose address leads to it, and says whether it is retained."""
    described = document()
    for branch in Branch:
        address = described["channels"][branch]["address"].format(club="club", table="7")
        place = parse_topic(address)
        assert place is not None
        assert place.branch is branch
        operation = described["operations"][branch]
        assert operation["bindings"]["mqtt"]["retain"] is (branch in RETAINED)
        assert (operation["action"] == "receive") is (branch in (Branch.COMMANDS, Branch.RESEND))


def test_it_is_what_asyncapi_asks_for(repository: Path) -> None:
    """It is held to the schema that the AsyncAPI project keeps."""
    schema = repository / "companion/web/tooling/node_modules/@asyncapi/specs/schemas/3.0.0-without-$id.json"
    if not schema.exists():
        pytest.skip("the tools that `npm` brings are not installed")
    validator = Draft7Validator(json.loads(schema.read_text()))
    described = document()
    validator.validate(described)
    del described["channels"]["events"]["address"]
    described["operations"]["events"]["action"] = "shout"
    assert not validator.is_valid(described)


@given(st.sampled_from(Branch))
def test_messages_are_as_described(branch: Branch) -> None:
    """What the models write fits the schemas, and something else does not."""
    described = document()
    for model in MESSAGES[branch]:
        schema = {"components": described["components"], "$ref": f"#/components/schemas/{model.__name__}"}
        validator = validator_for(schema)
        assert not validator.is_valid({"version": 2, "table": "7"})
        for message in (
            Event(table="7", log="a", seq=1, kind="passed", data={"event": "passed"}, at=""),
            TableStatus(table="7"),
            ClockCommand(**HEAD, kind="pause"),
            SeatCommand(**HEAD, round=1, players=[Player(id=n, name=n) for n in "ab"], edition="travel"),
        ):
            assert validator.is_valid(json.loads(message.payload())) is (type(message) is model)
