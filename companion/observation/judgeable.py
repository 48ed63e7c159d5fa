"""Says which readings the judge may see: one that can't be trusted gets its reason on the page, not a verdict."""

from tilekeeper.vision.quality.status import NO_TILES
from tilekeeper.vision.types import OK, TableReading


def can_be_judged(reading: TableReading) -> bool:
    """Whether the table of a reading may be judged or begun from; an empty table may, a dark or blurred one not."""
    return reading.status in (OK, NO_TILES)
