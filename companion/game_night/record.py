"""One line of a game night's history: an event of the game, and what only the people at the table care about."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Final

from pydantic import ConfigDict, TypeAdapter, ValidationError

from tilekeeper.companion.game_night.clock import Clock, Seconds
from tilekeeper.engine.game.events import Entry
from tilekeeper.engine.game.log import format_entry, format_header, parse_log


@dataclass(frozen=True, slots=True)
class Note:
    """What was noted beside an event; none of it changes the game."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(allow_inf_nan=False)
    step: int
    """The action that it belongs to, from 1; the events of one action are undone together."""
    at: str
    """When, in UTC by the clock of the host, `2026-11-21T19:30:05Z`; nothing is ever reckoned from it."""
    by: str = ""
    """Who pressed: the name of a tablet, or `app`; empty where there is but one."""
    reason: str = ""
    """Why, in a person's words: of an overrule, for one."""
    seconds: Seconds | None = None
    """How long the turn had lasted; none where it was no turn."""
    picture: str | None = None
    """The name of the picture that shows the table then; none where there was no camera."""
    picture_before: str | None = None
    """The name of the picture that shows the table at the start of the turn."""
    clock: dict[str, Any] | None = None
    """The clock as it stood before (`Clock.as_json`), so that undo can set it back."""

    def as_json(self) -> dict[str, Any]:
        """As plain data for JSON, which `from_json` reads back."""
        return asdict(self)

    @classmethod
    def from_json(cls, kept: object) -> Note:
        """The note that was kept; fields of later versions are left out.

        Raises:
            ValueError: if it is none.
        """
        note = _NOTE.validate_python(kept)
        note.clock_before()
        return note

    def clock_before(self) -> Clock | None:
        """The clock before the action."""
        return None if self.clock is None else Clock.from_json(self.clock)


_NOTE: Final = TypeAdapter(Note)


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
    def read(cls, line: str, note: object) -> Record:
        """The record that was kept as a line and a note.

        Raises:
            ValueError: if it is none.
        """
        (entry,) = parse_log(f"{format_header()}\n{line}\n")
        return cls(entry, Note.from_json(note))

    @classmethod
    def salvaged(cls, line: object, note: object, step: int) -> Record:
        """The record that was kept; a note that can't be read gives way to one that says only which step it was.

        Raises:
            ValueError: if the line is no event.
        """
        if not isinstance(line, str):
            raise ValueError("a record holds no text")
        try:
            return cls.read(line, note)
        except ValidationError:  # of the note alone: a line that is no event is a `GameLogError`
            return cls.read(line, {"step": step, "at": ""})
