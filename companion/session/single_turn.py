"""A single turn without a game night around it (begin, done, undo), and photos of a folder, judged as they lie."""

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
"""The kind of source whose every picture is a table of its own."""


def without_game_night(rules: RuleSet, source_kind: str) -> SingleTurn | PhotoFolder:
    """Return what the app does with a source while no game night is played."""
    return PhotoFolder(Turn(rules)) if source_kind == PHOTOS else SingleTurn(Turn(rules))


@dataclass(frozen=True, slots=True)
class SingleTurn:
    """One turn after another, of which somebody says where the first begins; see `activity.Activity`."""

    played: Turn
    waiting_to: str | None = None
    """The button that waits for the table to lie still or for the verdict, `begin` or `done`."""
    case: Case | None = None
    """What is to be judged."""
    again: bool = False
    """Whether that was judged before, so that the verdict takes the place of the last one."""

    ticking = False
    judges_photos = False
    fix = None
    game_night = None

    # The buttons of the page.

    def begin(self, snapshot: Snapshot) -> SingleTurn:
        """Take the table as the beginning of a turn; as soon as it lies still, where it does not."""
        return self._now_or_later(BEGIN, snapshot)

    def done(self, snapshot: Snapshot) -> SingleTurn:
        """Judge the turn; as soon as the table lies still, where it does not.

        Raises:
            Refused: where nobody has said yet where the turn begins, or the table can't be read.
        """
        if self.played.before is None:
            raise Refused(gettext("First choose the table to start from."))
        return self._now_or_later(DONE, snapshot)

    def cancelled(self) -> SingleTurn:
        """Forget a button that waits for the table to lie still."""
        return SingleTurn(self.played)

    def undone(self) -> SingleTurn:
        """Take back the last Done or beginning.

        Raises:
            Refused: where there is nothing to take back.
        """
        if not self.played.past:
            raise Refused(gettext("There is nothing to undo."))
        return SingleTurn(self.played.undone())

    def with_opened(self, opened: bool) -> SingleTurn:
        """Say whether the player has opened in an earlier turn."""
        return replace(self, played=self.played.with_opened(opened))

    # What every activity has.

    @property
    def rules(self) -> RuleSet:
        """The edition in play."""
        return self.played.rules

    @property
    def waiting(self) -> bool:
        """Whether a button waits for the table to lie still, or for the verdict."""
        return self.waiting_to is not None

    @property
    def judged(self) -> Judged | None:
        """The last verdict."""
        return self.played.judged

    @property
    def turn(self) -> TurnView:
        """The turn as the page shows it."""
        played = self.played
        before = Table() if played.before is None else played.before.table
        return TurnView(
            played.before is not None, before, played.opened, played.finished, bool(played.past), self.waiting_to
        )

    def single_turn(self) -> SingleTurn:
        """Return this one."""
        return self

    def for_source(self, kind: str) -> SingleTurn | PhotoFolder:
        """Return what follows when another source is watched."""
        return PhotoFolder(Turn(self.rules)) if kind == PHOTOS else self

    def start(self) -> ObservedTable | None:
        """Return the table at the start of the turn."""
        return self.played.before

    def verdict_stands(self, snapshot: Snapshot) -> bool | None:
        """Return whether the verdict on the table as it lies is sure; None where there is none."""
        judged = self.played.judged
        return judged.sure if judged is not None and judged.reading_number == snapshot.reading_number else None

    def table_read(self, snapshot: Snapshot, moment: Moment) -> SingleTurn:
        """Do what waited for the table to lie still."""
        if self.waiting_to is None or self.case is not None:
            return self
        if snapshot.reading is None or not can_be_judged(snapshot.reading):
            return self
        return self._pressed(self.waiting_to, snapshot)

    def reading_corrected(self, snapshot: Snapshot, moment: Moment, was: int | None = None) -> SingleTurn:
        """Judge again where the verdict turned on the tile, or was on the same table as it was read before."""
        reading, judged = snapshot.reading, self.played.judged
        being_judged = self.case is not None and self.case.reading_number in (was, snapshot.reading_number)
        was_judged = was is not None and judged is not None and judged.reading_number == was
        turns_on_it = was_judged or self.verdict_stands(snapshot) is False
        if not (turns_on_it or being_judged) or reading is None or not can_be_judged(reading):
            return self
        again = self.again or not being_judged
        case = (self._unjudged() if again else self.played).case(reading, snapshot.reading_number)
        return replace(self, case=case, again=again)

    def with_verdict(self, judged: Judged, snapshot: Snapshot, moment: Moment) -> SingleTurn:
        """Go on to the next turn or stay with this one; wait where something covers what the verdict turns on."""
        if judged.weighed.waits and self.waiting_to is not None:
            return replace(self, case=None, again=False)
        return SingleTurn((self._unjudged() if self.again else self.played).with_verdict(judged))

    def restarted(self) -> SingleTurn:
        """Forget the turn."""
        return SingleTurn(Turn(self.rules))

    def _unjudged(self) -> Turn:
        """Return the turn as it was before its last verdict, with what was said of the opening since."""
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
    """Photos, each a table that is judged as it lies; see `activity.Activity`."""

    played: Turn
    case: Case | None = None
    """What is to be judged."""

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
        """The turn as the page shows it: all tiles of the photo are taken as laid in one."""
        played = self.played
        waiting_to = None if self.case is None else DONE
        return TurnView(played.before is not None, Table(), played.opened, played.finished, False, waiting_to)

    def single_turn(self) -> SingleTurn:
        """Raise `Refused`: there is none."""
        raise Refused(gettext("Each photo of a folder is checked on its own."))

    def for_source(self, kind: str) -> SingleTurn | PhotoFolder:
        """Return what follows when another source is watched."""
        return self if kind == PHOTOS else SingleTurn(Turn(self.rules))

    def start(self) -> None:
        """Return None: there is no table before that of a photo."""
        return

    def verdict_stands(self, snapshot: Snapshot) -> bool | None:
        """Return whether the verdict on the photo is sure; None where there is none."""
        judged = self.played.judged
        return judged.sure if judged is not None and judged.reading_number == snapshot.reading_number else None

    def table_read(self, snapshot: Snapshot, moment: Moment) -> PhotoFolder:
        """Take the photo to be judged."""
        played = Turn(self.rules, before=EMPTY_TABLE, opened=True)
        reading = snapshot.reading
        if reading is not None and reading.tiles and can_be_judged(reading):
            return PhotoFolder(played, played.case(reading, snapshot.reading_number))
        return PhotoFolder(played)

    def reading_corrected(self, snapshot: Snapshot, moment: Moment, was: int | None = None) -> PhotoFolder:
        """Take the photo to be judged again."""
        return self.table_read(snapshot, moment)

    def with_verdict(self, judged: Judged, snapshot: Snapshot, moment: Moment) -> PhotoFolder:
        """Show the verdict."""
        return PhotoFolder(self.played.with_verdict(judged))

    def restarted(self) -> PhotoFolder:
        """Forget the verdict."""
        return PhotoFolder(Turn(self.rules))
