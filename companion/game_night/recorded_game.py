"""The records of a game night and the game that they produce (event sourcing), as an immutable value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from tilekeeper.companion.game_night.player_names import people_of, seat_name
from tilekeeper.companion.game_night.record import Note, Record
from tilekeeper.companion.refusal import Refused
from tilekeeper.engine.game.events import Commanded, Entry, GameStarted, Undone
from tilekeeper.engine.game.game import Game
from tilekeeper.engine.game.state import EventRefused, GameState
from tilekeeper.engine.language import as_sentence, gettext, ngettext


@dataclass(frozen=True, slots=True)
class RecordedGame:
    """All records of a game night so far, and the game after the last one."""

    records: tuple[Record, ...]
    game: Game
    seated: tuple[tuple[str, ...], ...]
    """The people at each seat at the start of the game night; several if they share a rack."""
    states: tuple[GameState, ...]
    """The state of the game after each record, by the record's index."""

    @classmethod
    def begin(cls, start: GameStarted, seated: tuple[tuple[str, ...], ...], note: Note) -> RecordedGame:
        """Return a game night whose only record is `start`.

        Raises:
            Refused: if the game can't be played, for example with too many players.
        """
        try:
            game = Game.start(start)
            return cls((Record(start, note),), game, seated, (game.state,))
        except EventRefused as error:
            raise refusal(error) from None

    @classmethod
    def replay(cls, records: Sequence[Record], seated: tuple[tuple[str, ...], ...] = ()) -> RecordedGame:
        """Return the game night that is the result of replaying records.

        Args:
            records: all records, in order.
            seated: the people at each seat; if they do not match the players' names, each seat gets one person.

        Raises:
            EventRefused: if one of the records is impossible.
        """
        first, *later_records = records
        if not isinstance(first.entry, GameStarted):
            raise EventRefused(gettext("the first event of a game must be its start"))
        players = first.entry.players
        people = seated[: len(players)]
        if tuple(map(seat_name, people)) != players:
            people = tuple((name,) for name in players)
        game = Game.start(first.entry)
        states = [game.state]
        for record in later_records:
            game = game.record(record.entry)
            states.append(game.state)
        return cls(tuple(records), game, people, tuple(states))

    @classmethod
    def salvage(
        cls, stored: Iterable[tuple[object, object]], seated: tuple[tuple[str, ...], ...] = ()
    ) -> tuple[RecordedGame | None, str]:
        """Return the game night up to the first record that can't be read, and the problem of that record.

        Args:
            stored: the stored lines and notes in order, which may be damaged.
            seated: as for `replay`.

        Returns:
            The game night up to its last good record (None if no record is good), and the problem of the next record
            (empty if all records are good).
        """
        night: RecordedGame | None = None
        for line, note in stored:
            try:
                record = Record.salvage(line, note, 1 if night is None else night.last_step + 1)
                if night is None:
                    night = cls.replay((record,), seated)
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
        """The people at each seat now; a seat of a late joiner has one person."""
        names = self.state.players
        first = zip(self.seated, names, strict=False)
        seated = (people if seat_name(people) == name else people_of(name) for people, name in first)
        return (*seated, *((name,) for name in names[len(self.seated) :]))

    @property
    def start(self) -> GameStarted:
        """The event of the first record, with the edition, the house rules and the players."""
        start = self.records[0].entry
        assert isinstance(start, GameStarted)  # `begin` and `replay` accept no other
        return start

    @property
    def state(self) -> GameState:
        """The current state of the game."""
        return self.game.state

    def joined_in_step(self, seat: int) -> int | None:
        """Return the number of the action that brought the player to a seat; None for a seat that does not exist.

        If that action is undone, the next player at the seat has another number.
        """
        if not 0 <= seat < len(self.state.players):
            return None
        seats = [0, *(len(state.players) for state in self.states)]
        places = (place for place, (before, after) in enumerate(pairwise(seats)) if before <= seat < after)
        return self.records[max(places)].note.step

    @property
    def last_step(self) -> int:
        """The number of the last action, including undone ones."""
        return self.records[-1].note.step

    def with_events(self, events: Iterable[Entry], note: Note) -> RecordedGame:
        """Return the game night after one more action: all its events are recorded with the same note.

        Raises:
            Refused: if one of the events is impossible in the current game.
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

    def valid_records(self) -> tuple[Record, ...]:
        """Return the records that were not undone, without the commands of the hall."""
        return tuple(self.records[place] for place in self.valid_places())

    def valid_places(self) -> tuple[int, ...]:
        """Return the indices of the records that were not undone, without the commands of the hall."""
        kept: list[int] = []
        for place, record in enumerate(self.records):
            if isinstance(record.entry, Undone):
                del kept[-record.entry.events :]
            elif not isinstance(record.entry, Commanded):
                kept.append(place)
        return tuple(kept)

    @property
    def steps_back(self) -> int:
        """How many actions can be undone."""
        return len({record.note.step for record in self.valid_records()[1:]})

    def undo(self, steps: int, note: Note) -> tuple[RecordedGame, Record]:
        """Return the game night after undoing the last `steps` actions, and the earliest of the undone records.

        Raises:
            Refused: if fewer than `steps` actions can be undone.
        """
        records = self.valid_records()
        numbers = sorted({record.note.step for record in records[1:]})
        if not numbers:
            raise Refused(gettext("There is nothing to undo."))
        if not 1 <= steps <= len(numbers):
            raise Refused(
                ngettext("Only {count} step can be taken back.", "Only {count} steps can be taken back.", len(numbers))
            )
        first = next(at for at, record in enumerate(records) if at and record.note.step == numbers[-steps])
        return self.with_events((Undone(len(records) - first),), note), records[first]


def refusal(error: EventRefused) -> Refused:
    """Convert the engine's error to a `Refused` whose message is a full sentence for the page."""
    return Refused(as_sentence(error.message))
