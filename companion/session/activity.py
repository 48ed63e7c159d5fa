"""The interface of all activities at the table: a game night, photos to be judged, or a camera that is only watched."""

from __future__ import annotations

from typing import Protocol

from tilekeeper.companion.adjudication.turn import Case, Judged
from tilekeeper.companion.observation.observed_table import ObservedTable
from tilekeeper.companion.session.game_night import FoundFix, GameNight
from tilekeeper.companion.session.snapshot import Moment, Snapshot
from tilekeeper.companion.session.turn_view import TurnView
from tilekeeper.engine.rules.ruleset import RuleSet


class Activity(Protocol):
    """An activity at the table, as an immutable value: every method that changes something returns a new activity."""

    @property
    def rules(self) -> RuleSet:
        """The edition in play, with house rules."""
        ...

    @property
    def waiting(self) -> bool:
        """Whether Done was pressed and waits for a settled table or for the verdict."""
        ...

    @property
    def case(self) -> Case | None:
        """The turn to be judged; None if there is none.

        The thread whose command made the case judges it, and then calls `with_verdict`.
        """
        ...

    @property
    def ticking(self) -> bool:
        """Whether a clock runs, so that pages must be updated although nobody acts."""
        ...

    @property
    def judges_photos(self) -> bool:
        """Whether each picture is a photo of a separate table, to be judged by itself."""
        ...

    @property
    def judged(self) -> Judged | None:
        """The last verdict; None if there is none to show."""
        ...

    @property
    def fix(self) -> FoundFix | None:
        """The smallest fix found so far for the table that the last verdict calls illegal; None if none is known."""
        ...

    @property
    def game_night(self) -> GameNight | None:
        """The game night; None if none is played."""
        ...

    @property
    def turn(self) -> TurnView:
        """The current turn in the form that pages show."""
        ...

    def start(self) -> ObservedTable | None:
        """Return the table at the start of the turn; None if no turn is played."""
        ...

    def verdict_stands(self, snapshot: Snapshot) -> bool | None:
        """Return whether the verdict on the snapshot's reading is sure; None if there is no verdict on that reading."""
        ...

    def table_read(self, snapshot: Snapshot, moment: Moment) -> Activity:
        """Return the activity after the settled table was read again."""
        ...

    def reading_corrected(self, snapshot: Snapshot, moment: Moment, was: int | None = None) -> Activity:
        """Return the activity after a person or further frames corrected the current reading.

        Args:
            snapshot: the reading after the correction.
            moment: the time of the correction.
            was: the number of the reading before further frames improved it; None if a person corrected it.
        """
        ...

    def with_verdict(self, judged: Judged, snapshot: Snapshot, moment: Moment) -> Activity:
        """Return the activity after the verdict `judged` on its `case`."""
        ...

    def restarted(self) -> Activity:
        """Return the activity after a recording has started again or a photo could not be opened."""
        ...

    def for_source(self, kind: str) -> Activity:
        """Return the activity after the app has switched to a source of this kind (`WatchedSource.kind`)."""
        ...
