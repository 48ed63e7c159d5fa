"""The whole state that a page shows, and the answer to a refused request."""

from collections.abc import Sequence
from typing import Self

from tilekeeper.companion.session.activity import Activity
from tilekeeper.companion.session.snapshot import Moment, Snapshot
from tilekeeper.companion.session.table_state import TableState
from tilekeeper.companion.web.schemas.answer import Answer
from tilekeeper.companion.web.schemas.game_night import EveningJson
from tilekeeper.companion.web.schemas.table import (
    HallJson,
    PictureJson,
    ReadingJson,
    SourceJson,
    StorageJson,
    TurnJson,
)
from tilekeeper.companion.web.schemas.verdict import VerdictJson


class StateJson(Answer):
    """The whole state that a page shows; the stream `/events` sends the same."""

    version: int
    """The number of the state; it increases with each change, also with each new picture."""
    boot: str
    """A random word for this start of the app; if it changes, versions count from the beginning again."""
    rules: str
    """The key of the edition in play."""
    source: SourceJson
    storage: StorageJson
    hall: HallJson | None
    """The link to the table's hall; null for a table without a hall."""
    picture: PictureJson | None
    settled: bool
    """Whether nothing moves, so that the reading fits the current picture."""
    frame: str | None
    """The state of the newest frame: `still`, `moving`, `hidden` (something covers a part of the table) or `lost` (the
    whole picture moves); null before the first frame, and for photos."""
    reading: ReadingJson | None
    turn: TurnJson
    verdict: VerdictJson | None
    evening: EveningJson | None
    """The game night in progress; null if there is none."""

    @classmethod
    def from_state(
        cls,
        state: TableState,
        moment: Moment,
        steering: Sequence[str],
        storage: StorageJson,
        hall: HallJson | None,
        boot: str,
    ) -> Self:
        """Return the whole state.

        Args:
            state: the state of the table.
            moment: the current time.
            steering: the ids of the tablets that may press buttons if not all may.
            storage: the state of the storage of game nights.
            hall: the link to the hall; None for a table without a hall.
            boot: the random word of this start of the app.
        """
        snapshot, activity = state.snapshot, state.activity
        return cls(
            version=state.version,
            boot=boot,
            rules=activity.rules.name,
            source=SourceJson.from_source(state.source, snapshot),
            storage=storage,
            hall=hall,
            picture=PictureJson.from_snapshot(snapshot),
            settled=snapshot.settled,
            frame=snapshot.state or None,
            reading=ReadingJson.from_snapshot(snapshot),
            turn=TurnJson.from_turn(activity.turn),
            verdict=_verdict(activity, snapshot),
            evening=EveningJson.from_state(state, moment, steering),
        )


def _verdict(activity: Activity, snapshot: Snapshot) -> VerdictJson | None:
    if activity.judged is None:
        return None
    return VerdictJson.from_judged(
        activity.judged, snapshot.reading, snapshot.reading_number, photos=activity.judges_photos, fix=activity.fix
    )


class ErrorJson(Answer):
    """A refusal; nothing has changed."""

    error: str
    """The reason, in one line to show."""
    code: str
    """The kind of refusal, for scripts: `stale`, `not-now`, `bad-input`, `bad-name`, `bad-table`, `table-differs`,
    `doubtful-tiles`, `impossible-tiles`, `no-picture`, `moving`, `failing`, `reason`, `no-control`, `racks`,
    `join-first`, `too-large`, `not-found`, `other-site`, `not-encrypted`, `disk`."""
    details: dict[str, object]
    """What a page needs to offer a solution; the fields depend on `code`."""
