"""Narration of a game night: one or two sentences for each event."""

from __future__ import annotations

from typing import assert_never

from tilekeeper.companion.text.names import edition_words
from tilekeeper.companion.text.scores import points_words
from tilekeeper.engine.game.events import (
    Commanded,
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
from tilekeeper.engine.language import gettext, join_with_and, ngettext
from tilekeeper.engine.rules.policies import Totals
from tilekeeper.engine.solver.explanation import explain
from tilekeeper.engine.tiles.table import Table
from tilekeeper.engine.tiles.words import capitalize, tile_words


def event_words(before: GameState | None, entry: Entry, after: GameState) -> str:
    """Describe an event in one or two sentences.

    Args:
        before: the game before the event; None for the event that starts the game.
        entry: the event.
        after: the game after the event.
    """
    if isinstance(entry, GameStarted) or before is None:
        return gettext(
            "{names} started a game with the box “{box}”.",
            names=join_with_and(after.players),
            box=edition_words(after.rules.name),
        )
    return " ".join(filter(None, (_event_words(before, entry, after), _round_over(before, after))))


def whose(before: GameState, entry: Entry, after: GameState) -> str:
    """Return the name of the player who caused an event, or whom the event concerns; empty if there is none."""
    match entry:
        case TilesLaid() | TurnFailed() | TileDrawn() | Passed():
            return before.players[_turn(before)]
        case PlayerJoined():
            return entry.name
        case TileLost():
            return "" if entry.player is None else after.players[entry.player]
        case StarterChosen() | RedealClaimed() | RackCounted() | RackShown() | RackSummed() | TileFound():
            return after.players[entry.player]
        case PlayerLeft() | PlayerOpened() | TurnGiven():
            return after.players[entry.player]
        case _:
            return ""


def _event_words(before: GameState, entry: Entry, after: GameState) -> str:  # noqa: C901, PLR0912, a case for each event
    name = whose(before, entry, after)
    match entry:
        case TilesLaid():
            return _laid(before, entry, after, name)
        case TurnFailed():
            return _failed(entry, after, name)
        case TileDrawn():
            drawn = after.round.seats[_turn(before)].drawn - _seat(before).drawn if after.round else 0
            if not drawn:
                return gettext("{name} drew nothing.", name=name)
            return ngettext("{name} drew {count} tile.", "{name} drew {count} tiles.", drawn, name=name)
        case Passed():
            return gettext("{name} passed.", name=name)
        case TableCorrected():
            return _table_corrected(before, entry)
        case StarterChosen():
            if entry.overruled:
                return gettext("The players decided: {name} begins.", name=name)
            return gettext("{name} begins.", name=name)
        case LotsDrawn():
            return _lots_drawn(before, entry, after)
        case Dealt():
            return gettext("The tiles were dealt.")
        case RedealClaimed():
            if after.redeal is not None and after.redeal.granted:
                return gettext("{name} asked for a new deal and gets it.", name=name)
            return gettext("{name} asked for a new deal but can't have one.", name=name)
        case RackCounted():
            return ngettext(
                "{name}'s rack counted: {count} tile.",
                "{name}'s rack counted: {count} tiles.",
                entry.tiles,
                name=name,
            )
        case PoolCounted():
            return ngettext("Pool counted: {count} tile.", "Pool counted: {count} tiles.", entry.tiles)
        case RackShown():
            return ngettext(
                "{name} had {count} tile left.", "{name} had {count} tiles left.", len(entry.tiles), name=name
            )
        case RackSummed():
            return ngettext(
                "{name} had {count} point left.", "{name} had {count} points left.", entry.points, name=name
            )
        case TilePointed():
            return gettext("Everybody looks for the neighbours of {tile}.", tile=tile_words(entry.tile))
        case TileFound():
            if after.finding is not None and after.finding.fault is None:
                return gettext("{name} found {tile}.", name=name, tile=tile_words(entry.tile))
            return gettext(
                "{name} found {tile}, but that is not the right one.", name=name, tile=tile_words(entry.tile)
            )
        case TileLost():
            return _lost(entry, name)
        case TileReturned():
            if entry.tile is None:
                return gettext("A lost tile was found again.")
            return gettext("{tile} was found again.", tile=capitalize(tile_words(entry.tile)))
        case PlayerLeft():
            return gettext("{name} left.", name=name)
        case PlayerJoined():
            return _joined(before, after, name)
        case PlayerOpened():
            if entry.opened:
                return gettext("{name} had opened before; that is corrected now.", name=name)
            return gettext("{name} had not opened before; that is corrected now.", name=name)
        case TurnGiven():
            return gettext("The players decided: it is {name}'s turn.", name=name)
        case GameEnded():
            return gettext("The players ended the game.")
        case Undone():
            return ngettext("{count} step taken back.", "{count} steps taken back.", entry.events)
        case Commanded():
            return _commanded(entry)
        case Corrected(instead=GameStarted()):
            return _agreement(before, after)
        case Corrected():
            return gettext("An earlier entry was corrected.")
        case GameStarted():
            raise AssertionError("a game starts once")
        case _ as never:  # pragma: no cover - the type checker proves it
            assert_never(never)


def _agreement(before: GameState, after: GameState) -> str:
    """Describe the changes to names, rules and number of rounds that the players agreed on."""
    old, new, rounds = before.rules, after.rules, after.rounds_agreed
    names = [
        gettext("{old} is now called {new}.", old=earlier, new=name)
        for earlier, name in zip(before.players, after.players, strict=False)
        if earlier != name
    ]
    points, seconds = new.opening.minimum_points, new.turn.limit_s
    changes = [
        gettext("From now on an opening needs {points} points.", points=points)
        if points != old.opening.minimum_points
        else "",
        gettext("From now on each turn has {seconds} seconds.", seconds=seconds) if seconds != old.turn.limit_s else "",
    ]
    if rounds != before.rounds_agreed:
        changes.append(
            gettext("The evening has no fixed end now.")
            if rounds is None
            else ngettext("The evening now has {count} round.", "The evening now has {count} rounds.", rounds)
        )
    return " ".join(filter(None, [*names, *changes]))


def _commanded(entry: Commanded) -> str:
    match entry.kind, entry.decision:
        case "seat", _:
            return gettext(
                "{name} gave the players at this table their seats for round {round}.", name=entry.by, round=entry.round
            )
        case "start", _:
            return gettext("{name} started the round.", name=entry.by)
        case "pause", _:
            return gettext("{name} paused the round.", name=entry.by)
        case "resume", _:
            return gettext("{name} continued the round.", name=entry.by)
        case _, "stands":
            return gettext("{name} decided: the turn counts.", name=entry.by)
        case _, "taken_back":
            return gettext("{name} decided: the turn is taken back.", name=entry.by)
        case _, "goes_on":
            return gettext("{name} decided: the turn goes on as it is.", name=entry.by)
        case ("time", _) | (_, "time_given"):
            return gettext("{name} decided: {count} seconds more.", name=entry.by, count=round(entry.seconds or 0))
        case _:
            return gettext("{name} decided.", name=entry.by)


def _lots_drawn(before: GameState, entry: LotsDrawn, after: GameState) -> str:
    drew = ", ".join(
        gettext("{name} {tile}", name=before.players[player], tile=tile_words(tile))
        for player, tile in zip(before.contenders, entry.tiles, strict=False)
    )
    if after.starter is None:
        return gettext("Drawn: {drew}. Draw again.", drew=drew)
    return gettext("Drawn: {drew}. {name} begins.", drew=drew, name=after.players[after.starter])


def _lost(entry: TileLost, name: str) -> str:
    if entry.tile is None:
        return gettext("A tile of {name}'s rack is lost.", name=name) if name else gettext("A tile is lost.")
    tile = capitalize(tile_words(entry.tile))
    if name:
        return gettext("{tile} of {name}'s rack is lost.", tile=tile, name=name)
    return gettext("{tile} is lost.", tile=tile)


def _joined(before: GameState, after: GameState, name: str) -> str:
    waits = after.round is not None and after.round.seats[after.players.index(name)].away
    if name in before.players:
        if waits:
            return gettext("{name} is back and plays from the next round.", name=name)
        return gettext("{name} came back.", name=name)
    if waits:
        return gettext("{name} joined and plays from the next round.", name=name)
    return gettext("{name} joined.", name=name)


def _table_corrected(before: GameState, entry: TableCorrected) -> str:
    was, now = before.round.table if before.round is not None else Table(), entry.table
    removed, added = was.counts - now.counts, now.counts - was.counts
    if removed.total() == added.total() == 1 and [*map(len, was.melds)] == [*map(len, now.melds)]:
        old, new = capitalize(tile_words(*removed)), tile_words(*added)
        return gettext("{old} on the table is really {new}.", old=old, new=new)
    return ngettext(
        "The table counts as it is: {count} tile.",
        "The table counts as it is: {count} tiles.",
        now.counts.total(),
    )


def _laid(before: GameState, entry: TilesLaid, after: GameState, name: str) -> str:
    play = after.round
    assert before.round is not None  # a turn was played
    if play is not None and play.claim is not None:
        if play.claim.verdict.undecided:
            return gettext("{name}'s turn: I can't decide it. Please check together.", name=name)
        faults = play.claim.verdict.sentences
        sentence = gettext("{name}'s turn was not allowed. {fault}", name=name, fault=faults[0])
        if len(faults) == 1:
            return sentence
        more = ngettext("And {count} more problem.", "And {count} more problems.", len(faults) - 1)
        return f"{sentence} {more}"
    values = {"name": name, "turn": explain(before.round.table, entry.after, before.context)}
    record = play.turns[-1] if play is not None and play.turns else None
    opens = record is not None and record.verdict is not None and record.verdict.opens
    if record is not None and record.stars > 0:
        values["stars"] = ngettext("{count} star", "{count} stars", record.stars)
        sentence = (
            gettext("{name} opened: {turn}, for {stars}.", **values)
            if opens
            else gettext("{name} {turn}, for {stars}.", **values)
        )
    else:
        sentence = gettext("{name} opened: {turn}.", **values) if opens else gettext("{name} {turn}.", **values)
    return " ".join((sentence, gettext("The players let it count."))) if entry.overruled else sentence


def _failed(entry: TurnFailed, after: GameState, name: str) -> str:
    play = after.round
    record = play.turns[-1] if play is not None and play.turns else None
    drawn = 0 if record is None else record.drawn
    if entry.time_up:
        if not drawn:
            return gettext("{name} ran out of time.", name=name)
        return ngettext(
            "{name} ran out of time and drew {count} tile.",
            "{name} ran out of time and drew {count} tiles.",
            drawn,
            name=name,
        )
    if not drawn:
        return gettext("{name}'s turn was not allowed.", name=name)
    return ngettext(
        "{name}'s turn was not allowed; {name} drew {count} tile.",
        "{name}'s turn was not allowed; {name} drew {count} tiles.",
        drawn,
        name=name,
    )


def _round_over(before: GameState, after: GameState) -> str:
    if len(after.sheet.rounds) == len(before.sheet.rounds):
        ended = after.round is not None and after.round.ended and not (before.round is not None and before.round.ended)
        if not ended:
            return ""
        assert after.round is not None  # it has ended
        out = after.round.out
        return (
            gettext("The round is over.")
            if out is None
            else gettext("{name} has laid every tile: Rummikub!", name=after.players[out])
        )
    score = after.sheet.rounds[-1]
    signed = after.sheet.counts is Totals.HIGHEST_TOTAL
    points = ", ".join(
        f"{name} {points_words(points, signed)}" for name, points in zip(after.players, score.points, strict=True)
    )
    return gettext("Round {number}: {points}.", number=len(after.sheet.rounds), points=points)


def _turn(state: GameState) -> int:
    assert state.round is not None  # a turn was played
    return state.round.turn


def _seat(state: GameState) -> Seat:
    assert state.round is not None  # a turn was played
    return state.round.seats[state.round.turn]
