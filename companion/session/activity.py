"""What is done at the table: a game night, or photos judged as they lie; both are used alike."""

from __future__ import annotations

from typing import Protocol

from tilekeeper.companion.adjudication.turn import Case, Judged
from tilekeeper.companion.observation.observed_table import ObservedTable
from tilekeeper.companion.session.game_night import FoundFix, GameNight
from tilekeeper.companion.session.snapshot import Moment, Snapshot
from tilekeeper.companion.session.turn_view import TurnView
from tilekeeper.engine.rules.ruleset import RuleSet


class Activity(Protocol):
    """One way of using the app. An activity is a value: whatever happens to it gives another one."""

    @property
    def rules(self) -> RuleSet:
        """The edition in play, with house rules."""
        ...

    @property
    def waiting(self) -> bool:
        """Whether a button was pressed that waits for the table to lie still, or for the verdict."""
        ...

    @property
    def case(self) -> Case | None:
        """What is to be judged; whoever brought it about works out the verdict and hands it to `with_verdict`."""
        ...

    @property
    def ticking(self) -> bool:
        """Whether a clock runs, so that what a page shows grows old by itself."""
        ...

    @property
    def judges_photos(self) -> bool:
        """Whether every picture is a table of its own and is judged as it lies."""
        ...

    @property
    def judged(self) -> Judged | None:
        """The last verdict."""
        ...

    @property
    def fix(self) -> FoundFix | None:
        """The smallest fix so far of the layout that the last verdict calls wrong, where one was found."""
        ...

    @property
    def game_night(self) -> GameNight | None:
        """The game night; none where none is played."""
        ...

    @property
    def turn(self) -> TurnView:
        """The turn as the page shows it."""
        ...

    def start(self) -> ObservedTable | None:
        """Return the table at the start of the turn; None where no turn is played."""
        ...

    def verdict_stands(self, snapshot: Snapshot) -> bool | None:
        """Return whether the verdict on the table as it lies is sure; None where there is none."""
        ...

    def table_read(self, snapshot: Snapshot, moment: Moment) -> Activity:
        """Return the activity after the table came to rest and was read anew."""
        ...

    def reading_corrected(self, snapshot: Snapshot, moment: Moment, was: int | None = None) -> Activity:
        """Return the activity after a person named a tile of the present reading.

        `was` is the number that it had before further frames of the same table improved it.
        """
        ...

    def with_verdict(self, judged: Judged, snapshot: Snapshot, moment: Moment) -> Activity:
        """Return the activity after the verdict on its case."""
        ...

    def restarted(self) -> Activity:
        """Return the activity after what is watched started from its beginning, or can't be read at all."""
        ...

    def for_source(self, kind: str) -> Activity:
        """Return the activity for another kind of source, see `WatchedSource.kind`."""
        ...
