"""The turns of a game night that were not undone: who played, what was laid, and how long it took."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tilekeeper.companion.game_night.record import Record
from tilekeeper.companion.game_night.recorded_game import RecordedGame
from tilekeeper.engine.game.events import Commanded, Passed, TileDrawn, TilesLaid, TurnFailed, Undone
from tilekeeper.engine.game.state import GameState, Round
from tilekeeper.engine.judge.verdict import Verdict
from tilekeeper.engine.rules.meld import Kind, readings
from tilekeeper.engine.tiles.tile import Tile


@dataclass(frozen=True, slots=True)
class PlayedTurn:
    """A turn, or an illegal table that the player corrected later in the same turn (then `settled` is false)."""

    place: int
    """The index of the turn's record in the game night."""
    record: Record
    round: int
    """The round's number, from 1."""
    number: int
    """The turn's number in the round, from 1."""
    player: int
    """The player's seat."""
    placed: tuple[Tile, ...]
    """The tiles that came from the rack and stayed on the table."""
    legal: bool | None
    """The judge's decision; None if there was nothing to judge."""
    settled: bool
    """Whether the record ended the turn; false for an illegal table that the player could still correct."""

    @property
    def seconds(self) -> float | None:
        """How long the turn had lasted when the record was made, in seconds; None if unknown."""
        return self.record.note.seconds


def played_turns(recorded: RecordedGame) -> Iterator[PlayedTurn]:
    """Yield all turns and corrected illegal tables that were not undone, in order."""
    undone = undone_places(recorded.records)
    for place, record in enumerate(recorded.records):
        before, after = recorded.states[max(0, place - 1)], recorded.states[place]
        if place in undone or not isinstance(record.entry, TilesLaid | TurnFailed | TileDrawn | Passed):
            continue
        if before.round is not None and after.round is not None:
            yield _turn(place, record, before.round, after.round)


def new_runs(recorded: RecordedGame, turn: PlayedTurn) -> tuple[tuple[Tile, ...], ...]:
    """Return the runs that a turn made; empty if the turn did not stand or its table was corrected later."""
    entry, before = turn.record.entry, recorded.states[turn.place - 1].round
    if not isinstance(entry, TilesLaid) or not turn.settled or before is None:
        return ()
    rules = recorded.state.rules
    new = (meld for meld in entry.after.melds if meld not in before.table.melds)
    return tuple(meld for meld in new if any(reading.kind is Kind.RUN for reading in readings(meld, rules)))


def undone_places(records: tuple[Record, ...]) -> frozenset[int]:
    """Return the indices of the records that were undone."""
    valid: list[int] = []
    undone: set[int] = set()
    for place, record in enumerate(records):
        if isinstance(record.entry, Undone):
            undone.update(valid[-record.entry.events :])
            del valid[-record.entry.events :]
        elif not isinstance(record.entry, Commanded):
            valid.append(place)
    return frozenset(undone)


def decision(state: GameState) -> bool | None:
    """Return the verdict on the newest turn or illegal table: whether it is legal; None if not judged or undecided."""
    return _is_legal(None if state.round is None else newest_verdict(state.round))


def _is_legal(verdict: Verdict | None) -> bool | None:
    return None if verdict is None or verdict.undecided else verdict.legal


def newest_verdict(play: Round) -> Verdict | None:
    """Return the verdict on the current claim or, without one, on the last turn; None if nothing was judged."""
    if play.claim is not None:
        return play.claim.verdict
    return play.turns[-1].verdict if play.turns else None


def _turn(place: int, record: Record, before: Round, after: Round) -> PlayedTurn:
    verdict = newest_verdict(after) if isinstance(record.entry, TilesLaid | TurnFailed) else None
    stays = isinstance(record.entry, TilesLaid) and after.claim is None and verdict is not None
    return PlayedTurn(
        place=place,
        record=record,
        round=before.number,
        number=len(before.turns) + 1,
        player=before.turn,
        placed=verdict.placed if stays and verdict is not None else (),
        legal=_is_legal(verdict),
        settled=len(after.turns) > len(before.turns),
    )
