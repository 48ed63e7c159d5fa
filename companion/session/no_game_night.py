"""The activity without a game night: photos of a folder are judged one by one; the table of a camera is only shown."""

from __future__ import annotations

from dataclasses import dataclass

from tilekeeper.companion.adjudication.turn import Case, Judged
from tilekeeper.companion.observation.observed_table import EMPTY_TABLE, can_be_judged
from tilekeeper.companion.session.snapshot import Moment, Snapshot
from tilekeeper.companion.session.turn_view import DONE, TurnView
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.engine.tiles.table import Table

PHOTOS = "photos"
"""The kind of source in which every photo shows a separate table."""


@dataclass(frozen=True, slots=True)
class NoGameNight:
    """The `Activity` without a game night: judges photos one by one, or only shows the table of a camera."""

    rules: RuleSet
    """The edition by which photos are judged."""
    judges_photos: bool
    """Whether every photo shows a separate table and is judged by itself."""
    case: Case | None = None
    """The photo's table, to be judged; None if there is none."""
    judged: Judged | None = None
    """The verdict on the photo; None until it is judged."""

    ticking = False
    waiting = False
    fix = None
    game_night = None

    @classmethod
    def watching(cls, rules: RuleSet, kind: str) -> NoGameNight:
        """Return the activity for a source of this kind (`WatchedSource.kind`)."""
        return cls(rules, kind == PHOTOS)

    @property
    def turn(self) -> TurnView:
        """A turn that has not begun, since no game night is played."""
        return TurnView(
            begun=False,
            before=Table(),
            opened=False,
            finished=0,
            can_undo=False,
            waiting_to=None if self.case is None else DONE,
        )

    def for_source(self, kind: str) -> NoGameNight:
        """Return the activity after a change to a source of this kind (`WatchedSource.kind`)."""
        return self.watching(self.rules, kind)

    def start(self) -> None:
        """Return None: no turn is played."""
        return

    def verdict_stands(self, snapshot: Snapshot) -> bool | None:
        """Return whether the verdict on the photo is sure; None without a verdict."""
        judged = self.judged
        return judged.sure if judged is not None and judged.reading_number == snapshot.reading_number else None

    def table_read(self, snapshot: Snapshot, moment: Moment) -> NoGameNight:
        """Return the activity that has the photo as its `case`: a player who has opened lays all tiles in one turn."""
        if not self.judges_photos:
            return self
        reading = snapshot.reading
        if reading is None or not reading.tiles or not can_be_judged(reading):
            return self.restarted()
        context = TurnContext(self.rules, opened=True)
        case = Case(EMPTY_TABLE, reading, context, snapshot.reading_number)
        return NoGameNight(self.rules, self.judges_photos, case)

    def reading_corrected(self, snapshot: Snapshot, moment: Moment, was: int | None = None) -> NoGameNight:
        """Return the activity in which the corrected photo is judged again."""
        return self.table_read(snapshot, moment)

    def with_verdict(self, judged: Judged, snapshot: Snapshot, moment: Moment) -> NoGameNight:
        """Return the activity with the verdict on the photo."""
        return NoGameNight(self.rules, self.judges_photos, judged=judged)

    def restarted(self) -> NoGameNight:
        """Return the activity without a verdict."""
        return NoGameNight(self.rules, self.judges_photos)
