"""Answers about a turn that has failed, or in which more tiles were laid than a rack can have held."""

from typing import Self

from tilekeeper.companion.game_night.commands.failed_turn import WayBack, way_back
from tilekeeper.companion.game_night.state import FailureCause, GameNightState, Press
from tilekeeper.companion.text.scores import rack_exceeded_sentence
from tilekeeper.companion.web.schemas.answer import Answer
from tilekeeper.companion.web.schemas.tiles import MoveJson, TileJson
from tilekeeper.engine.language import gettext, ngettext
from tilekeeper.engine.rules.policies import Restore


class PlaceOnMapJson(Answer):
    """Where a meld lay on the picture, for a map of the table."""

    tiles: list[TileJson]
    quads: list[list[list[float]]]
    """The corners of each tile, as in a reading; an empty list where nobody saw it."""


class FailingJson(Answer):
    """A turn that has failed: how the table should lie again, and what is still to be moved."""

    why: str
    """`time-up` or `wrong`."""
    text: str
    """What to do, in one sentence."""
    wanted: list[PlaceOnMapJson]
    """The map of the table as it should lie."""
    moves: list[MoveJson]
    """Moves from the table as the camera sees it; empty where it lies so, or nobody sees it."""
    there: bool | None
    """Whether it lies so again; null where no camera sees it."""
    penalty: int

    @classmethod
    def from_state(cls, night: GameNightState, press: Press) -> Self | None:
        """Return the failed turn; None where none has failed."""
        if night.failing is None:
            return None
        way, before = way_back(night, press), night.before()
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
            penalty=way.penalty,
        )


def _failing_words(night: GameNightState, way: WayBack) -> str:
    assert night.failing is not None  # there is a way back
    if way.is_done:
        what = gettext("The table lies as it should.")
    elif night.state.rules.penalty.restore is Restore.LOOSE_TO_RACK:
        what = gettext("Cards in no valid combination go onto the player's rack.")
    else:
        what = gettext("Put everything back as it is drawn here.")
    why = "" if night.failing.why is FailureCause.TIME_UP else gettext("This turn was not legal.")
    draws = (
        ngettext("Then draw {count} tile as a penalty.", "Then draw {count} tiles as a penalty.", way.penalty)
        if way.penalty
        else ""
    )
    return " ".join(filter(None, (why, what, draws)))


class ExceededJson(Answer):
    """More tiles were laid than the player can have had: Done waits until people say what is wrong."""

    laid: int
    rack: int
    """How many tiles were on the rack by the ledger; below 0 where it was wrong before."""
    text: str
    """Both in one sentence."""

    @classmethod
    def from_state(cls, night: GameNightState) -> Self | None:
        """Return how many tiles too many were laid; None where there are none."""
        exceeded = night.exceeded
        if exceeded is None:
            return None
        name = night.state.players[night.round.turn]
        text = rack_exceeded_sentence(name, exceeded.laid, exceeded.rack)
        return cls(laid=exceeded.laid, rack=exceeded.rack, text=text)
