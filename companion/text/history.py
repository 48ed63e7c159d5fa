"""The history of an evening: each record in words, what the judge said of it, and whether it was taken back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tilekeeper.companion.game_night.record import Record
from tilekeeper.companion.text.narration import tell
from tilekeeper.engine.game.events import ENTRIES_BY_NAME, GameStarted, TilesLaid, TurnFailed, Undone
from tilekeeper.engine.game.game import Game
from tilekeeper.engine.game.state import GameState

KINDS = {kind: name for name, kind in ENTRIES_BY_NAME.items()}


@dataclass(frozen=True, slots=True)
class Item:
    """One record, told."""

    place: int
    record: Record
    kind: str
    """The event's name, as in the game's file."""
    round: int | None
    player: int | None
    """Whose turn it was; none where it was nobody's."""
    text: str
    legal: bool | None
    """What the judge said; none where it was not asked."""
    table: str
    """The table after it."""


class History:
    """Tells the records of an evening; what was told once is kept, since records are only added."""

    def __init__(self) -> None:
        """Begin with nothing told."""
        self._items: list[Item] = []
        self._game: Game | None = None

    def items(self, records: tuple[Record, ...]) -> tuple[Item, ...]:
        """All records, told."""
        for place in range(len(self._items), len(records)):
            self._items.append(self._told(place, records[place]))
        return tuple(self._items)

    def _told(self, place: int, record: Record) -> Item:
        before, entry = self._game, record.entry
        if isinstance(entry, GameStarted):
            after = Game.start(entry)
        else:
            assert before is not None  # a game begins with its start
            after = before.record(entry)
        self._game = after
        play = after.state.round
        return Item(
            place=place,
            record=record,
            kind=KINDS[type(entry)],
            round=None if play is None else play.number,
            player=None if before is None else _player(before.state),
            text=tell(None if before is None else before.state, entry, after.state),
            legal=_legal(after.state) if isinstance(entry, TilesLaid | TurnFailed) else None,
            table="" if play is None else str(play.table),
        )


def undone_places(records: tuple[Record, ...]) -> frozenset[int]:
    """The places of the records that were taken back."""
    kept: list[int] = []
    gone: set[int] = set()
    for place, record in enumerate(records):
        if isinstance(record.entry, Undone):
            gone.update(kept[-record.entry.events :])
            del kept[-record.entry.events :]
        else:
            kept.append(place)
    return frozenset(gone)


def _player(state: GameState) -> int | None:
    return state.round.turn if state.round is not None and not state.round.ended else None


def _legal(state: GameState) -> bool | None:
    play = state.round
    if play is None:
        return None
    if play.claim is not None:
        return play.claim.verdict.legal
    verdict = play.turns[-1].verdict if play.turns else None
    return None if verdict is None else verdict.legal


def standing_items(items: tuple[Item, ...], records: tuple[Record, ...]) -> Iterator[Item]:
    """The items that hold."""
    gone = undone_places(records)
    return (item for item in items if item.place not in gone and item.kind != "undone")
