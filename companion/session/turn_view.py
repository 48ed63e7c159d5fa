"""The turn as pages show it, the same for all activities."""

from dataclasses import dataclass

from tilekeeper.engine.tiles.table import Table

DONE = "done"
"""The button that may wait, see `TurnView.waiting_to`."""


@dataclass(frozen=True, slots=True)
class TurnView:
    """A turn.

    Attributes:
        begun: whether the table at its start is known.
        before: the table at its start; empty if not known.
        opened: whether the player had opened in an earlier turn.
        finished: how many turns were judged legal, or were played in the round.
        can_undo: whether there is something to undo.
        waiting_to: the button that waits until the table is settled or for the verdict, always `DONE`; or None.
    """

    begun: bool
    before: Table
    opened: bool
    finished: int
    can_undo: bool
    waiting_to: str | None
