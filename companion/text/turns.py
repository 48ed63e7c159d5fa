"""Captions of turns, for the film and the page of past game nights: the turn's number and its result."""

from tilekeeper.companion.game_night.played_turns import PlayedTurn
from tilekeeper.engine.game.events import TileDrawn, TilesLaid, TurnFailed
from tilekeeper.engine.language import gettext, ngettext


def turn_words(turn: PlayedTurn) -> str:
    """Return a caption such as `Round 1, turn 3: 4 tiles laid`."""
    return gettext("Round {round}, turn {number}: {done}", round=turn.round, number=turn.number, done=_done(turn))


def tiles_stay(turn: PlayedTurn) -> bool | None:
    """Return whether the laid tiles stay, by the verdict or because it was overruled; None if none were laid."""
    entry = turn.record.entry
    return True if isinstance(entry, TilesLaid) and entry.overruled else turn.legal


def _done(turn: PlayedTurn) -> str:
    match turn.record.entry:
        case TilesLaid() if turn.placed:
            return ngettext("{count} tile laid", "{count} tiles laid", len(turn.placed))
        case TilesLaid():
            return gettext("not right yet")
        case TurnFailed():
            return gettext("the turn failed")
        case TileDrawn():
            return gettext("drew")
        case _:
            return gettext("passed")
