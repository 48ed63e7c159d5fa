"""Plays an evening on the desk: takes actions one at a time, keeps each on the disk, and looks at the clock."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from tilekeeper.companion.adjudication.turn import Judged
from tilekeeper.companion.game_night.clock import Timer
from tilekeeper.companion.game_night.commands.failed_turn import fail, notice_table
from tilekeeper.companion.game_night.commands.turns import cancel, done, done_again, judged_by_camera
from tilekeeper.companion.game_night.fix import find_fix
from tilekeeper.companion.game_night.settings import Control
from tilekeeper.companion.game_night.state import Moment, Press, Seen, Why, live_json
from tilekeeper.companion.game_night.turn_start import put_start_right, start_is_wrong
from tilekeeper.companion.observation.judgeable import can_be_judged
from tilekeeper.companion.observation.observed_table import Laid, laid
from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.session.table_state import Desk
from tilekeeper.companion.session.utc import utc_now
from tilekeeper.companion.storage.pictures import Pictures
from tilekeeper.companion.storage.store import Kept, Store
from tilekeeper.companion.text.history import History, Item, standing_items
from tilekeeper.companion.web.schemas.game_night import EveningJson, OpeningJson
from tilekeeper.companion.web.schemas.table import FixJson, TurnJson, VerdictJson
from tilekeeper.companion.web.serializers.game_night import Frame, evening_json
from tilekeeper.companion.web.serializers.tiles import fix_json, melds_json
from tilekeeper.companion.web.serializers.verdict import verdict_json
from tilekeeper.engine.game.state import Phase
from tilekeeper.engine.judge.judge import judge
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.vision.tracking.motion_gate import State

log = logging.getLogger(__name__)

Action = Callable[[Moment, Press], Moment]

APP = "app"
# A table that does not come to rest for so long is still being played on: Done is called off.
LONGEST_WAIT_S = 10.0
# A legal table must lie untouched for so long before the app takes it for a turn that is done.
UNTOUCHED_S = 3.0
# A longer silence than this between two looks at the clock was sleep, of the laptop or of the process.
LONGEST_GAP_S = 5.0
SAVE_EVERY_S = 5.0


class EveningPlay:
    """An evening on the desk; see `tilekeeper.companion.session.activity.Play`."""

    def __init__(
        self,
        desk: Desk,
        store: Store,
        pictures: Pictures,
        kept: Kept,
        moment: Moment,
        steering: Callable[[], Sequence[str]],
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """Go on with an evening that is kept already.

        Args:
            desk: where it is played.
            store: where it is kept.
            pictures: where its pictures are kept.
            kept: how it lies on the disk.
            moment: the evening as it stands.
            steering: the tablets that may press buttons where not all may, by their ids.
            now: a monotonic clock, in seconds.
        """
        self._desk = desk
        self._store = store
        self._pictures = pictures
        self._kept = kept
        self._moment = moment
        self._steering = steering
        self._now = now
        self._history = History()
        self._fix: tuple[Judged, FixJson | None] | None = None
        self._said_warning: int | None = None
        self._since_s = now()  # since when the table lies as it lies, or Done has been waiting
        self._ticked_s = self._saved_s = now()
        self._think_of_fix()

    @property
    def kept(self) -> Kept:
        """The evening as it lies on the disk."""
        return self._kept

    @property
    def moment(self) -> Moment:
        """The evening as it stands."""
        return self._moment

    @property
    def rules(self) -> RuleSet:
        """The rules in play."""
        return self._moment.state.rules

    def history(self) -> tuple[Item, ...]:
        """Everything that happened, told."""
        with self._desk.changed:
            return self._history.items(self._moment.evening.records)

    def picture(self, name: str) -> bytes | None:
        """A picture of the history as JPEG, or None where there is none of that name."""
        return self._pictures.find(self._kept.id, name)

    def act(self, revision: int, action: Action, by: str = "") -> None:
        """Do what a page asks for.

        Args:
            revision: the revision of the evening that the page showed.
            action: what to do.
            by: the name of the tablet.

        Raises:
            Refused: if the evening has moved on since, or the action is not possible; nothing has changed then.
        """
        with self._desk.changed:
            if revision != self._kept.revision:
                raise Refused(
                    "The game has moved on since: look at the page again.", "stale", {"revision": self._kept.revision}
                )
            self._do(action, by)

    def tick(self) -> None:
        """Look at the clock; called several times a second."""
        with self._desk.changed:
            if self._desk.play is not self:
                return
            now_s = self._now()
            gap_s, self._ticked_s = now_s - self._ticked_s, now_s
            if gap_s > LONGEST_GAP_S:
                self._moment = replace(self._moment, clock=self._moment.clock.slept(gap_s))
            self._look_at_clock(now_s)
            self._look_at_table(now_s)
            if self._moment.clock.running and now_s - self._saved_s > SAVE_EVERY_S:
                self._save(self._moment, self._moment, self._kept)

    def save(self) -> None:
        """Keep what lives between two records, such as the clock."""
        with self._desk.changed:
            self._save(self._moment, self._moment, self._kept)

    # What the desk calls.

    def start(self) -> Laid | None:
        """The table at the start of the turn."""
        return self._moment.before() if self._moment.state.phase is Phase.TURNS else None

    def table_read(self) -> None:
        """Do what waits for the table to lie still."""
        self._since_s = self._now()
        if self._moment.waiting:
            self._do_if_possible(done, otherwise=cancel)
        elif self._moment.failing is not None:
            self._moment = notice_table(self._moment, self._press(APP))

    def tile_corrected(self, anew: bool = False) -> None:
        """Judge again where the verdict was on the table that lies there."""
        judged = self._moment.judged
        claim = self._moment.state.round is not None and self._moment.state.round.claim is not None
        about_this = judged is not None and (anew or judged.reading_number == self._desk.snapshot.reading_number)
        if self._moment.failing is None and judged is not None and about_this and (not judged.sure or claim):
            self._do_if_possible(done_again)
        elif start_is_wrong(self._moment, self._press(APP)):
            self._do_if_possible(put_start_right)

    def start_over(self) -> None:
        """What is watched has nothing to do with the evening."""

    @property
    def judged_this(self) -> bool | None:
        """Whether the verdict on the table as it lies is sure, or the turn starts from it; None where there is none."""
        judged, snapshot, play = self._moment.judged, self._desk.snapshot, self._moment.state.round
        if judged is not None and judged.reading_number == snapshot.reading_number:
            return judged.sure
        if self._moment.state.phase is Phase.TURNS and play is not None and snapshot.reading is not None:
            return True if laid(snapshot.reading).table == play.table else None
        return None

    @property
    def ticking(self) -> bool:
        """Whether the clock runs."""
        return self._moment.clock.running

    @property
    def waits(self) -> bool:
        """Whether Done waits for the table to lie still."""
        return self._moment.waiting

    def turn_json(self) -> TurnJson:
        """The turn, in the words of a turn without an evening."""
        state, play = self._moment.state, self._moment.state.round
        playing = state.phase is Phase.TURNS and play is not None
        return {
            "begun": playing,
            "before": melds_json(play.table) if playing and play is not None else [],
            "opened": playing and play is not None and play.seats[play.turn].opened,
            "finished": 0 if play is None else len(play.turns),
            "can_undo": self._moment.evening.steps_back > 0,
            "waiting_to": "done" if self._moment.waiting else None,
        }

    def verdict_json(self) -> VerdictJson | None:
        """The last verdict."""
        judged, snapshot = self._moment.judged, self._desk.snapshot
        if judged is None:
            return None
        fix = self._fix[1] if self._fix is not None and self._fix[0] is judged else None
        return verdict_json(judged, snapshot.reading, snapshot.reading_number, photos=False, fix=fix)

    def evening_json(self) -> EveningJson:
        """The evening."""
        items = self._history.items(self._moment.evening.records)
        last = [item.text for item in standing_items(items, self._moment.evening.records)][-1]
        steering = list(self._steering()) if self._moment.settings.control is Control.HOST else None
        frame = Frame(self._kept.id, self._kept.revision, last, self._opening(), steering)
        return evening_json(self._moment, self._press(""), frame)

    # Below: called with the lock held.

    def _do(self, action: Action, by: str) -> None:
        press = self._press(by)
        after = action(self._moment, press)
        snapshot = self._desk.snapshot
        if press.picture is not None and snapshot.picture is not None and after.evening is not self._moment.evening:
            self._pictures.keep(self._kept.id, press.picture, snapshot.picture.jpeg)
        kept = replace(self._kept, revision=self._kept.revision + 1, changed_at=press.at)
        self._save(self._moment, after, kept)
        self._moment, self._since_s = after, self._now()
        self._think_of_fix()
        self._desk.tell()

    def _do_if_possible(self, action: Action, otherwise: Action | None = None) -> None:
        try:
            self._do(action, APP)
        except Refused as why:
            log.info("The app could not go on by itself: %s", why)
            if otherwise is not None:
                self._do(otherwise, APP)

    def _save(self, before: Moment, after: Moment, kept: Kept) -> None:
        kept = replace(
            kept,
            over=after.state.phase is Phase.OVER,
            people=after.evening.people,
            settings=after.settings.as_json(),
            live=live_json(after, self._now()),
        )
        self._saved_s = self._now()  # also where it fails: a full disk is tried again, but not five times a second
        first = len(before.evening.records)
        self._store.save(kept, first, after.evening.records[first:])
        self._kept = kept

    def _press(self, by: str) -> Press:
        snapshot = self._desk.snapshot
        seen = None
        if snapshot.reading is not None:
            seen = Seen(snapshot.reading, snapshot.reading_number, snapshot.settled)
        shows = snapshot.picture is not None and not snapshot.trouble
        return Press(
            now_s=self._now(),
            at=utc_now(),
            by=by,
            seen=seen,
            trouble=snapshot.trouble,
            picture=f"{self._moment.evening.last_step + 1:05d}" if shows else None,
        )

    def _look_at_clock(self, now_s: float) -> None:
        moment = self._moment
        left_s = moment.clock.left(now_s) if moment.clock.running else None
        if left_s is None or moment.state.phase is not Phase.TURNS:
            self._said_warning = None
            return
        if left_s <= 0 and moment.settings.timer is Timer.STRICT:
            self._do(lambda moment, press: notice_table(fail(moment, press, Why.TIME_UP, None), press), APP)
            return
        warning = 0 if left_s <= 0 else moment.clock.warning(now_s)
        if warning != self._said_warning:
            self._said_warning = warning
            self._desk.tell()

    def _look_at_table(self, now_s: float) -> None:
        moment, snapshot = self._moment, self._desk.snapshot
        waited_s = now_s - self._since_s
        if moment.waiting and waited_s > LONGEST_WAIT_S:
            self._do(cancel, APP)
        elif moment.settings.notices_done and snapshot.settled and waited_s > UNTOUCHED_S and self._looks_done():
            self._do_if_possible(done)

    def _looks_done(self) -> bool:
        moment, reading = self._moment, self._desk.snapshot.reading
        if moment.state.phase is not Phase.TURNS or moment.failing is not None or moment.waiting:
            return False
        if reading is None or not can_be_judged(reading) or not moment.clock.running:
            return False
        if self._desk.snapshot.state == State.HIDDEN.value:
            return False  # a hand that rests on the table is not gone
        judged = judged_by_camera(moment, self._press(APP))
        return judged.sure and judged.weighed.verdict.legal

    def _opening(self) -> OpeningJson | None:
        moment, snapshot = self._moment, self._desk.snapshot
        if moment.state.phase is not Phase.TURNS or snapshot.reading is None or not can_be_judged(snapshot.reading):
            return None
        needed = moment.state.rules.opening.minimum_points
        if moment.context().opened or not needed:
            return None
        points = judge(moment.round.table, laid(snapshot.reading).table, moment.context()).points or 0
        return {"points": points, "needed": needed, "enough": points >= needed}

    def _think_of_fix(self) -> None:
        """Look for the smallest fix of a wrong layout beside everything else: the verdict does not wait for it."""
        judged = self._moment.judged
        if judged is None or not judged.weighed.certain or (self._fix is not None and self._fix[0] is judged):
            return
        context = self._moment.context()

        def think() -> None:
            fix = find_fix(judged.before.table, judged.weighed.laid.table, context)
            with self._desk.changed:
                if self._moment.judged is judged:
                    self._fix = (judged, None if fix is None else fix_json(fix, judged.weighed.laid.rows))
                    self._desk.tell()

        threading.Thread(target=think, name="fix", daemon=True).start()
