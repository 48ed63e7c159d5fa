"""The AsyncAPI document of a hall's topics, made from the models of the messages: `python -m tests.support.asyncapi`.

It writes docs/asyncapi.json; a test holds it in step with the models.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from tilekeeper.companion.messaging.messages import (
    Acknowledgement,
    ClockCommand,
    DecideCommand,
    Dispute,
    Event,
    Presence,
    Resend,
    SeatCommand,
    TableStatus,
    TimeCommand,
)
from tilekeeper.companion.messaging.topics import RETAINED, VERSION, WRITTEN_BY_TABLES, Branch, topic

PATH: Final = Path(__file__).parents[2] / "docs" / "asyncapi.json"
MESSAGES: Final[dict[Branch, tuple[type[BaseModel], ...]]] = {
    Branch.EVENTS: (Event,),
    Branch.STATE: (TableStatus,),
    Branch.PRESENCE: (Presence,),
    Branch.DISPUTES: (Dispute,),
    Branch.ANSWERS: (Acknowledgement,),
    Branch.COMMANDS: (SeatCommand, ClockCommand, TimeCommand, DecideCommand),
    Branch.RESEND: (Resend,),
}
ABOUT: Final[dict[Branch, str]] = {
    Branch.EVENTS: "The entries of the table's logs, each once or more often, in order: a hub takes each number once.",
    Branch.STATE: "How the table stands; retained. A hub that has fewer entries than `last_seq` asks for the rest.",
    Branch.PRESENCE: "Whether the table is there; retained, and its last will.",
    Branch.DISPUTES: "Raised hands; told again whenever the table reaches the broker, until they are decided about.",
    Branch.ANSWERS: "What became of commands.",
    Branch.COMMANDS: "What the hall wants; sent again until it is answered, and obeyed once.",
    Branch.RESEND: "Send a log again from an entry on.",
}


def document() -> dict[str, Any]:
    """Return the document from a table's side: the messages that it sends and receives."""
    models = [model for of_branch in MESSAGES.values() for model in of_branch]
    _, schemas = models_json_schema(
        [(model, "validation") for model in models], ref_template="#/components/schemas/{model}"
    )
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Tilekeeper in a hall",
            "version": str(VERSION),
            "description": "What tables and hubs say to each other over MQTT 5, all of it with QoS 1. A hub on the "
            "tables' own machine takes and gives the same messages over HTTP (`/api/wire`).",
            "license": {"name": "Apache-2.0"},
        },
        "defaultContentType": "application/json",
        "servers": {
            "hall": {
                "host": "{host}:8883",
                "protocol": "mqtts",
                "protocolVersion": "5.0",
                "variables": {"host": {"description": "The broker, such as `hall.local`."}},
                "security": [{"$ref": "#/components/securitySchemes/card"}],
            }
        },
        "channels": {branch.value: _channel(branch) for branch in Branch},
        "operations": {branch.value: _operation(branch) for branch in Branch},
        "components": {
            "schemas": _in_draft_7(schemas.get("$defs", {})),
            "messages": {
                model.__name__: {
                    "name": model.__name__,
                    "summary": (model.__doc__ or "").strip(),
                    "payload": {"$ref": f"#/components/schemas/{model.__name__}"},
                }
                for model in models
            },
            "securitySchemes": {
                "card": {
                    "type": "userPassword",
                    "description": "A table's user is its name, and may write and read its own topics alone.",
                }
            },
        },
    }


def _channel(branch: Branch) -> dict[str, Any]:
    return {
        "address": topic("{club}", "{table}", branch),
        "description": ABOUT[branch],
        "parameters": {
            "club": {"description": "What the club is called: letters, digits, `-` and `_`."},
            "table": {"description": "What the table is called."},
        },
        "messages": {model.__name__: {"$ref": f"#/components/messages/{model.__name__}"} for model in MESSAGES[branch]},
    }


def _operation(branch: Branch) -> dict[str, Any]:
    return {
        "action": "send" if branch in WRITTEN_BY_TABLES else "receive",
        "channel": {"$ref": f"#/channels/{branch.value}"},
        "bindings": {"mqtt": {"qos": 1, "retain": branch in RETAINED, "bindingVersion": "0.2.0"}},
    }


def _in_draft_7(schemas: dict[str, Any]) -> dict[str, Any]:
    """Return JSON schemas in draft 7, as AsyncAPI requires; none of them uses later features."""
    assert "prefixItems" not in json.dumps(schemas)
    return schemas


def text() -> str:
    """Return the document as text."""
    return json.dumps(document(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    PATH.write_text(text())
