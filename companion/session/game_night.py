"""The activity "game night": its state and revision, and what it does with each reading of the camera."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from tilekeeper.companion.adjudication.turn import Case, Judged
from tilekeeper.companion.game_night.commands.failed_turn import with_observed_table
from tilekeeper.companion.game_night.commands.turns import Cancel, Done, give_verdict, judge_again
from tilekeeper.companion.game_night.own_phone import record_handed_in
from tilekeeper.companion.game_night.player_names import APP
from tilekeeper.companion.game_night.settings import ControllingTablets
from tilekeeper.companion.game_night.state import GameNightState, Observation, Press, expect_going_on
from tilekeeper.companion.game_night.turn_start import start_needs_correction, with_corrected_start
from tilekeeper.companion.observation.observed_table import ObservedTable, table_and_rows
from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.session.snapshot import Moment, Snapshot
from tilekeeper.companion.session.turn_view import DONE, TurnView
from tilekeeper.engine.game.state import Phase
from tilekeeper.engine.language import gettext
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.solver.arrange import Arrangement
from tilekeeper.engine.tiles.table import Table

log = logging.getLogger(__name__)

Action = Callable[[GameNightState, Press], GameNightState]
"""The effect of a button, `GameNightAction.apply`, or of an action of the app itself."""


@dataclass(frozen=True, slots=True)
class OpeningCount:
    """The counted opening points of a turn; `before` and `after` are the tables at its start and its end."""

    before: Table
    after: Table
    points: int


@dataclass(frozen=True, slots=True)
class FoundFix:
    """A fix of an illegal table: moves that make the turn legal."""

    judged: Judged
    arrangement: Arrangement
    """The table after the fix, and the moves to it."""
    improving: bool
    """Whether the search for a fix with fewer moves continues."""


@dataclass(frozen=True, slots=True)
class GameNight:
    """The `Activity` of a game night in progress, as an immutable value."""

    id: str
    begun_at: str
    """When the game night began, as `Moment.utc`."""
    changed_at: str
    revision: int
    """Counts the actions, from 1; with every action a page sends the revision that it shows."""
    state: GameNightState
    since_s: float
    """The time of the last change of the table or press of Done, in seconds of the monotonic clock."""
    found_fix: FoundFix | None = None
    """The smallest fix that was found for the last illegal table; it may be outdated, so use `fix`."""
    opening: OpeningCount | None = None
    """The last count of opening points; it may be outdated, so use `opening_count`."""
    demo: bool = False
    """Whether it is the demo game, which is not stored."""

    judges_photos = False

    def expect_revision(self, revision: int) -> None:
        """Raise `Refused` if `revision`, which a page has sent, is not the current one."""
        if revision != self.revision:
            raise Refused(
                gettext("The game has moved on. Look at the page again."), "stale", {"revision": self.revision}
            )

    def after(self, action: Action, snapshot: Snapshot, moment: Moment, by: str, *, ordered: bool = False) -> GameNight:
        """Return the game night after an action.

        Args:
            action: computes the new state; the effect of a button, or an action of the hall or the app.
            snapshot: the current picture and reading.
            moment: the time of the action.
            by: the name of the tablet, or `APP`.
            ordered: whether the hall sent the action, which is then possible also while the table is halted.

        Raises:
            Refused: if the action is not possible.
        """
        press = self.press(snapshot, moment, by)
        state = record_handed_in(self.state, action(self.state, press), press)
        if not ordered:
            state = expect_going_on(self.state, state)
        elif state.halt is not None:
            state = replace(state, clock=state.clock.stopped(moment.now_s))
        return replace(self, state=state, revision=self.revision + 1, changed_at=moment.utc, since_s=moment.now_s)

    def press(self, snapshot: Snapshot, moment: Moment, by: str) -> Press:
        """Return the `Press` of an action: its author and time, and the camera's reading and picture."""
        observation = None
        if snapshot.reading is not None:
            observation = Observation(snapshot.reading, snapshot.reading_number, snapshot.settled)
        shows = snapshot.picture is not None and not snapshot.trouble and not self.demo
        return Press(
            now_s=moment.now_s,
            at=moment.utc,
            by=by,
            observation=observation,
            trouble=snapshot.trouble,
            picture=f"{self.state.recorded.last_step + 1:05d}" if shows else None,
        )

    @property
    def racks_stand(self) -> bool:
        """Whether racks may stand at the table: from the phase of the deal until the result of the round is shown."""
        phase = self.state.state.phase
        return not self.demo and phase not in (Phase.STARTER, Phase.OVER) and not self.state.shows_result

    def has_ended_round_of(self, earlier: GameNight) -> bool:
        """Return whether the round of `earlier` was scored since then, or the game has ended.

        `earlier` is an earlier state of this game night; for another game night the result is False.
        """
        if self.id != earlier.id:
            return False
        state, earlier_state = self.state.state, earlier.state.state
        return state.phase is Phase.OVER or len(state.sheet.rounds) > len(earlier_state.sheet.rounds)

    @property
    def all_tablets_control(self) -> bool:
        """Whether every tablet may press buttons, not only the host's."""
        return self.state.settings.control is ControllingTablets.ALL

    @property
    def opens(self) -> bool:
        """Whether the player in turn must still open, with a minimum of points."""
        state = self.state
        if state.state.phase is not Phase.TURNS:
            return False
        return bool(state.state.rules.opening.minimum_points) and not state.context().opened

    def opening_count(self, table: Table) -> OpeningCount | None:
        """Return the counted opening points of this turn if it ended with `table`; None if they are not counted yet."""
        count = self.opening
        return count if count is not None and (count.before, count.after) == (self.state.round.table, table) else None

    # The interface of every activity.

    @property
    def rules(self) -> RuleSet:
        """The edition in play, with house rules."""
        return self.state.state.rules

    @property
    def waiting(self) -> bool:
        """Whether Done was pressed and there is no verdict yet."""
        return self.state.waiting

    @property
    def case(self) -> Case | None:
        """The turn to be judged; None if there is none."""
        return None if self.state.judging is None else self.state.judging.case

    @property
    def ticking(self) -> bool:
        """Whether the clock runs."""
        return self.state.clock.running

    @property
    def judged(self) -> Judged | None:
        """The last verdict; None if there is none to show."""
        return self.state.judged

    @property
    def fix(self) -> FoundFix | None:
        """The smallest fix found so far for the table that the last verdict calls illegal; None if none is known."""
        fix = self.found_fix
        return fix if fix is not None and fix.judged is self.state.judged else None

    @property
    def game_night(self) -> GameNight:
        """This game night."""
        return self

    @property
    def turn(self) -> TurnView:
        """The current turn in the form that pages show."""
        state, play = self.state.state, self.state.state.round
        playing = state.phase is Phase.TURNS and play is not None
        return TurnView(
            begun=playing,
            before=play.table if playing and play is not None else Table(),
            opened=playing and play is not None and play.seats[play.turn].opened,
            finished=0 if play is None else len(play.turns),
            can_undo=self.state.recorded.steps_back > 0,
            waiting_to=DONE if self.state.waiting else None,
        )

    def for_source(self, kind: str) -> GameNight:
        """Return this game night, which continues when the source changes."""
        return self

    def start(self) -> ObservedTable | None:
        """Return the table at the start of the turn; None between turns."""
        return self.state.before() if self.state.state.phase is Phase.TURNS else None

    def verdict_stands(self, snapshot: Snapshot) -> bool | None:
        """Return whether the verdict on the snapshot's reading is sure; None if there is no verdict on that reading.

        True also if the table is the same as at the start of the turn, since it needs no verdict then.
        """
        judged, play = self.state.judged, self.state.state.round
        if judged is not None and judged.reading_number == snapshot.reading_number:
            return judged.sure
        if self.state.state.phase is Phase.TURNS and play is not None and snapshot.reading is not None:
            return True if table_and_rows(snapshot.reading)[0] == play.table else None
        return None

    def table_read(self, snapshot: Snapshot, moment: Moment) -> GameNight:
        """Return the game night after a new reading: a waiting Done is judged, or a failed turn gets its table."""
        night = replace(self, since_s=moment.now_s)
        if night.case is not None:
            return night  # The table of the earlier reading is being judged.
        if night.state.waiting:
            return night._act_if_possible(Done().apply, snapshot, moment, otherwise=Cancel().apply)
        if night.state.failing is not None:
            press = night.press(snapshot, moment, APP)
            return replace(night, state=with_observed_table(night.state, press))
        return night

    def reading_corrected(self, snapshot: Snapshot, moment: Moment, was: int | None = None) -> GameNight:
        """Return the game night after a correction of the reading, whose number was `was` before.

        The turn is judged again if its verdict depended on the reading; else a correction of its start is recorded.
        """
        state, judged = self.state, self.state.judged
        numbers = (was, snapshot.reading_number)
        claim = state.state.round is not None and state.state.round.claim is not None
        about_this = judged is not None and judged.reading_number in numbers
        turns_on_it = judged is not None and about_this and (not judged.sure or claim or state.exceeded)
        being_judged = self.case is not None and self.case.reading_number in numbers
        if state.failing is None and (turns_on_it or being_judged):
            return self._act_if_possible(judge_again, snapshot, moment)
        if start_needs_correction(state, self.press(snapshot, moment, APP)):
            return self._act_if_possible(with_corrected_start, snapshot, moment)
        return self

    def with_verdict(self, judged: Judged, snapshot: Snapshot, moment: Moment) -> GameNight:
        """Return the game night after the verdict `judged` on its `case`."""
        assert self.state.judging is not None  # its case was judged
        return self.after(partial(give_verdict, judged=judged), snapshot, moment, self.state.judging.by)

    def restarted(self) -> GameNight:
        """Return this game night, which does not depend on the source."""
        return self

    def _act_if_possible(
        self, action: Action, snapshot: Snapshot, moment: Moment, otherwise: Action | None = None
    ) -> GameNight:
        try:
            return self.after(action, snapshot, moment, APP)
        except Refused as why:
            log.info("The app could not go on by itself: %s", why)
            return self if otherwise is None else self.after(otherwise, snapshot, moment, APP)
