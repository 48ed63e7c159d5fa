"""A record of a game night: an event of the game, and a note for the people at the table, which the engine ignores."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Final

from pydantic import ConfigDict, TypeAdapter, ValidationError

from tilekeeper.companion.game_night.clock import Clock, Seconds
from tilekeeper.engine.game.events import Entry
from tilekeeper.engine.game.log import format_entry, format_header, parse_log


@dataclass(frozen=True, slots=True)
class Note:
    """The note to an event; nothing in it changes the game."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(allow_inf_nan=False)
    step: int
    """The number of the action, from 1; the events of one action are undone together."""
    at: str
    """The time in UTC, such as `2026-11-21T19:30:05Z`; no durations are computed from it."""
    by: str = ""
    """Who pressed: the name of a tablet, or `app`; empty if there is only one tablet."""
    reason: str = ""
    """A person's reason, for example for an overrule."""
    seconds: Seconds | None = None
    """How long the turn had lasted; None for an event that is not a turn."""
    picture: str | None = None
    """The name of the picture of the table after the event; None if no camera gave one."""
    picture_before: str | None = None
    """The name of the picture of the table at the start of the turn; None if no camera gave one."""
    clock: dict[str, Any] | None = None
    """The clock before the action (`Clock.as_json`), so that undo can set it back."""

    def as_json(self) -> dict[str, Any]:
        """Return plain data for JSON, which `from_json` reads."""
        return asdict(self)

    @classmethod
    def from_json(cls, stored: object) -> Note:
        """Return the stored note; fields of later versions are ignored.

        Raises:
            ValueError: if `stored` is not a note.
        """
        note = _NOTE.validate_python(stored)
        note.clock_before()
        return note

    def clock_before(self) -> Clock | None:
        """Return the clock before the action; None if it was not noted."""
        return None if self.clock is None else Clock.from_json(self.clock)


_NOTE: Final = TypeAdapter(Note)


@dataclass(frozen=True, slots=True)
class Record:
    """An event with its note."""

    entry: Entry
    note: Note

    @property
    def line(self) -> str:
        """The event as a line of a game's file."""
        return format_entry(self.entry)

    @classmethod
    def read(cls, line: str, note: object) -> Record:
        """Return the record that was stored as a line and a note.

        Raises:
            ValueError: if the line is not an event, or the note can't be read.
        """
        (entry,) = parse_log(f"{format_header()}\n{line}\n")
        return cls(entry, Note.from_json(note))

    @classmethod
    def salvage(cls, line: object, note: object, step: int) -> Record:
        """Return the stored record; a note that can't be read is replaced by one with only the step's number.

        Raises:
            ValueError: if the line is not an event.
        """
        if not isinstance(line, str):
            raise ValueError("a record holds no text")
        try:
            return cls.read(line, note)
        except ValidationError:  # only the note fails here; a line that is not an event raises `GameLogError`
            return cls.read(line, {"step": step, "at": ""})
