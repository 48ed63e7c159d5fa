"""The turns of an evening that hold, each with who played it, what was laid and how long it took."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tilekeeper.companion.game_night.record import Record
from tilekeeper.companion.game_night.recorded_game import RecordedGame
from tilekeeper.engine.game.events import Commanded, Passed, TileDrawn, TilesLaid, TurnFailed, Undone
from tilekeeper.engine.game.state import GameState, Round
from tilekeeper.engine.judge.verdict import Verdict
from tilekeeper.engine.tiles.tile import Tile


@dataclass(frozen=True, slots=True)
class PlayedTurn:
    """What a player did; a wrong layout that was mended afterwards is one by itself, and `settled` is false for it."""

    place: int
    """Its place in the evening's records, from 0."""
    record: Record
    round: int
    """From 1."""
    number: int
    """Which turn of the round, from 1."""
    player: int
    """The seat."""
    placed: tuple[Tile, ...]
    """The tiles that came from the rack and stayed."""
    legal: bool | None
    """The judge's decision; none where there was nothing to judge."""
    settled: bool
    """Whether the turn was over with it."""

    @property
    def seconds(self) -> float | None:
        """How long the turn had lasted; none where that is not known."""
        return self.record.note.seconds


def played_turns(recorded: RecordedGame) -> Iterator[PlayedTurn]:
    """All turns that were not taken back, in their order."""
    gone = undone_places(recorded.records)
    for place, record in enumerate(recorded.records):
        before, after = recorded.states[max(0, place - 1)], recorded.states[place]
        if place in gone or not isinstance(record.entry, TilesLaid | TurnFailed | TileDrawn | Passed):
            continue
        if before.round is not None and after.round is not None:
            yield _turn(place, record, before.round, after.round)


def undone_places(records: tuple[Record, ...]) -> frozenset[int]:
    """Return the places of the records that were taken back."""
    standing: list[int] = []
    gone: set[int] = set()
    for place, record in enumerate(records):
        if isinstance(record.entry, Undone):
            gone.update(standing[-record.entry.events :])
            del standing[-record.entry.events :]
        elif not isinstance(record.entry, Commanded):
            standing.append(place)
    return frozenset(gone)


def decision(state: GameState) -> bool | None:
    """What the judge said of the layout that led to a state; none where there was nothing to judge."""
    verdict = None if state.round is None else _verdict(state.round)
    return None if verdict is None else verdict.legal


def _verdict(play: Round) -> Verdict | None:
    if play.claim is not None:
        return play.claim.verdict
    return play.turns[-1].verdict if play.turns else None


def _turn(place: int, record: Record, before: Round, after: Round) -> PlayedTurn:
    verdict = _verdict(after) if isinstance(record.entry, TilesLaid | TurnFailed) else None
    stays = isinstance(record.entry, TilesLaid) and after.claim is None and verdict is not None
    return PlayedTurn(
        place=place,
        record=record,
        round=before.number,
        number=len(before.turns) + 1,
        player=before.turn,
        placed=verdict.placed if stays and verdict is not None else (),
        legal=None if verdict is None else verdict.legal,
        settled=len(after.turns) > len(before.turns),
    )
