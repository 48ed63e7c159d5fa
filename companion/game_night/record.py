"""A record of a game night: an event of the game, with a note about who, when and why, which the engine ignores."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Final

from pydantic import ConfigDict, TypeAdapter, ValidationError

from tilekeeper.companion.game_night.clock import Clock, Seconds
from tilekeeper.engine.game.events import Entry
from tilekeeper.engine.game.log import format_entry, format_header, parse_log


@dataclass(frozen=True, slots=True)
class Note:
    """The note on an event: who caused it, when and why. It does not change the game."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(allow_inf_nan=False)
    step: int
    """The number of the action, from 1; the events of one action are undone together."""
    at: str
    """The time in UTC, such as `2026-11-21T19:30:05Z`, only to show; durations come from the monotonic clock."""
    by: str = ""
    """Who took the action: the name of a tablet, `app`, or empty for the computer that runs the app."""
    reason: str = ""
    """A person's reason, for example for an overrule."""
    seconds: Seconds | None = None
    """How long the turn had lasted; None for an event that is not a turn."""
    picture: str | None = None
    """The name of the stored picture of the table after the event; None without a picture."""
    picture_before: str | None = None
    """The name of the stored picture of the table at the start of the turn; None without a picture."""
    clock: dict[str, Any] | None = None
    """The clock before the action (`Clock.as_json`), so that undo can set it back."""

    def as_json(self) -> dict[str, Any]:
        """Return the note as plain data for JSON, for `from_json`."""
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
        """Return the clock before the action; None if the note has no clock."""
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
        """Return the stored record; an unreadable note is replaced by a note that has only the number `step`.

        Raises:
            ValueError: if the line is not an event.
        """
        if not isinstance(line, str):
            raise ValueError("a record holds no text")
        try:
            return cls.read(line, note)
        except ValidationError:  # only the note fails here; a line that is not an event raises `GameLogError`
            return cls.read(line, {"step": step, "at": ""})
