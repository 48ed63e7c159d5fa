"""The MQTT topic tree of a hall: who writes which topic; making and parsing topics."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

VERSION: Final = 1
ROOT: Final = f"tilekeeper/{VERSION}"
_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,40}")
_TOPIC: Final = re.compile(
    rf"{ROOT}/(?P<club>{_NAME.pattern})/"
    rf"(?:tables/(?P<table>{_NAME.pattern})/(?P<branch>[a-z]+)|hubs/resend/(?P<sender>{_NAME.pattern}))"
)


class Branch(StrEnum):
    """The kind of messages under a topic, usually its last part."""

    EVENTS = "events"
    """Table to hub: `Event`."""
    STATE = "state"
    """Table to all, retained: `TableStatus`."""
    PRESENCE = "presence"
    """Table to all, retained: `Presence`, also as the table's last will."""
    DISPUTES = "disputes"
    """Table to hub: `Dispute`."""
    ANSWERS = "answers"
    """Table to hub: `Acknowledgement`."""
    COMMANDS = "commands"
    """Hub to table: `HallCommand`."""
    RESEND = "resend"
    """Hub to table: `Resend`; its topics are below `hubs`, not below the table."""


WRITTEN_BY_TABLES: Final = (Branch.EVENTS, Branch.STATE, Branch.PRESENCE, Branch.DISPUTES, Branch.ANSWERS)
RETAINED: Final = (Branch.STATE, Branch.PRESENCE)


@dataclass(frozen=True, slots=True)
class TopicParts:
    """The parts of a topic."""

    club: str
    table: str
    branch: Branch


@dataclass(frozen=True, slots=True)
class TableName:
    """The name of a table and of its club."""

    club: str
    table: str

    def topic(self, branch: Branch) -> str:
        """Return the topic of this table for a kind of messages."""
        return topic(self.club, self.table, branch)


def is_name(word: str) -> bool:
    """Return whether a word is allowed as the name of a club or a table: 1 to 40 ASCII letters, digits, `-` and `_`."""
    return _NAME.fullmatch(word) is not None


def topic(club: str, table: str, branch: Branch) -> str:
    """Return a topic, or for the table `+` a topic filter for all tables."""
    if branch is Branch.RESEND:
        return f"{ROOT}/{club}/hubs/resend/{table}"
    return f"{ROOT}/{club}/tables/{table}/{branch}"


def parse_topic(name: str) -> TopicParts | None:
    """Return the parts of a topic; None for a topic outside the tree."""
    match = _TOPIC.fullmatch(name)
    if match is None:
        return None
    if match["sender"] is not None:
        return TopicParts(match["club"], match["sender"], Branch.RESEND)
    if match["branch"] == Branch.RESEND or match["branch"] not in set(Branch):
        return None
    return TopicParts(match["club"], match["table"], Branch(match["branch"]))
