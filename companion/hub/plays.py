"""The turns of one player over the whole event, replayed from the logs of the tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from tilekeeper.companion.hub.fold import entries_of
from tilekeeper.companion.hub.rounds import seatings_of
from tilekeeper.companion.hub.schema import EntryRow, SeatingRow
from tilekeeper.engine.game.events import Entry, GameStarted
from tilekeeper.engine.game.fold import begin, step
from tilekeeper.engine.game.game import effective_events
from tilekeeper.engine.game.log import GameLogError
from tilekeeper.engine.game.state import EventRefused, GameState, TurnKind, TurnRecord
from tilekeeper.engine.rules.ruleset import tile_points


@dataclass(frozen=True, slots=True)
class Play:
    """One turn of the player; the names of the fields are the headings of the exports."""

    round: int
    table: str
    game: int
    """The number of the game in the round, from 1."""
    turn: int
    """The number of the turn in the game, from 1; all players' turns are counted."""
    at: str
    """When the turn ended: ISO 8601 in UTC, by the table's clock."""
    seconds: float | None
    """The length of the turn; None if it was not timed."""
    kind: str
    """`laid`, `drew`, `passed` or `failed`."""
    tiles: str
    """The tiles laid from the rack."""
    drawn: int
    """The number of tiles drawn, penalty tiles included."""
    verdict: str
    """`legal`, `illegal` or `undecided`; empty if there was nothing to judge."""
    overruled: bool
    """Whether the players or an arbiter accepted the turn against the verdict."""
    points: int
    """The value of the tiles laid, as they would count on a rack."""
    opening: int | None
    """The points of the opening; None in any other turn."""
    after: str
    """The table after the turn."""


def plays_of(session: Session, player: int) -> Iterator[Play]:
    """Yield the turns of a player; games whose points were only entered by hand, or whose log is damaged, have none."""
    for seating in seatings_of(session):
        if player not in seating.players or seating.log is None:
            continue
        of_log = EntryRow.table == seating.table, EntryRow.log == seating.log
        rows = session.execute(select(EntryRow.data, EntryRow.at).where(*of_log).order_by(EntryRow.seq)).all()
        try:
            entries = entries_of([data for data, _ in rows])
            yield from _plays_at(seating, seating.players.index(player), entries, [at for _, at in rows])
        except (GameLogError, EventRefused):
            continue


def _plays_at(seating: SeatingRow, seat: int, entries: Sequence[Entry], times: Sequence[str]) -> Iterator[Play]:
    for place, state, turn in _finished_turns(entries):
        if turn.player != seat or state.round is None:
            continue
        judged = turn.verdict if turn.kind in (TurnKind.LAID, TurnKind.FAILED) else None
        placed = judged.placed if judged is not None and turn.kind is TurnKind.LAID else ()
        yield Play(
            seating.round,
            seating.table,
            state.round.number,
            len(state.round.turns),
            times[place],
            turn.seconds,
            turn.kind.value,
            " ".join(map(str, placed)),
            turn.drawn,
            "" if judged is None else judged.outcome.value,
            turn.overruled,
            sum(tile_points(tile, state.rules.scoring) for tile in placed),
            judged.points if judged is not None and judged.opens else None,
            str(turn.after),
        )


def _finished_turns(entries: Sequence[Entry]) -> Iterator[tuple[int, GameState, TurnRecord]]:
    """Yield each turn that was not undone, with the index of its entry and the state after it."""
    events = effective_events(entries)
    if not events or not isinstance(events[0][1], GameStarted):
        return
    state = begin(events[0][1])
    counted = 0, 0
    for place, event in events[1:]:
        state = step(state, event)
        if state.round is None:
            continue
        # The round stays until the next deal, so its number and its turns tell whether a turn has just ended.
        reached = state.round.number, len(state.round.turns)
        if reached > counted and reached[1]:
            yield place, state, state.round.turns[-1]
        counted = reached
