"""A game of several rounds: an append-only list of events, and the state to which they lead.

    game = Game.start(GameStarted(("Ada", "Bo"), "large-numbers"))
    game = game.record(StarterChosen(0)).record(Dealt())
    game = game.record(TilesLaid(parse_table("K10 B10 O10")))
    game = game.undo()

Nothing here changes: every method returns another game. Any prefix of the list leads to the state that the game had
then; a correction replays what came after it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from itertools import zip_longest

from tilekeeper.engine.game.events import Corrected, Entry, Event, GameStarted, Undone
from tilekeeper.engine.game.fold import begin, step
from tilekeeper.engine.game.ledger import Alarm, Ledger
from tilekeeper.engine.game.log import LostLine, format_log, parse_log, read_log
from tilekeeper.engine.game.state import EventRefused, GameState
from tilekeeper.engine.tiles.table import Table
from tilekeeper.engine.tiles.tile import Tile


@dataclass(frozen=True, slots=True)
class Difference:
    """Something in which two states differ; what only one of them has is none in the other."""

    path: str
    """Where, as attributes and indices: `round.seats[1].rack`."""
    before: object
    after: object


@dataclass(frozen=True, slots=True)
class Game:
    """A game as it was recorded."""

    entries: tuple[Entry, ...]
    state: GameState

    @classmethod
    def start(cls, event: GameStarted) -> Game:
        """A game with nothing but its start.

        Raises:
            EventRefused: if such a game can't be played.
        """
        return cls((event,), begin(event))

    @classmethod
    def replay(cls, entries: Iterable[Entry]) -> Game:
        """The game to which a list of entries leads.

        Raises:
            EventRefused: if one of them can't follow those before it, with its place.
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
        """The game that a file holds, and its last line where the power failed before that was written whole.

        Raises:
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
            EventRefused: if the entry can't follow those before it.
        """
        if isinstance(entry, Undone | Corrected):
            return Game.replay((*self.entries, entry))
        return Game((*self.entries, entry), step(self.state, entry))

    def undo(self, events: int = 1) -> Game:
        """The game with the last entries that still hold taken back."""
        return self.record(Undone(events))

    def correct(self, place: int, event: Event) -> Game:
        """The game with another event in the place of an earlier one, and what came after it replayed."""
        return self.record(Corrected(place, event))

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
        """What the last event showed to be otherwise than counted, and everything that can't be as it stands."""
        ledger = self.ledger
        return (*self.state.notices, *(ledger.alarms() if ledger else ()))

    def changes_from(self, earlier: Game) -> tuple[Difference, ...]:
        """In what the game stands otherwise than another, for people who want to know what a correction changed."""
        return tuple(_differences("", earlier.state, self.state))


def effective(entries: Iterable[Entry]) -> tuple[tuple[int, Event], ...]:
    """The events that hold, each with its place in the list.

    Raises:
        EventRefused: if an entry takes back or corrects what is not there.
    """
    kept: list[tuple[int, Event | Corrected]] = []
    for place, entry in enumerate(entries):
        if isinstance(entry, Undone):
            if not 1 <= entry.events < len(kept):
                raise EventRefused(f"{entry.events} events can't be taken back: {max(len(kept) - 1, 0)} can", place)
            del kept[-entry.events :]
        else:
            kept.append((place, entry))
    events: dict[int, Event] = {}
    for place, entry in kept:
        if not isinstance(entry, Corrected):
            events[place] = entry
        elif entry.place not in events:
            raise EventRefused(f"there is no event {entry.place} that holds and could be corrected", place)
        else:
            events[entry.place] = entry.instead
    return tuple(events.items())


def _fold(entries: tuple[Entry, ...]) -> GameState:
    events = effective(entries)
    if not events or not isinstance(events[0][1], GameStarted):
        raise EventRefused("a game begins with its start", 0)
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
