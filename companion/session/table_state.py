"""Everything that the app shows at one time, as one value that never changes."""

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
    """The state of the table and of what is played on it.

    Attributes:
        source: what is watched.
        activity: what is done at the table.
        snapshot: what the camera shows.
        annotations: what people said of the tiles that are watched.
        version: counts the changes; two states with the same version are the same.
    """

    source: WatchedSource
    activity: Activity
    snapshot: Snapshot = field(default_factory=Snapshot)
    annotations: Annotations = field(default_factory=Annotations)
    version: int = 0

    @property
    def at_rest(self) -> bool:
        """Whether the table lies still and has been read."""
        return self.snapshot.settled and self.snapshot.reading is not None

    def shows_same_as(self, other: TableState) -> bool:
        """Return whether a page that shows the one shows the other too.

        A tracker grows surer of a table with every frame; while that changes no name, row or doubt, no page needs it.
        """
        if self.source is not other.source or self.activity is not other.activity:
            return False
        reading, others = self.snapshot.reading, other.snapshot.reading
        if replace(self.snapshot, reading=None) != replace(other.snapshot, reading=None):
            return False
        if reading is None or others is None or reading is others:
            return reading is others
        return if_unchanged(others, reading) is not None and visible_doubts(others) == visible_doubts(reading)

    def reading(self, number: int) -> TableReading:
        """Return the present reading, if it has this number.

        Raises:
            Refused: where the table has been read anew since.
        """
        reading = self.snapshot.reading
        if reading is None or number != self.snapshot.reading_number:
            raise Refused(gettext("The table has changed."), "stale")
        return reading

    def tile(self, number: int, index: int) -> ReadTile:
        """Return a tile of the reading of this number.

        Raises:
            Refused: where the table has been read anew since, or it has no such tile.
        """
        tiles = self.reading(number).tiles
        if not 0 <= index < len(tiles):
            raise Refused(gettext("There is no such tile."))
        return tiles[index]
