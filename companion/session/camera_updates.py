"""What the camera brings about, as commands: readings of the table, photos, another source."""

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
    """The table came to rest and was read.

    Attributes:
        picture: the picture for the pages.
        reading: what the tracker read on it.
        frame_state: as `Snapshot.state`.
    """

    picture: Picture
    reading: TableReading
    frame_state: str

    def apply(self, state: TableState, moment: Moment) -> TableState:
        """Return the state with the reading, and with what waited for it done.

        The reading gets a new number only where the table has changed: a verdict on it stands as long as it lies so.
        """
        before = state.snapshot
        state, reading = _annotated(state, self.reading)
        same = if_unchanged(before.reading, reading)
        number = before.reading_number + (same is None)
        snapshot = Snapshot(self.picture, same or reading, number, settled=True, state=self.frame_state)
        activity = state.activity.table_read(snapshot, moment)
        return _settled(replace(state, snapshot=snapshot, activity=activity), before.reading, same, moment)


@dataclass(frozen=True, slots=True)
class ReadingImproved:
    """More is known of the table that lies there, from one more frame of it."""

    reading: TableReading

    def apply(self, state: TableState, moment: Moment) -> TableState:
        """Return the state with the better reading; as it was where a page would show nothing else."""
        before = state.snapshot
        annotated, reading = _annotated(state, self.reading)
        same = if_unchanged(before.reading, reading)
        if same is not None and before.reading is not None and visible_doubts(before.reading) == visible_doubts(same):
            return replace(annotated, snapshot=replace(before, reading=same))
        number = before.reading_number + (same is None)
        snapshot = replace(before, reading=same or reading, reading_number=number)
        activity = annotated.activity
        if same is None:
            activity = activity.table_read(snapshot, moment)
            activity = activity.reading_corrected(snapshot, moment, before.reading_number)
        return _settled(replace(annotated, snapshot=snapshot, activity=activity), before.reading, same, moment)


@dataclass(frozen=True, slots=True)
class PhotoRead:
    """A photo of a folder was read: a table of its own."""

    picture: Picture
    reading: TableReading

    def apply(self, state: TableState, moment: Moment) -> TableState:
        """Return the state with the photo, judged as it lies where no game night is played."""
        snapshot = Snapshot(self.picture, self.reading, state.snapshot.reading_number + 1, settled=True)
        activity = state.activity.table_read(snapshot, moment)
        return replace(state, snapshot=snapshot, annotations=Annotations(), activity=activity)


@dataclass(frozen=True, slots=True)
class PhotoUnreadable:
    """A photo of a folder can't be opened; `why` is one line for people."""

    why: str

    def apply(self, state: TableState, moment: Moment) -> TableState:
        """Return the state without a picture."""
        snapshot = Snapshot(reading_number=state.snapshot.reading_number, trouble=self.why)
        return replace(state, snapshot=snapshot, activity=state.activity.restarted())


@dataclass(frozen=True, slots=True)
class PhotoRequested:
    """Another photo of the folder was asked for, by its index from 0; it is read a moment later."""

    index: int

    def apply(self, state: TableState, moment: Moment) -> TableState:
        """Return the state in which the present photo no longer holds."""
        snapshot = replace(state.snapshot, settled=False)
        return replace(state, source=replace(state.source, index=self.index), snapshot=snapshot)


@dataclass(frozen=True, slots=True)
class RecordingRestarted:
    """A recording begins again from its first frame."""

    def apply(self, state: TableState, moment: Moment) -> TableState:
        """Return the state without the turn and what people said of its tiles."""
        return replace(state, annotations=Annotations(), activity=state.activity.restarted())


@dataclass(frozen=True, slots=True)
class SourceChanged:
    """Something else is watched from now on."""

    source: WatchedSource

    def apply(self, state: TableState, moment: Moment) -> TableState:
        """Return the state in which nothing is known of the table yet."""
        return replace(
            state,
            source=self.source,
            snapshot=Snapshot(reading_number=state.snapshot.reading_number),
            annotations=Annotations(),
            activity=state.activity.for_source(self.source.kind),
        )


def _annotated(state: TableState, reading: TableReading) -> tuple[TableState, TableReading]:
    """Return a reading with what people said, and the state with those annotations that still hold."""
    annotations = state.annotations.updated_by(reading, inks_of(state.activity.rules))
    reading = annotations.applied_to(reading)
    start = state.activity.start()
    if start is not None:
        # a person's word holds against how the tiles lay before: what it leaves open may overlap with what it settles
        reading = annotations.applied_to(grouped_as_before(start, reading))
    return replace(state, annotations=annotations), reading


def _settled(state: TableState, before: TableReading | None, same: TableReading | None, moment: Moment) -> TableState:
    """Return the state judged again where the verdict turned on something that is known better by now."""
    if before is None or same is None or visible_doubts(before) == visible_doubts(same):
        return state
    if state.activity.verdict_stands(state.snapshot) is not False:
        return state
    return replace(state, activity=state.activity.reading_corrected(state.snapshot, moment))
