"""Commands of the camera's thread, as values: new readings of the table, photos, another source."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tilekeeper.companion.capture.encoding import Picture
from tilekeeper.companion.observation.annotations import Annotations
from tilekeeper.companion.observation.groupings import grouped_as_before
from tilekeeper.companion.observation.observed_table import inks_of
from tilekeeper.companion.observation.reading_diff import if_unchanged, visible_doubts
from tilekeeper.companion.session.snapshot import Moment, Snapshot, WatchedSource
from tilekeeper.companion.session.table_state import TableState
from tilekeeper.vision.types import TableReading


@dataclass(frozen=True, slots=True)
class TableRead:
    """The table has settled and was read.

    Attributes:
        picture: the picture for the pages.
        reading: the tracker's reading of the table.
        frame_state: as `Snapshot.state`.
    """

    picture: Picture
    reading: TableReading
    frame_state: str

    def apply(self, state: TableState, moment: Moment) -> TableState:
        """Return the state with the reading; an action that waited for a settled table, such as Done, is taken.

        The reading gets a new number only if the table has changed, so that a verdict on an unchanged table stands.
        """
        before = state.snapshot
        state, reading = _annotate(state, self.reading)
        same = if_unchanged(before.reading, reading)
        number = before.reading_number + (same is None)
        snapshot = Snapshot(self.picture, same or reading, number, settled=True, state=self.frame_state)
        activity = state.activity.table_read(snapshot, moment)
        return _judge_again(replace(state, snapshot=snapshot, activity=activity), before.reading, same, moment)


@dataclass(frozen=True, slots=True)
class ReadingImproved:
    """Another frame of an unchanged table has improved its reading."""

    reading: TableReading

    def apply(self, state: TableState, moment: Moment) -> TableState:
        """Return the state with the better reading."""
        before = state.snapshot
        annotated, reading = _annotate(state, self.reading)
        same = if_unchanged(before.reading, reading)
        if same is not None and before.reading is not None and visible_doubts(before.reading) == visible_doubts(same):
            return replace(annotated, snapshot=replace(before, reading=same))
        number = before.reading_number + (same is None)
        snapshot = replace(before, reading=same or reading, reading_number=number)
        activity = annotated.activity
        if same is None:
            activity = activity.table_read(snapshot, moment)
            activity = activity.reading_corrected(snapshot, moment, before.reading_number)
        return _judge_again(replace(annotated, snapshot=snapshot, activity=activity), before.reading, same, moment)


@dataclass(frozen=True, slots=True)
class PhotoRead:
    """A photo of a folder was read; each photo is a separate table."""

    picture: Picture
    reading: TableReading

    def apply(self, state: TableState, moment: Moment) -> TableState:
        """Return the state with the photo, which is judged if no game night is played."""
        snapshot = Snapshot(self.picture, self.reading, state.snapshot.reading_number + 1, settled=True)
        activity = state.activity.table_read(snapshot, moment)
        return replace(state, snapshot=snapshot, annotations=Annotations(), activity=activity)


@dataclass(frozen=True, slots=True)
class PhotoUnreadable:
    """A photo of a folder can't be opened; `why` is the reason, in one line for the page."""

    why: str

    def apply(self, state: TableState, moment: Moment) -> TableState:
        """Return the state without a picture."""
        snapshot = Snapshot(reading_number=state.snapshot.reading_number, trouble=self.why)
        return replace(state, snapshot=snapshot, activity=state.activity.restarted())


@dataclass(frozen=True, slots=True)
class PhotoRequested:
    """A person chose the photo with this index (from 0) in the folder; the watcher reads it a moment later."""

    index: int

    def apply(self, state: TableState, moment: Moment) -> TableState:
        """Return the state with the index of the chosen photo, not settled until that photo is read."""
        snapshot = replace(state.snapshot, settled=False)
        return replace(state, source=replace(state.source, index=self.index), snapshot=snapshot)


@dataclass(frozen=True, slots=True)
class RecordingRestarted:
    """A recording starts again from its first frame."""

    def apply(self, state: TableState, moment: Moment) -> TableState:
        """Return the state without people's corrections of tiles; without a game night, also without the verdict."""
        return replace(state, annotations=Annotations(), activity=state.activity.restarted())


@dataclass(frozen=True, slots=True)
class SourceChanged:
    """The app has changed to another source."""

    source: WatchedSource

    def apply(self, state: TableState, moment: Moment) -> TableState:
        """Return the state with the new source, without picture, reading and people's corrections."""
        return replace(
            state,
            source=self.source,
            snapshot=Snapshot(reading_number=state.snapshot.reading_number),
            annotations=Annotations(),
            activity=state.activity.for_source(self.source.kind),
        )


def _annotate(state: TableState, reading: TableReading) -> tuple[TableState, TableReading]:
    """Apply people's corrections to a reading; return the state with those that still apply, and the reading."""
    annotations = state.annotations.updated_by(reading, inks_of(state.activity.rules))
    reading = annotations.applied_to(reading)
    start = state.activity.start()
    if start is not None:
        # Corrections are applied again, since `grouped_as_before` may have changed melds that a person chose.
        reading = annotations.applied_to(grouped_as_before(start, reading))
    return replace(state, annotations=annotations), reading


def _judge_again(
    state: TableState, before: TableReading | None, same: TableReading | None, moment: Moment
) -> TableState:
    """Return the state with the turn judged again if its verdict was unsure and the doubtful tiles have changed.

    `same` is the new reading if it shows the same table as the reading `before`, else None.
    """
    if before is None or same is None or visible_doubts(before) == visible_doubts(same):
        return state
    if state.activity.verdict_stands(state.snapshot) is not False:
        return state
    return replace(state, activity=state.activity.reading_corrected(state.snapshot, moment))
