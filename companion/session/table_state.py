"""The state of the table, as one immutable value, from which pages are made."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from tilekeeper.companion.observation.annotations import Annotations
from tilekeeper.companion.observation.reading_diff import if_unchanged, visible_doubts
from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.session.activity import Activity
from tilekeeper.companion.session.snapshot import Snapshot, WatchedSource
from tilekeeper.engine.language import gettext
from tilekeeper.vision.types import ReadTile, TableReading


@dataclass(frozen=True, slots=True)
class TableState:
    """The state of the table and of the activity on it.

    Attributes:
        source: the current source of pictures.
        activity: a game night, photos to be judged, or a camera that is only watched.
        snapshot: the newest picture and reading.
        annotations: people's corrections of the reading.
        racks_may_stand: whether racks may stand around the table, so that pages may show only the play area. True
        during a round; after a round that was left, until a round ends or the host confirms that no rack stands there.
        version: the number of changes; states with the same version are equal.
    """

    source: WatchedSource
    activity: Activity
    snapshot: Snapshot = field(default_factory=Snapshot)
    annotations: Annotations = field(default_factory=Annotations)
    racks_may_stand: bool = False
    version: int = 0

    @property
    def at_rest(self) -> bool:
        """Whether the table is settled and has been read."""
        return self.snapshot.settled and self.snapshot.reading is not None

    def shows_same_as(self, other: TableState) -> bool:
        """Return whether pages show the same for both states.

        The tracker's probabilities change with every frame; pages change only if a label, row or question does.
        """
        if self.source is not other.source or self.activity is not other.activity:
            return False
        if self.racks_may_stand is not other.racks_may_stand:
            return False
        reading, other_reading = self.snapshot.reading, other.snapshot.reading
        if replace(self.snapshot, reading=None) != replace(other.snapshot, reading=None):
            return False
        if reading is None or other_reading is None or reading is other_reading:
            return reading is other_reading
        unchanged = if_unchanged(other_reading, reading) is not None
        return unchanged and visible_doubts(other_reading) == visible_doubts(reading)

    def after(self, earlier: TableState) -> TableState:
        """Return this state, which a command made from `earlier`, with `racks_may_stand` updated.

        `racks_may_stand` becomes true while a round is played, and false when that round is scored or the game ends. It
        does not change if the game night was left, another one was opened, or steps were undone.
        """
        night, earlier_night = self.activity.game_night, earlier.activity.game_night
        if night is None:
            return self
        if night.racks_stand:
            return replace(self, racks_may_stand=True)
        has_ended = earlier_night is not None and earlier_night.racks_stand and night.has_ended_round_of(earlier_night)
        return replace(self, racks_may_stand=False) if has_ended else self

    def reading(self, number: int) -> TableReading:
        """Return the current reading if it has this number.

        Raises:
            Refused: if the table has been read again since, so that the number is another.
        """
        reading = self.snapshot.reading
        if reading is None or number != self.snapshot.reading_number:
            raise Refused(gettext("The table has changed."), "stale")
        return reading

    def tile(self, number: int, index: int) -> ReadTile:
        """Return the tile `index` of the current reading if that reading has this number.

        Raises:
            Refused: if the table has been read again since, or has no such tile.
        """
        tiles = self.reading(number).tiles
        if not 0 <= index < len(tiles):
            raise Refused(gettext("There is no such tile."))
        return tiles[index]
