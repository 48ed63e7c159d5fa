"""A game as an append-only list of entries, from which its state is computed (event sourcing).

    game = Game.start(GameStarted(("Ada", "Bo"), "large-numbers"))
    game = game.record(StarterChosen(0)).record(Dealt())
    game = game.record(TilesLaid(parse_table("K10 B10 O10")))
    game = game.undo()

A game is immutable: `record`, `undo` and `correct` return a new game. The state at any earlier moment is that of the
entries up to that moment. A correction replays the events after the corrected one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tilekeeper.engine.game.entry_check import check_entry
from tilekeeper.engine.game.events import Commanded, Corrected, Entry, Event, GameStarted, Undone
from tilekeeper.engine.game.fold import begin, step
from tilekeeper.engine.game.ledger import Alarm, Ledger
from tilekeeper.engine.game.log import LostLine, format_log, parse_log, read_log
from tilekeeper.engine.game.state import EventRefused, GameState, Phase, Round
from tilekeeper.engine.game.turns import may_draw
from tilekeeper.engine.language import gettext
from tilekeeper.engine.rules.turn_context import tiles_of
from tilekeeper.engine.solver.position import Position
from tilekeeper.engine.tiles.errors import expect
from tilekeeper.engine.tiles.tile import Tile


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
        """Return a game that has just started.

        Raises:
            ArgumentError: if the event is not a `GameStarted`, or a field has another type.
            EventRefused: if such a game can't be played.
        """
        expect("event", event, GameStarted, "GameStarted(('Ada', 'Bo'), 'large-numbers')")
        event = check_entry(event)
        return cls((event,), begin(event))

    @classmethod
    def replay(cls, entries: Iterable[Entry]) -> Game:
        """Return the game of a list of entries.

        Raises:
            EventRefused: if an entry can't follow the entries before it; `place` is its index.
        """
        entries = tuple(entries)
        return cls(entries, _fold(entries))

    @classmethod
    def parse(cls, text: str) -> Game:
        """Parse a game in JSON Lines.

        Raises:
            ArgumentError: if the argument is not a string.
            GameLogError: if a line can't be read.
            EventRefused: if an entry can't follow the entries before it; `place` is its index.
        """
        return cls.replay(parse_log(text))

    @classmethod
    def read(cls, data: bytes) -> tuple[Game, LostLine | None]:
        """Read a game from the bytes of a file.

        Returns:
            The game, and the last line of the file if it is incomplete, as after a power failure.

        Raises:
            ArgumentError: if the argument is not `bytes`.
            GameLogError: if any other line can't be read.
            EventRefused: if an entry can't follow the entries before it; `place` is its index.
        """
        entries, lost = read_log(data)
        return cls.replay(entries), lost

    def format(self) -> str:
        """Format the game as JSON Lines for `parse`."""
        return format_log(self.entries)

    def record(self, entry: Entry) -> Game:
        """Return the game with one more entry.

        Raises:
            ArgumentError: if the argument is not an entry, or a field has another type.
            EventRefused: if the entry can't follow the entries before it.
        """
        entry = check_entry(entry)
        if isinstance(entry, Commanded):
            return Game((*self.entries, entry), self.state)
        if isinstance(entry, Undone | Corrected):
            return Game.replay((*self.entries, entry))
        return Game((*self.entries, entry), step(self.state, entry))

    def undo(self, events: int = 1) -> Game:
        """Return the game with its last events and corrections undone; events undone earlier do not count.

        Args:
            events: the number of events and corrections, 1 or more.

        Raises:
            EventRefused: if fewer can be undone; the start of the game can't.
        """
        return self.record(Undone(events))

    def correct(self, place: int, event: Event) -> Game:
        """Return the game with an earlier event replaced and the events after it replayed.

        Args:
            place: the index of the event in `entries`.
            event: the event that replaces it.

        Raises:
            EventRefused: if no event in effect has this index, or a later event can't follow the new one.
        """
        return self.record(Corrected(place, event))

    @property
    def round(self) -> Round:
        """The current round, or the last scored one until the next deal.

        Raises:
            EventRefused: if no round has begun yet.
        """
        if self.state.round is None:
            raise EventRefused(gettext("no round has begun yet"))
        return self.state.round

    @property
    def may_draw(self) -> bool:
        """Whether the player in turn may draw (`TileDrawn`); if not, a player who lays nothing must pass."""
        return self.state.phase is Phase.TURNS and may_draw(self.state.rules, self.round)

    def position(self, rack: Iterable[Tile]) -> Position:
        """Return the position of the player in turn, who holds this rack.

        Raises:
            ArgumentError: if the rack is not an iterable of tiles.
            EventRefused: if no round has begun yet.
        """
        context = self.state.context
        return Position(self.round.table, tiles_of(rack), context.rules, context.opened)

    @property
    def ledger(self) -> Ledger | None:
        """The ledger of all tiles; None before the first deal."""
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
        """The wrong counts that the last event revealed, and all contradictions in the ledger."""
        ledger = self.ledger
        return (*self.state.notices, *(ledger.alarms() if ledger else ()))


def effective_events(entries: Iterable[Entry]) -> tuple[tuple[int, Event], ...]:
    """Return the events that were not undone, each with its index among the entries; corrected ones in their new form.

    Raises:
        EventRefused: if an entry undoes more than is left after the start of the game, or corrects an event that does
            not exist or was undone.
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
    """Return the state after the entries: undone events are left out, corrected events count in their new form."""
    events = effective_events(entries)
    if not events or not isinstance(events[0][1], GameStarted):
        raise EventRefused(gettext("the first event of a game must be its start"), 0)
    state: GameState | None = None
    for place, event in events:
        try:
            state = step(state, event) if state is not None else begin(events[0][1])
        except EventRefused as error:
            raise EventRefused(error.message, place) from None
    assert state is not None  # `events` is not empty
    return state
