"""The current turn in the form that pages show, for every activity."""

from dataclasses import dataclass

from tilekeeper.engine.tiles.table import Table

DONE = "done"
"""The value of `TurnView.waiting_to`; no other button can wait."""


@dataclass(frozen=True, slots=True)
class TurnView:
    """The current turn of a game night, or the judging of a photo, in the form that pages show.

    Attributes:
        begun: whether a turn of a game night is being played.
        before: the table at the start of the turn; empty if no turn is being played.
        opened: whether the player had opened in an earlier turn.
        finished: how many turns of the round have ended.
        can_undo: whether there is an action to undo.
        waiting_to: the button that waits until the table is settled or for the verdict, always `DONE`; or None.
    """

    begun: bool
    before: Table
    opened: bool
    finished: int
    can_undo: bool
    waiting_to: str | None
