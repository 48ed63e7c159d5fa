"""One line of a game night's history: an event of the game, and what only the people at the table care about."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from tilekeeper.companion.game_night.clock import Clock
from tilekeeper.engine.game.events import Entry
from tilekeeper.engine.game.log import format_entry, format_header, parse_log


@dataclass(frozen=True, slots=True)
class Note:
    """What was noted beside an event; none of it changes the game."""

    step: int
    """The action that it belongs to, from 1; the events of one action are undone together."""
    at: str
    """When, in UTC by the clock of the host, `2026-11-21T19:30:05Z`; nothing is ever reckoned from it."""
    by: str = ""
    """Who pressed: the name of a tablet, or `app`; empty where there is but one."""
    reason: str = ""
    """FailureCause, in a person's words: of an overrule, for one."""
    seconds: float | None = None
    """How long the turn had lasted; none where it was no turn."""
    picture: str | None = None
    """The name of the picture that shows the table then; none where there was no camera."""
    picture_before: str | None = None
    """The name of the picture that shows the table at the start of the turn."""
    clock: dict[str, Any] | None = None
    """The clock as it stood before (`Clock.as_json`), so that undo can set it back."""

    def as_json(self) -> dict[str, Any]:
        """As plain data for JSON, which `from_json` reads back."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @classmethod
    def from_json(cls, kept: dict[str, Any]) -> Note:
        """The note that was kept; fields of later versions are left out."""
        known = {field.name for field in fields(cls)}
        return cls(**{name: value for name, value in kept.items() if name in known})

    def clock_before(self) -> Clock | None:
        """The clock before the action."""
        return None if self.clock is None else Clock.from_json(self.clock)


@dataclass(frozen=True, slots=True)
class Record:
    """An event with its note."""

    entry: Entry
    note: Note

    @property
    def line(self) -> str:
        """The event as in a game's file."""
        return format_entry(self.entry)

    @classmethod
    def read(cls, line: str, note: dict[str, Any]) -> Record:
        """The record that was kept as a line and a note."""
        (entry,) = parse_log(f"{format_header()}\n{line}\n")
        return cls(entry, Note.from_json(note))
