"""Answers about a turn that has failed, or in which more tiles were laid than the rack had."""

from typing import Self

from tilekeeper.companion.game_night.commands.failed_turn import Restoration, plan_restoration
from tilekeeper.companion.game_night.state import GameNightState, Press
from tilekeeper.companion.text.scores import rack_exceeded_sentence
from tilekeeper.companion.web.schemas.answer import Answer
from tilekeeper.companion.web.schemas.tiles import MoveJson, TileJson
from tilekeeper.engine.language import gettext, ngettext
from tilekeeper.engine.rules.policies import Restore


class PlaceOnMapJson(Answer):
    """A meld on the map of a table, with the corners of its tiles in the picture."""

    tiles: list[TileJson]
    quads: list[list[list[float]]]
    """The corners of each tile, as in a reading; an empty list for a tile that was never in a picture."""


class FailingJson(Answer):
    """A failed turn: the table to restore, and the moves that are still needed."""

    why: str
    """`time-up` or `wrong`."""
    text: str
    """What to do, in one sentence."""
    wanted: list[PlaceOnMapJson]
    """The map of the table to restore."""
    moves: list[MoveJson]
    """The moves that restore the table; empty if it is restored, or no camera sees it."""
    there: bool | None
    """Whether the table is restored; null if no camera sees it."""
    penalty: int
    """How many tiles the player draws after the table is restored."""

    @classmethod
    def from_state(cls, night: GameNightState, press: Press) -> Self | None:
        """Return the failed turn; None if no turn has failed."""
        if night.failing is None:
            return None
        way, before = plan_restoration(night, press), night.before()
        quads = dict(zip(before.table.melds, before.quads_px, strict=True))
        rows = () if way.observed is None else way.observed.rows
        return cls(
            why=str(night.failing.why),
            text=_failing_words(night, way),
            wanted=[
                PlaceOnMapJson(
                    tiles=[TileJson.from_tile(tile) for tile in meld],
                    quads=[[list(corner) for corner in quad] for quad in quads.get(meld, ((),) * len(meld))],
                )
                for meld in way.wanted.melds
            ],
            moves=MoveJson.from_moves(way.moves, way.wanted, rows),
            there=way.is_done,
            penalty=way.drawn,
        )


def _failing_words(night: GameNightState, way: Restoration) -> str:
    if way.is_done:
        what = gettext("The table is as it should be.")
    elif night.state.rules.penalty.restore is Restore.LOOSE_TO_RACK:
        what = gettext("Cards that are in no valid set go onto the player's rack.")
    else:
        what = gettext("Put everything back as shown here.")
    draws = ngettext("Then draw {count} tile.", "Then draw {count} tiles.", way.drawn) if way.drawn else ""
    return " ".join(filter(None, (what, draws)))


class ExceededJson(Answer):
    """More tiles were laid than the rack had by the ledger; Done waits until people say which number is wrong."""

    laid: int
    """How many tiles were laid in the turn, as read."""
    rack: int
    """How many tiles the rack had by the ledger; below 0 if the ledger was wrong before."""
    text: str
    """Both numbers in one sentence."""

    @classmethod
    def from_state(cls, night: GameNightState) -> Self | None:
        """Return both numbers; None if the rack was not exceeded."""
        exceeded = night.exceeded
        if exceeded is None:
            return None
        name = night.state.players[night.round.turn]
        text = rack_exceeded_sentence(name, exceeded.laid, exceeded.rack)
        return cls(laid=exceeded.laid, rack=exceeded.rack, text=text)
