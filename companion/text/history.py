"""The history of a game night: each record as text, with the judge's decision."""

from __future__ import annotations

from dataclasses import dataclass

from tilekeeper.companion.game_night.played_turns import decision, undone_places
from tilekeeper.companion.game_night.record import Record
from tilekeeper.companion.game_night.recorded_game import RecordedGame
from tilekeeper.companion.text.narration import event_words
from tilekeeper.engine.game.events import (
    ENTRIES_BY_NAME,
    Entry,
    LotsDrawn,
    RackShown,
    RedealClaimed,
    TilesLaid,
    TurnFailed,
    Undone,
)
from tilekeeper.engine.game.state import GameState
from tilekeeper.engine.tiles.tile import Tile

KINDS = {kind: name for name, kind in ENTRIES_BY_NAME.items()}


@dataclass(frozen=True, slots=True)
class Item:
    """One record of the history, as the page and the CSV file show it."""

    place: int
    record: Record
    kind: str
    """The name of the event's kind, as in a game file."""
    round: int | None
    player: int | None
    """The index of the player in turn; None between rounds."""
    text: str
    legal: bool | None
    """Whether the turn was legal by the judge's decision; None if no turn was judged."""
    table: str
    """The table after the event, in notation; empty without a round."""
    tiles: tuple[Tile, ...]
    """The tiles of the event: laid, drawn as lots, or shown on a rack."""


def history_items(recorded: RecordedGame) -> tuple[Item, ...]:
    """Return an item for each record, undone records included."""
    return tuple(_item(recorded, place) for place in range(len(recorded.records)))


def last_event_words(recorded: RecordedGame) -> str:
    """Describe the last event that was not undone."""
    undone = undone_places(recorded.records)
    places = range(len(recorded.records) - 1, -1, -1)
    last = next(at for at in places if at not in undone and not isinstance(recorded.records[at].entry, Undone))
    return _item(recorded, last).text


def last_laid_words(recorded: RecordedGame) -> str:
    """Describe the last turn with laid tiles that was not undone; empty if there is none."""
    undone = undone_places(recorded.records)
    places = range(len(recorded.records) - 1, -1, -1)
    laid = (at for at in places if at not in undone and isinstance(recorded.records[at].entry, TilesLaid))
    place = next(laid, None)
    return "" if place is None else _item(recorded, place).text


def _item(recorded: RecordedGame, place: int) -> Item:
    entry, after = recorded.records[place].entry, recorded.states[place]
    before = recorded.states[place - 1] if place else None
    return Item(
        place=place,
        record=recorded.records[place],
        kind=KINDS[type(entry)],
        round=None if after.round is None else after.round.number,
        player=None if before is None else _player(before),
        text=event_words(before, entry, after),
        legal=decision(after) if isinstance(entry, TilesLaid | TurnFailed) else None,
        table="" if after.round is None else str(after.round.table),
        tiles=_tiles(entry, after),
    )


def _tiles(entry: Entry, after: GameState) -> tuple[Tile, ...]:
    play = after.round
    match entry:
        case LotsDrawn() | RackShown():
            return tuple(entry.tiles)
        case RedealClaimed():
            return tuple(entry.rack)
        case TilesLaid() if play is not None:
            verdict = play.claim.verdict if play.claim is not None else play.turns[-1].verdict
            return () if verdict is None else verdict.placed
        case _:
            return ()


def _player(state: GameState) -> int | None:
    return state.round.turn if state.round is not None and not state.round.ended else None
