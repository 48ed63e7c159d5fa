"""A game of several rounds: an append-only list of events, and the state to which they lead.

    game = Game.start(GameStarted(("Ada", "Bo"), "large-numbers"))
    game = game.record(StarterChosen(0)).record(Dealt())
    game = game.record(TilesLaid(parse_table("K10 B10 O10")))
    game = game.undo()

A game is immutable: every method returns another game. Any prefix of the list leads to the state that the game had
then; a correction replays the events after it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from itertools import zip_longest

from tilekeeper.engine.game.entry_check import check_entry, check_start
from tilekeeper.engine.game.events import Commanded, Corrected, Entry, Event, GameStarted, Undone
from tilekeeper.engine.game.fold import begin, step
from tilekeeper.engine.game.ledger import Alarm, Ledger
from tilekeeper.engine.game.log import LostLine, format_log, parse_log, read_log
from tilekeeper.engine.game.state import EventRefused, GameState, Round
from tilekeeper.engine.language import gettext
from tilekeeper.engine.tiles.table import Table
from tilekeeper.engine.tiles.tile import Tile


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference between two states; a value that only one of them has is none in the other."""

    path: str
    """Where, as attributes and indices: `round.seats[1].rack`."""
    before: object
    after: object


@dataclass(frozen=True, slots=True)
class Game:
    """A recorded game: its entries, and the state after them.

    >>> game = Game.start(GameStarted(("Ada", "Bo"), "large-numbers")).record(StarterChosen(0)).record(Dealt())
    >>> game = game.record(TilesLaid(Table("K10 B10 O10")))
    >>> game.round.seats[0].rack, game.round.seats[0].opened, game.undo().round.table
    (11, True, Table(''))
    """

    entries: tuple[Entry, ...]
    state: GameState

    @classmethod
    def start(cls, event: GameStarted) -> Game:
        """A game with nothing but its start.

        Raises:
            ArgumentError: if it is no start of a game, or one of its values of another kind.
            EventRefused: if such a game can't be played.
        """
        check_start(event)
        return cls((event,), begin(event))

    @classmethod
    def replay(cls, entries: Iterable[Entry]) -> Game:
        """The game of a list of entries.

        Raises:
            EventRefused: if an entry can't follow those before it, with its place.
        """
        entries = tuple(entries)
        return cls(entries, _fold(entries))

    @classmethod
    def parse(cls, text: str) -> Game:
        """The game that a text in JSON Lines holds.

        Raises:
            GameLogError: if a line can't be read.
            EventRefused: if an entry can't follow those before it, with its place.
        """
        return cls.replay(parse_log(text))

    @classmethod
    def read(cls, data: bytes) -> tuple[Game, LostLine | None]:
        """The game in a file, and its last line where that is incomplete after a power failure.

        Raises:
            ArgumentError: if it is no bytes.
            GameLogError: if any other line can't be read.
            EventRefused: if an entry can't follow those before it, with its place.
        """
        read = read_log(data)
        return cls.replay(read.entries), read.lost

    def format(self) -> str:
        """The game as JSON Lines, which `parse` reads back."""
        return format_log(self.entries)

    def record(self, entry: Entry) -> Game:
        """The game with one more entry.

        Raises:
            ArgumentError: if it is no entry, or one of its values of another kind.
            EventRefused: if the entry can't follow those before it.
        """
        check_entry(entry)
        if isinstance(entry, Commanded):
            return Game((*self.entries, entry), self.state)
        if isinstance(entry, Undone | Corrected):
            return Game.replay((*self.entries, entry))
        return Game((*self.entries, entry), step(self.state, entry))

    def undo(self, events: int = 1) -> Game:
        """The game with its last effective entries taken back.

        Raises:
            EventRefused: if there are not as many.
        """
        return self.record(Undone(events))

    def correct(self, place: int, event: Event) -> Game:
        """The game with an earlier event replaced and the events after it replayed.

        Raises:
            EventRefused: if there is no such event, or a later one can't follow it.
        """
        return self.record(Corrected(place, event))

    @property
    def round(self) -> Round:
        """The round in play, or the one scored last until the next deal.

        Raises:
            EventRefused: if no round has begun yet.
        """
        if self.state.round is None:
            raise EventRefused(gettext("no round has begun yet"))
        return self.state.round

    @property
    def ledger(self) -> Ledger | None:
        """Where the tiles are; none before the first deal."""
        play = self.state.round
        if play is None:
            return None
        return Ledger(
            stock=self.state.rules.stock,
            table=play.table,
            racks=tuple(seat.rack for seat in play.seats),
            shown=tuple(seat.shown for seat in play.seats),
            pool=play.pool,
            bank=play.bank,
            lost=self.state.lost,
        )

    @property
    def alarms(self) -> tuple[Alarm, ...]:
        """The wrong counts that the last event showed, and all contradictions of the ledger."""
        ledger = self.ledger
        return (*self.state.notices, *(ledger.alarms() if ledger else ()))

    def changes_from(self, earlier: Game) -> tuple[Difference, ...]:
        """The differences of this game's state from an earlier one's, to show what a correction changed."""
        return tuple(_differences("", earlier.state, self.state))


def effective(entries: Iterable[Entry]) -> tuple[tuple[int, Event], ...]:
    """The effective events, each with its place in the list.

    Raises:
        EventRefused: if an entry takes back or corrects an event that is not effective.
    """
    effective_entries: list[tuple[int, Event | Corrected]] = []
    for place, entry in enumerate(entries):
        if isinstance(entry, Undone):
            if not 1 <= entry.events < len(effective_entries):
                raise EventRefused(
                    gettext(
                        "{events} events can't be taken back; only {most} can",
                        events=entry.events,
                        most=max(len(effective_entries) - 1, 0),
                    ),
                    place,
                )
            del effective_entries[-entry.events :]
        elif not isinstance(entry, Commanded):
            effective_entries.append((place, entry))
    events: dict[int, Event] = {}
    for place, entry in effective_entries:
        if not isinstance(entry, Corrected):
            events[place] = entry
        elif entry.place not in events:
            raise EventRefused(gettext("there is no event {place} to correct", place=entry.place), place)
        else:
            events[entry.place] = entry.instead
    return tuple(events.items())


def _fold(entries: tuple[Entry, ...]) -> GameState:
    events = effective(entries)
    if not events or not isinstance(events[0][1], GameStarted):
        raise EventRefused(gettext("a game begins with its start"), 0)
    state: GameState | None = None
    for place, event in events:
        try:
            state = step(state, event) if state is not None else begin(events[0][1])
        except EventRefused as error:
            raise EventRefused(error.message, place) from None
    assert state is not None  # there was at least one event
    return state


def _differences(path: str, before: object, after: object) -> Iterator[Difference]:
    if before == after:
        return
    if is_dataclass(before) and type(before) is type(after) and not isinstance(before, Table | Tile):
        for field in fields(before):
            inner = f"{path}.{field.name}" if path else field.name
            yield from _differences(inner, getattr(before, field.name), getattr(after, field.name))
    elif isinstance(before, tuple) and isinstance(after, tuple):
        for index, (one, other) in enumerate(zip_longest(before, after)):
            yield from _differences(f"{path}[{index}]", one, other)
    else:
        yield Difference(path, before, after)
