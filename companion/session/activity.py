"""The interface that all activities at the table share: a folder of photos, a game night."""

from __future__ import annotations

from typing import Protocol

from tilekeeper.companion.adjudication.turn import Case, Judged
from tilekeeper.companion.observation.observed_table import ObservedTable
from tilekeeper.companion.session.game_night import FoundFix, GameNight
from tilekeeper.companion.session.snapshot import Moment, Snapshot
from tilekeeper.companion.session.turn_view import TurnView
from tilekeeper.engine.rules.ruleset import RuleSet


class Activity(Protocol):
    """One way of using the app, as an immutable value: every method that changes something returns a new one."""

    @property
    def rules(self) -> RuleSet:
        """The edition in play, with house rules."""
        ...

    @property
    def waiting(self) -> bool:
        """Whether a pressed button waits until the table is settled, or for the verdict."""
        ...

    @property
    def case(self) -> Case | None:
        """The turn to be judged, or None; the thread whose command made it judges it and calls `with_verdict`."""
        ...

    @property
    def ticking(self) -> bool:
        """Whether a clock runs, so that pages have to refresh without an action."""
        ...

    @property
    def judges_photos(self) -> bool:
        """Whether the source is a folder of photos, each of a separate table that is judged by itself."""
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
        """The turn as pages show it."""
        ...

    def start(self) -> ObservedTable | None:
        """Return the table at the start of the turn; None if no turn is played."""
        ...

    def verdict_stands(self, snapshot: Snapshot) -> bool | None:
        """Return whether the verdict on the current table is sure; None if there is no verdict on this table."""
        ...

    def table_read(self, snapshot: Snapshot, moment: Moment) -> Activity:
        """Return the activity after the table has settled and was read again."""
        ...

    def reading_corrected(self, snapshot: Snapshot, moment: Moment, was: int | None = None) -> Activity:
        """Return the activity after the current reading was corrected, by a person or by further frames.

        Args:
            snapshot: the reading after the correction.
            moment: the time of the correction.
            was: the number of the reading before further frames improved it; None if a person corrected it.
        """
        ...

    def with_verdict(self, judged: Judged, snapshot: Snapshot, moment: Moment) -> Activity:
        """Return the activity after the verdict on `case`."""
        ...

    def restarted(self) -> Activity:
        """Return the activity after a recording started again, or a photo could not be opened."""
        ...

    def for_source(self, kind: str) -> Activity:
        """Return the activity for another source of this `kind`, a `WatchedSource.kind`."""
        ...
