"""Activities without a game night: a single turn (begin, done, undo), and a folder of photos."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tilekeeper.companion.adjudication.turn import Case, Judged, Turn
from tilekeeper.companion.observation.observed_table import EMPTY_TABLE, ObservedTable, can_be_judged
from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.session.snapshot import Moment, Snapshot
from tilekeeper.companion.session.turn_view import TurnView
from tilekeeper.engine.language import gettext
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.tiles.table import Table

BEGIN, DONE = "begin", "done"
PHOTOS = "photos"
"""The kind of source of which each picture is a separate table."""


def without_game_night(rules: RuleSet, source_kind: str) -> SingleTurn | PhotoFolder:
    """Return the activity for a source while no game night is played."""
    return PhotoFolder(Turn(rules)) if source_kind == PHOTOS else SingleTurn(Turn(rules))


@dataclass(frozen=True, slots=True)
class SingleTurn:
    """Turn after turn, the first of which a person starts; see `activity.Activity`."""

    played: Turn
    waiting_to: str | None = None
    """The button that waits until the table is settled or for the verdict, `begin` or `done`."""
    case: Case | None = None
    """The turn to be judged."""
    is_repeated: bool = False
    """Whether it was judged before, so that the verdict replaces the last one."""

    ticking = False
    judges_photos = False
    fix = None
    game_night = None

    # The buttons of the page.

    def begin(self, snapshot: Snapshot) -> SingleTurn:
        """Start a turn from the present table, now or as soon as it is settled."""
        return self._now_or_later(BEGIN, snapshot)

    def done(self, snapshot: Snapshot) -> SingleTurn:
        """Leave the turn to be judged, now or as soon as the table is settled.

        Raises:
            Refused: if no turn was started, or the table can't be read.
        """
        if self.played.before is None:
            raise Refused(gettext("First say from which table to start."))
        return self._now_or_later(DONE, snapshot)

    def cancelled(self) -> SingleTurn:
        """Cancel a waiting button."""
        return SingleTurn(self.played)

    def undone(self) -> SingleTurn:
        """Undo the last Done or start.

        Raises:
            Refused: if there is nothing to undo.
        """
        if not self.played.past:
            raise Refused(gettext("There is nothing to take back."))
        return SingleTurn(self.played.undone())

    def with_opened(self, opened: bool) -> SingleTurn:
        """Set whether the player has opened in an earlier turn."""
        return replace(self, played=self.played.with_opened(opened))

    # What every activity has.

    @property
    def rules(self) -> RuleSet:
        """The edition in play."""
        return self.played.rules

    @property
    def waiting(self) -> bool:
        """Whether a button waits until the table is settled, or for the verdict."""
        return self.waiting_to is not None

    @property
    def judged(self) -> Judged | None:
        """The last verdict."""
        return self.played.judged

    @property
    def turn(self) -> TurnView:
        """The turn as pages show it."""
        played = self.played
        before = Table() if played.before is None else played.before.table
        return TurnView(
            played.before is not None, before, played.opened, played.finished, bool(played.past), self.waiting_to
        )

    def single_turn(self) -> SingleTurn:
        """Return this turn."""
        return self

    def for_source(self, kind: str) -> SingleTurn | PhotoFolder:
        """Return the activity for another kind of source."""
        return PhotoFolder(Turn(self.rules)) if kind == PHOTOS else self

    def start(self) -> ObservedTable | None:
        """Return the table at the start of the turn."""
        return self.played.before

    def verdict_stands(self, snapshot: Snapshot) -> bool | None:
        """Return whether the verdict on the present table is sure; None without a verdict on it."""
        judged = self.played.judged
        return judged.sure if judged is not None and judged.reading_number == snapshot.reading_number else None

    def table_read(self, snapshot: Snapshot, moment: Moment) -> SingleTurn:
        """Do what waited until the table is settled."""
        if self.waiting_to is None or self.case is not None:
            return self
        if snapshot.reading is None or not can_be_judged(snapshot.reading):
            return self
        return self._pressed(self.waiting_to, snapshot)

    def reading_corrected(self, snapshot: Snapshot, moment: Moment, was: int | None = None) -> SingleTurn:
        """Judge again if the verdict depended on the corrected tile, or was on an earlier reading of the same table."""
        reading, judged = snapshot.reading, self.played.judged
        being_judged = self.case is not None and self.case.reading_number in (was, snapshot.reading_number)
        was_judged = was is not None and judged is not None and judged.reading_number == was
        turns_on_it = was_judged or self.verdict_stands(snapshot) is False
        if not (turns_on_it or being_judged) or reading is None or not can_be_judged(reading):
            return self
        is_repeated = self.is_repeated or not being_judged
        case = (self._unjudged() if is_repeated else self.played).case(reading, snapshot.reading_number)
        return replace(self, case=case, is_repeated=is_repeated)

    def with_verdict(self, judged: Judged, snapshot: Snapshot, moment: Moment) -> SingleTurn:
        """Go on to the next turn or stay with this one; keep waiting if a tile that decides is covered."""
        if judged.weighed.waits and self.waiting_to is not None:
            return replace(self, case=None, is_repeated=False)
        return SingleTurn((self._unjudged() if self.is_repeated else self.played).with_verdict(judged))

    def restarted(self) -> SingleTurn:
        """Forget the turn."""
        return SingleTurn(Turn(self.rules))

    def _unjudged(self) -> Turn:
        """Return the turn before its last verdict, with `opened` as it is now."""
        return self.played.undone().with_opened(self.played.opened)

    def _now_or_later(self, button: str, snapshot: Snapshot) -> SingleTurn:
        return self._pressed(button, snapshot) if snapshot.settled else replace(self, waiting_to=button)

    def _pressed(self, button: str, snapshot: Snapshot) -> SingleTurn:
        reading = snapshot.reading
        if reading is None or not can_be_judged(reading):
            raise Refused(gettext("The table can't be read now; the page says why."))
        if button == BEGIN:
            return SingleTurn(self.played.begin(reading))
        return SingleTurn(self.played, button, self.played.case(reading, snapshot.reading_number))


@dataclass(frozen=True, slots=True)
class PhotoFolder:
    """Photos, each judged as a separate table; see `activity.Activity`."""

    played: Turn
    case: Case | None = None
    """The turn to be judged."""

    ticking = False
    waiting = False
    judges_photos = True
    fix = None
    game_night = None

    @property
    def rules(self) -> RuleSet:
        """The edition in play."""
        return self.played.rules

    @property
    def judged(self) -> Judged | None:
        """The verdict on the photo."""
        return self.played.judged

    @property
    def turn(self) -> TurnView:
        """The turn as pages show it: all tiles of the photo count as laid in one turn."""
        played = self.played
        waiting_to = None if self.case is None else DONE
        return TurnView(played.before is not None, Table(), played.opened, played.finished, False, waiting_to)

    def single_turn(self) -> SingleTurn:
        """Raise `Refused`: there is no single turn."""
        raise Refused(gettext("Each photo of a folder is judged by itself."))

    def for_source(self, kind: str) -> SingleTurn | PhotoFolder:
        """Return the activity for another kind of source."""
        return self if kind == PHOTOS else SingleTurn(Turn(self.rules))

    def start(self) -> None:
        """Return None: a photo has no table before it."""
        return

    def verdict_stands(self, snapshot: Snapshot) -> bool | None:
        """Return whether the verdict on the photo is sure; None without one."""
        judged = self.played.judged
        return judged.sure if judged is not None and judged.reading_number == snapshot.reading_number else None

    def table_read(self, snapshot: Snapshot, moment: Moment) -> PhotoFolder:
        """Leave the photo to be judged."""
        played = Turn(self.rules, before=EMPTY_TABLE, opened=True)
        reading = snapshot.reading
        if reading is not None and reading.tiles and can_be_judged(reading):
            return PhotoFolder(played, played.case(reading, snapshot.reading_number))
        return PhotoFolder(played)

    def reading_corrected(self, snapshot: Snapshot, moment: Moment, was: int | None = None) -> PhotoFolder:
        """Leave the photo to be judged again."""
        return self.table_read(snapshot, moment)

    def with_verdict(self, judged: Judged, snapshot: Snapshot, moment: Moment) -> PhotoFolder:
        """Show the verdict."""
        return PhotoFolder(self.played.with_verdict(judged))

    def restarted(self) -> PhotoFolder:
        """Forget the verdict."""
        return PhotoFolder(Turn(self.rules))
