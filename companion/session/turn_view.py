"""The turn as every page shows it, whatever it belongs to."""

from dataclasses import dataclass

from tilekeeper.engine.tiles.table import Table

DONE = "done"
"""The button that may wait, see `TurnView.waiting_to`."""


@dataclass(frozen=True, slots=True)
class TurnView:
    """A turn.

    Attributes:
        begun: whether it is known from which table it starts.
        before: that table; empty where it is not known.
        opened: whether the player had opened in an earlier turn.
        finished: how many turns have been found legal, or were played in the round.
        can_undo: whether there is something to take back.
        waiting_to: the button that waits for the table to lie still or for the verdict, always `DONE`; None for none.
    """

    begun: bool
    before: Table
    opened: bool
    finished: int
    can_undo: bool
    waiting_to: str | None
