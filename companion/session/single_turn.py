"""Plays a single turn without an evening around it: begin, done, undo; photos of a folder are judged as they lie."""

from tilekeeper.companion.adjudication.turn import Turn
from tilekeeper.companion.observation.judgeable import can_be_judged
from tilekeeper.companion.observation.observed_table import NOTHING_LAID, Laid
from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.session.table_state import Desk
from tilekeeper.companion.web.schemas.table import TurnJson, VerdictJson
from tilekeeper.companion.web.serializers.tiles import tile_json
from tilekeeper.companion.web.serializers.verdict import verdict_json
from tilekeeper.engine.rules.ruleset import RuleSet


class SingleTurn:
    """The turn at the table and the buttons for it; see `tilekeeper.companion.session.activity.Play`."""

    ticking = False

    def __init__(self, desk: Desk, rules: RuleSet) -> None:
        """Begin with no turn begun."""
        self._desk = desk
        self.rules = rules
        self._turn = Turn(rules)
        self._waiting_to: str | None = None

    # What the pages ask for.

    def begin(self) -> None:
        """Take the table as it lies now as the beginning of a turn; once it lies still, where it does not."""
        self._press("begin")

    def done(self) -> None:
        """Judge the turn on the table as it lies now; once it lies still, where it does not.

        Raises:
            Refused: where the turn has no beginning yet.
        """
        with self._desk.changed:
            if self._turn.before is None:
                raise Refused("First say from which table to start.")
            self._press("done")

    def cancel(self) -> None:
        """Forget a button that waits for the table to lie still."""
        with self._desk.changed:
            self._waiting_to = None
            self._desk.tell()

    def undo(self) -> None:
        """Take back the last Done or beginning.

        Raises:
            Refused: where there is nothing to take back.
        """
        with self._desk.changed:
            if not self._turn.past:
                raise Refused("There is nothing to take back.")
            self._turn = self._turn.undone()
            self._waiting_to = None
            self._desk.tell()

    def set_opened(self, opened: bool) -> None:
        """Say whether the player has opened in an earlier turn."""
        with self._desk.changed:
            self._turn = self._turn.with_opened(opened)
            self._desk.tell()

    # What the desk calls, with the lock held.

    def start(self) -> Laid | None:
        """The table at the start of the turn."""
        return self._turn.before

    def table_read(self) -> None:
        """Judge a photo as it lies; do what was asked for as soon as a table lies still."""
        reading = self._desk.snapshot.reading
        if self._photos:
            self._judge_as_it_lies()
        elif self._waiting_to is not None and reading is not None and can_be_judged(reading):
            self._do(self._waiting_to)

    def tile_corrected(self, anew: bool = False) -> None:
        """Judge again where a verdict turned on the tile."""
        snapshot = self._desk.snapshot
        if self._photos:
            self._judge_as_it_lies()
        elif (anew or self.judged_this is False) and snapshot.reading is not None and can_be_judged(snapshot.reading):
            self._turn = self._turn.undone().done(snapshot.reading, snapshot.reading_number)

    def start_over(self) -> None:
        """Forget the turn."""
        self._turn = Turn(self.rules)
        self._waiting_to = None

    @property
    def judged_this(self) -> bool | None:
        """Whether the verdict on the table as it lies is sure; None where there is none."""
        judged = self._turn.judged
        there = judged is not None and judged.reading_number == self._desk.snapshot.reading_number
        return judged.sure if judged is not None and there else None

    @property
    def waits(self) -> bool:
        """Whether a button waits for the table to lie still."""
        return self._waiting_to is not None

    def turn_json(self) -> TurnJson:
        """The turn, for the page."""
        turn = self._turn
        melds = () if turn.before is None or self._photos else turn.before.table.melds
        return {
            "begun": turn.before is not None,
            "before": [[tile_json(tile) for tile in meld] for meld in melds],
            "opened": turn.opened,
            "finished": turn.finished,
            "can_undo": bool(turn.past) and not self._photos,
            "waiting_to": self._waiting_to,
        }

    def verdict_json(self) -> VerdictJson | None:
        """The last verdict, for the page."""
        snapshot, judged = self._desk.snapshot, self._turn.judged
        return None if judged is None else verdict_json(judged, snapshot.reading, snapshot.reading_number, self._photos)

    def evening_json(self) -> None:
        """There is none."""
        return

    @property
    def _photos(self) -> bool:
        return self._desk.watching.kind == "photos"

    def _press(self, what: str) -> None:
        with self._desk.changed:
            if self._photos:
                raise Refused("Each photo of a folder is judged by itself.")
            if self._desk.snapshot.settled:
                self._do(what)
            else:
                self._waiting_to = what
            self._desk.tell()

    def _do(self, what: str) -> None:
        self._waiting_to = None
        snapshot = self._desk.snapshot
        if snapshot.reading is None or not can_be_judged(snapshot.reading):
            raise Refused("The table can't be read now; the page says why.")
        if what == "begin":
            self._turn = self._turn.begin(snapshot.reading)
            return
        judged = self._turn.done(snapshot.reading, snapshot.reading_number)
        if judged.judged is not None and judged.judged.weighed.waits:
            self._waiting_to = what  # something covers what the verdict turns on
        else:
            self._turn = judged

    def _judge_as_it_lies(self) -> None:
        snapshot = self._desk.snapshot
        reading = snapshot.reading
        self._turn = Turn(self.rules, before=NOTHING_LAID, opened=True)
        if reading is not None and reading.tiles and can_be_judged(reading):
            self._turn = self._turn.done(reading, snapshot.reading_number)
