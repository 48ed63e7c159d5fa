"""English words for what happened in a game night: one sentence for each event."""

from __future__ import annotations

from typing import assert_never

from tilekeeper.companion.text.names import edition_words
from tilekeeper.companion.text.scores import points_words
from tilekeeper.engine.game.events import (
    Corrected,
    Dealt,
    Entry,
    GameEnded,
    GameStarted,
    LotsDrawn,
    Passed,
    PlayerJoined,
    PlayerLeft,
    PlayerOpened,
    PoolCounted,
    RackCounted,
    RackShown,
    RackSummed,
    RedealClaimed,
    StarterChosen,
    TableCorrected,
    TileDrawn,
    TileFound,
    TileLost,
    TilePointed,
    TileReturned,
    TilesLaid,
    TurnFailed,
    TurnGiven,
    Undone,
)
from tilekeeper.engine.game.state import GameState, Seat
from tilekeeper.engine.rules.policies import Totals
from tilekeeper.engine.solver.explanation import explain
from tilekeeper.engine.tiles.table import Table
from tilekeeper.engine.tiles.words import tile_words


def event_words(before: GameState | None, entry: Entry, after: GameState) -> str:
    """Return what happened, in one sentence.

    Args:
        before: the game before the event; none before its start.
        entry: what happened.
        after: the game after it.
    """
    if isinstance(entry, GameStarted) or before is None:
        return f"{_list(after.players)} sat down to play with the box “{edition_words(after.rules.name)}”."
    return f"{_event_words(before, entry, after)}{_round_over(before, after)}"


def _event_words(before: GameState, entry: Entry, after: GameState) -> str:  # noqa: C901, PLR0912, a case for each event
    names = after.players
    match entry:
        case TilesLaid():
            return _laid(before, entry, after)
        case TurnFailed():
            return _failed(before, entry, after)
        case TileDrawn():
            drawn = after.round.seats[_turn(before)].drawn - _seat(before).drawn if after.round else 0
            return f"{_name(before)} drew {_count(drawn, 'tile')}." if drawn else f"{_name(before)} drew nothing."
        case Passed():
            return f"{_name(before)} passed."
        case TableCorrected():
            return _table_corrected(before, entry)
        case StarterChosen():
            return f"{names[entry.player]} begins{', as the table decided' if entry.overruled else ''}."
        case LotsDrawn():
            drew = ", ".join(
                f"{names[player]} {tile_words(tile)}"
                for player, tile in zip(before.contenders, entry.tiles, strict=False)
            )
            ends = f"{names[after.starter]} begins" if after.starter is not None else "draw again"
            return f"Lots were drawn: {drew}; {ends}."
        case Dealt():
            return "The tiles were dealt."
        case RedealClaimed():
            granted = after.redeal is not None and after.redeal.granted
            return f"{names[entry.player]} demanded a redeal{': granted' if granted else ', without the right to'}."
        case RackCounted():
            return f"{names[entry.player]} was found to have {_count(entry.tiles, 'tile')}."
        case PoolCounted():
            return f"The pool was found to have {_count(entry.tiles, 'tile')}."
        case RackShown():
            return f"{names[entry.player]} had {_count(len(entry.tiles), 'tile')} left."
        case RackSummed():
            return f"{names[entry.player]} had {_count(entry.points, 'point')} left."
        case TilePointed():
            return f"A run is searched for that {tile_words(entry.tile)} belongs to."
        case TileFound():
            right = after.finding is not None and after.finding.fault is None
            return f"{names[entry.player]} found {tile_words(entry.tile)}{'' if right else ', which is not the one'}."
        case TileLost():
            what = "A tile" if entry.tile is None else tile_words(entry.tile).capitalize()
            return f"{what} was lost{'' if entry.player is None else f' from the rack of {names[entry.player]}'}."
        case TileReturned():
            what = "A lost tile" if entry.tile is None else tile_words(entry.tile).capitalize()
            return f"{what} was found again."
        case PlayerLeft():
            return f"{names[entry.player]} left."
        case PlayerJoined():
            came_back = entry.name in before.players
            waits = after.round is not None and after.round.seats[names.index(entry.name)].away
            return f"{entry.name} {'came back' if came_back else 'joined'}{', for the next round' if waits else ''}."
        case PlayerOpened():
            return f"{names[entry.player]} had {'' if entry.opened else 'not '}opened, the records were put right."
        case TurnGiven():
            return f"It was found to be the turn of {names[entry.player]}."
        case GameEnded():
            return "The players got up."
        case Undone():
            return f"{_count(entry.events, 'entry', 'entries')} taken back."
        case Corrected():
            return "An earlier entry was put right."
        case GameStarted():
            raise AssertionError("a game starts once")
        case _ as never:  # pragma: no cover - the type checker proves it
            assert_never(never)


def _table_corrected(before: GameState, entry: TableCorrected) -> str:
    was, now = before.round.table if before.round is not None else Table(), entry.table
    gone, came = was.counts - now.counts, now.counts - was.counts
    if gone.total() == came.total() == 1 and [*map(len, was.melds)] == [*map(len, now.melds)]:
        return f"{tile_words(*gone).capitalize()} on the table was found to be {tile_words(*came)}."
    return f"The table was taken as it lay, with {_count(now.counts.total(), 'tile')}."


def _laid(before: GameState, entry: TilesLaid, after: GameState) -> str:
    name, play = _name(before), after.round
    assert before.round is not None  # a turn was played
    if play is not None and play.claim is not None:
        faults = play.claim.verdict.sentences
        more = f" And {_count(len(faults) - 1, 'fault')} more." if len(faults) > 1 else ""
        return f"{name} laid what is not legal. {faults[0]}{more}"
    words = explain(before.round.table, entry.after, before.context)
    record = play.turns[-1] if play is not None and play.turns else None
    opens = record is not None and record.verdict is not None and record.verdict.opens
    stars = f", for {_count(record.stars, 'star')}" if record is not None and record.stars > 0 else ""
    said = f"{name} {'opened: ' if opens else ''}{words}{stars}."
    return f"{said} The table let it stand." if entry.overruled else said


def _failed(before: GameState, entry: TurnFailed, after: GameState) -> str:
    name, play = _name(before), after.round
    why = "ran out of time" if entry.time_up else "laid what was not legal"
    record = play.turns[-1] if play is not None and play.turns else None
    drawn = 0 if record is None else record.drawn
    penalty = f" and drew {_count(drawn, 'tile')}" if drawn else ""
    return f"{name} {why}{penalty}."


def _round_over(before: GameState, after: GameState) -> str:
    if len(after.sheet.rounds) == len(before.sheet.rounds):
        ended = after.round is not None and after.round.ended and not (before.round is not None and before.round.ended)
        if not ended:
            return ""
        assert after.round is not None  # it has ended
        out = after.round.out
        return " The round is over." if out is None else f" {after.players[out]} is out: Rummikub!"
    score = after.sheet.rounds[-1]
    signed = after.sheet.counts is Totals.HIGHEST_TOTAL
    points = ", ".join(
        f"{name} {points_words(points, signed)}" for name, points in zip(after.players, score.points, strict=True)
    )
    return f" Round {len(after.sheet.rounds)}: {points}."


def _turn(state: GameState) -> int:
    assert state.round is not None  # a turn was played
    return state.round.turn


def _seat(state: GameState) -> Seat:
    assert state.round is not None  # a turn was played
    return state.round.seats[state.round.turn]


def _name(state: GameState) -> str:
    return state.players[_turn(state)]


def _list(words: tuple[str, ...]) -> str:
    *first, end = words
    return f"{', '.join(first)} and {end}" if first else end


def _count(number: int, noun: str, plural: str = "") -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {plural or noun + 's'}"
