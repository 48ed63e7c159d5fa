"""What people talk about after an evening: the best turn, the longest run and the longest think, in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tilekeeper.companion.game_night.recorded_game import RecordedGame
from tilekeeper.companion.text.history import undone_places
from tilekeeper.engine.game.events import TileDrawn, TilesLaid
from tilekeeper.engine.language import gettext, ngettext
from tilekeeper.engine.rules.meld import Kind, readings
from tilekeeper.engine.tiles.tile import Tile


@dataclass(frozen=True, slots=True)
class Highlight:
    """One of them."""

    title: str
    text: str
    tiles: tuple[Tile, ...] = ()
    """The tiles that it is about."""


@dataclass(frozen=True, slots=True)
class _Turn:
    name: str
    round: int
    placed: tuple[Tile, ...]
    runs: tuple[tuple[Tile, ...], ...]
    """Those that did not lie there before."""
    seconds: float


def highlights(recorded: RecordedGame) -> tuple[Highlight, ...]:
    """Return what stands out of the turns that were not taken back; of equal ones the first, and none of nothing."""
    turns = tuple(_turns(recorded))
    found: list[Highlight] = []
    best = max(turns, key=lambda turn: len(turn.placed), default=None)
    if best is not None and best.placed:
        text = ngettext(
            "{name} laid {count} tile in round {round}",
            "{name} laid {count} tiles in round {round}",
            len(best.placed),
            name=best.name,
            round=best.round,
        )
        found.append(Highlight(gettext("Best turn"), text, best.placed))
    runs = [(run, turn) for turn in turns for run in turn.runs]
    if runs:
        run, turn = max(runs, key=lambda one: len(one[0]))
        text = gettext("{name} made it in round {round}", name=turn.name, round=turn.round)
        found.append(Highlight(gettext("Longest run"), text, run))
    slowest = max(turns, key=lambda turn: turn.seconds, default=None)
    if slowest is not None and slowest.seconds >= 1:
        minutes, seconds = divmod(round(slowest.seconds), 60)
        text = gettext(
            "{name} thought for {minutes}:{seconds} minutes in round {round}",
            name=slowest.name,
            minutes=minutes,
            seconds=f"{seconds:02}",
            round=slowest.round,
        )
        found.append(Highlight(gettext("Longest think"), text))
    return tuple(found)


def _turns(recorded: RecordedGame) -> Iterator[_Turn]:
    gone = undone_places(recorded.records)
    for place, record in enumerate(recorded.records):
        before, after = recorded.states[max(0, place - 1)], recorded.states[place]
        if place in gone or before.round is None or after.round is None:
            continue
        placed: tuple[Tile, ...] = ()
        runs: tuple[tuple[Tile, ...], ...] = ()
        if isinstance(record.entry, TilesLaid) and after.round.claim is None:
            verdict = after.round.turns[-1].verdict
            placed = () if verdict is None else verdict.placed
            new = (meld for meld in record.entry.after.melds if meld not in before.round.table.melds)
            runs = tuple(meld for meld in new if any(one.kind is Kind.RUN for one in readings(meld, after.rules)))
        elif not isinstance(record.entry, TileDrawn):
            continue
        name = before.players[before.round.turn]
        yield _Turn(name, before.round.number, placed, runs, record.note.seconds or 0.0)
