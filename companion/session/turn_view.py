"""The turn as pages show it, the same for all activities."""

from dataclasses import dataclass

from tilekeeper.engine.tiles.table import Table

DONE = "done"
"""The only button that may wait (`TurnView.waiting_to`)."""


@dataclass(frozen=True, slots=True)
class TurnView:
    """The turn, or the judging of a photo, as pages show it.

    Attributes:
        begun: whether a turn of a game night is being played.
        before: the table at the start of the turn; empty if no turn is being played.
        opened: whether the player had opened in an earlier turn.
        finished: how many turns of the round have ended.
        can_undo: whether there is something to undo.
        waiting_to: the button that waits until the table is settled or for the verdict, always `DONE`; or None.
    """

    begun: bool
    before: Table
    opened: bool
    finished: int
    can_undo: bool
    waiting_to: str | None
