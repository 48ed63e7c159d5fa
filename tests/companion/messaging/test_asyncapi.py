"""docs/asyncapi.json is up to date, valid AsyncAPI, and agrees with the message models."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema_rs import Draft7Validator, validator_for

from tests.support.asyncapi import MESSAGES, PATH, document, text
from tilekeeper.companion.messaging.messages import ClockCommand, Event, Player, SeatCommand, TableStatus
from tilekeeper.companion.messaging.topics import RETAINED, Branch, parse_topic

HEAD = {"table": "7", "id": "c", "by": "Kim", "role": "arbiter"}


def test_document_in_docs_is_up_to_date() -> None:
    """`python -m tests.support.asyncapi` updates the file."""
    assert PATH.read_text() == text()


def test_each_branch_has_a_channel_with_its_topic_and_retain_flag() -> None:
    """Each branch has one channel, whose address parses back to the branch, and its retain flag is right."""
    described = document()
    for branch in Branch:
        address = described["channels"][branch]["address"].format(club="club", table="7")
        place = parse_topic(address)
        assert place is not None
        assert place.branch is branch
        operation = described["operations"][branch]
        assert operation["bindings"]["mqtt"]["retain"] is (branch in RETAINED)
        assert (operation["action"] == "receive") is (branch in (Branch.COMMANDS, Branch.RESEND))


def test_document_is_valid_asyncapi(repository: Path) -> None:
    """It is validated with the schema of the AsyncAPI project; a broken document fails."""
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
def test_message_fits_the_schema_of_its_own_model_only(branch: Branch) -> None:
    """Each message is valid for the schema of its own model only."""
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
