"""The topic tree of a hall: who writes where, and which table a topic is about."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

VERSION: Final = 1
ROOT: Final = f"tilekeeper/{VERSION}"
_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,40}")
_TOPIC: Final = re.compile(
    rf"{ROOT}/(?P<club>[^/]+)/(?:tables/(?P<table>[^/]+)/(?P<branch>[a-z]+)|hubs/resend/(?P<sender>[^/]+))"
)


class Branch(StrEnum):
    """What lies below a table."""

    EVENTS = "events"
    """Table to hub: one `Event` each."""
    STATE = "state"
    """Table to all, retained: the newest `TableStatus`."""
    PRESENCE = "presence"
    """Table to all, retained: a `Presence`, also as the table's last will."""
    DISPUTES = "disputes"
    """Table to hub: a `Dispute`."""
    ANSWERS = "answers"
    """Table to hub: an `Acknowledgement`."""
    COMMANDS = "commands"
    """Hub to table: a `HallCommand`."""
    RESEND = "resend"
    """Hub to table: a `Resend`; it lies below the hubs, not below the table."""


WRITTEN_BY_TABLES: Final = (Branch.EVENTS, Branch.STATE, Branch.PRESENCE, Branch.DISPUTES, Branch.ANSWERS)
RETAINED: Final = (Branch.STATE, Branch.PRESENCE)


@dataclass(frozen=True, slots=True)
class TopicParts:
    """Where a topic leads."""

    club: str
    table: str
    branch: Branch


@dataclass(frozen=True, slots=True)
class TableName:
    """What a table is called, and in which club's hall."""

    club: str
    table: str

    def topic(self, branch: Branch) -> str:
        """Return a topic of this table."""
        return topic(self.club, self.table, branch)


def is_name(word: str) -> bool:
    """Whether a club or a table may be called so: 1 to 40 of A to Z, a to z, 0 to 9, `-` and `_`."""
    return _NAME.fullmatch(word) is not None


def topic(club: str, table: str, branch: Branch) -> str:
    """Return a topic; `+` as the table stands for all of them, where one subscribes."""
    if branch is Branch.RESEND:
        return f"{ROOT}/{club}/hubs/resend/{table}"
    return f"{ROOT}/{club}/tables/{table}/{branch}"


def parse_topic(name: str) -> TopicParts | None:
    """Return where a topic leads; None for one that is not in the tree."""
    found = _TOPIC.fullmatch(name)
    if found is None:
        return None
    if found["sender"] is not None:
        return TopicParts(found["club"], found["sender"], Branch.RESEND)
    if found["branch"] == Branch.RESEND or found["branch"] not in set(Branch):
        return None
    return TopicParts(found["club"], found["table"], Branch(found["branch"]))
