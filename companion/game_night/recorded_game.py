"""The records of a game night and the game to which they lead; every change gives another value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from tilekeeper.companion.game_night.player_names import seat_name
from tilekeeper.companion.game_night.record import Note, Record
from tilekeeper.companion.refusal import Refused
from tilekeeper.engine.game.events import Commanded, Entry, GameStarted, Undone
from tilekeeper.engine.game.game import Game
from tilekeeper.engine.game.state import EventRefused, GameState
from tilekeeper.engine.language import as_sentence, gettext, ngettext


@dataclass(frozen=True, slots=True)
class RecordedGame:
    """What happened so far, and where it led."""

    records: tuple[Record, ...]
    game: Game
    seated: tuple[tuple[str, ...], ...]
    """Who sat down at each seat in the beginning; mostly one person, or two children at one rack."""
    states: tuple[GameState, ...]
    """The game after each record; the history tells each record from the states before and after it."""

    @classmethod
    def begun(cls, start: GameStarted, seated: tuple[tuple[str, ...], ...], note: Note) -> RecordedGame:
        """Return a game night at which people have just sat down.

        Raises:
            Refused: if such a game can't be played.
        """
        try:
            game = Game.start(start)
            return cls((Record(start, note),), game, seated, (game.state,))
        except EventRefused as error:
            raise refusal(error) from None

    @classmethod
    def replayed(cls, records: Sequence[Record], seated: tuple[tuple[str, ...], ...] = ()) -> RecordedGame:
        """Return the game night to which records lead.

        Args:
            records: all of it.
            seated: who sat down at each seat; the names of the seats are taken where that fits no seat.

        Raises:
            EventRefused: where one of the records can't have happened; nothing of the night is lost by leaving that
                one out with all that follow.
        """
        first, *others = records
        if not isinstance(first.entry, GameStarted):
            raise EventRefused(gettext("a game begins with its start"))
        players = first.entry.players
        people = seated[: len(players)]
        if tuple(map(seat_name, people)) != players:
            people = tuple((name,) for name in players)
        game = Game.start(first.entry)
        states = [game.state]
        for record in others:
            game = game.record(record.entry)
            states.append(game.state)
        return cls(tuple(records), game, people, tuple(states))

    @classmethod
    def salvaged(
        cls, stored: Iterable[tuple[object, object]], seated: tuple[tuple[str, ...], ...] = ()
    ) -> tuple[RecordedGame | None, str]:
        """Return the game night as far as it can be read, and why it ends there.

        Args:
            stored: lines and notes as they were found, in their order, whatever they may be.
            seated: as for `replayed`.

        Returns:
            The night up to its last good record, None where there is none; and why the next record is no good, empty
            where all of them are.
        """
        night: RecordedGame | None = None
        for line, note in stored:
            try:
                record = Record.salvaged(line, note, 1 if night is None else night.last_step + 1)
                if night is None:
                    night = cls.replayed((record,), seated)
                else:
                    game = night.game.record(record.entry)
                    night = replace(
                        night, records=(*night.records, record), game=game, states=(*night.states, game.state)
                    )
            except (EventRefused, ValueError, TypeError) as error:
                return night, str(error) or type(error).__name__
        return night, ""

    @property
    def people(self) -> tuple[tuple[str, ...], ...]:
        """Who sits at each seat now; those who joined later came alone."""
        return (*self.seated, *((name,) for name in self.state.players[len(self.seated) :]))

    @property
    def start(self) -> GameStarted:
        """The first record's event."""
        start = self.records[0].entry
        assert isinstance(start, GameStarted)  # no other is let in
        return start

    @property
    def state(self) -> GameState:
        """The game as it stands."""
        return self.game.state

    def came(self, seat: int) -> int | None:
        """The number of the action with which somebody came to a seat; None where nobody sits there.

        Whoever comes to it after that action was taken back has another number.
        """
        if not 0 <= seat < len(self.state.players):
            return None
        seats = [0, *(len(state.players) for state in self.states)]
        places = (place for place, (before, after) in enumerate(pairwise(seats)) if before <= seat < after)
        return self.records[max(places)].note.step

    @property
    def last_step(self) -> int:
        """The number of the last action, those that were taken back counted in."""
        return self.records[-1].note.step

    def with_events(self, events: Iterable[Entry], note: Note) -> RecordedGame:
        """Return the game night after one more action; the note is written beside each of its events.

        Raises:
            Refused: if one of them can't have happened as the game stands.
        """
        game, records, states = self.game, self.records, self.states
        try:
            for event in events:
                game = game.record(event)
                records = (*records, Record(event, note))
                states = (*states, game.state)
        except EventRefused as error:
            raise refusal(error) from None
        return replace(self, records=records, game=game, states=states)

    def standing(self) -> tuple[Record, ...]:
        """The records that hold: those that were not taken back, without what the hall told the table."""
        kept: list[Record] = []
        for record in self.records:
            if isinstance(record.entry, Undone):
                del kept[-record.entry.events :]
            elif not isinstance(record.entry, Commanded):
                kept.append(record)
        return tuple(kept)

    @property
    def steps_back(self) -> int:
        """How many actions can be taken back."""
        return len({record.note.step for record in self.standing()[1:]})

    def undone(self, steps: int, note: Note) -> tuple[RecordedGame, Record]:
        """Return the game night with the last actions taken back, and the first record of those.

        Raises:
            Refused: if there are not so many.
        """
        standing = self.standing()
        numbers = sorted({record.note.step for record in standing[1:]})
        if not numbers:
            raise Refused(gettext("There is nothing to undo."))
        if not 1 <= steps <= len(numbers):
            raise Refused(
                ngettext("Only {count} step can be taken back.", "Only {count} steps can be taken back.", len(numbers))
            )
        first = next(at for at, record in enumerate(standing) if at and record.note.step == numbers[-steps])
        return self.with_events((Undone(len(standing) - first),), note), standing[first]


def refusal(error: EventRefused) -> Refused:
    """What the engine says no to, as a sentence for people."""
    return Refused(as_sentence(error.message))
