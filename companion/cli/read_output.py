"""The output of `tilekeeper read` for one photo: an entry of the JSON document, or lines of text."""

from pathlib import Path
from typing import TYPE_CHECKING

from tilekeeper.engine.game.scoring import rack_left
from tilekeeper.engine.language import gettext, gettext_noop, ngettext
from tilekeeper.engine.rules.ruleset import Scoring
from tilekeeper.engine.tiles.notation import format_table
from tilekeeper.engine.tiles.table import Table
from tilekeeper.engine.tiles.tile import Tile

if TYPE_CHECKING:  # importing vision would load OpenCV
    import numpy as np

    from tilekeeper.vision.types import TableReading, Trouble

NO_TILE = "no-tile"
"""The reader's label for a false detection."""


def as_json_entry(path: Path, reading: "TableReading") -> dict[str, object]:
    """Return the JSON entry of a photo of a table.

    `tiles` are in the order of `table`: meld by meld, and in a meld by position. `corners_px` are clockwise from the
    tile's own top left, in pixels of the upright photo, rounded to a tenth. `face_down` is the number of face-down
    tiles; `troubles` are the problems of the image with their regions.
    """
    return {**_entry(path, reading), "face_down": len(reading.face_down)}


def as_json_rack(path: Path, rack: "TableReading", scoring: Scoring) -> dict[str, object]:
    """Return the JSON entry of a photo of a rack.

    A tile's `meld` is its row. `rack` has the tiles in each row, the number of all tiles, and their points.
    """
    return {**_entry(path, rack), "rack": _counted(rack, scoring)}


def _entry(path: Path, reading: "TableReading") -> dict[str, object]:
    width_px, height_px = reading.image_wh
    return {
        "file": str(path),
        "width": width_px,
        "height": height_px,
        "status": reading.status,
        "tiles": [
            {
                "label": tile.label,
                "corners_px": _corners(tile.sighting.quad_px),
                "confidence": round(float(tile.confidence), 4),
                "doubtful": bool(tile.doubtful),
                "doubts": [{"reason": doubt.reason.value, "alternative": doubt.alternative} for doubt in tile.doubts],
                "meld": meld,
            }
            for meld, row in enumerate(reading.rows)
            for tile in (reading.tiles[place] for place in row)
        ],
        "table": table_line(reading),
        "troubles": [_as_json_trouble(trouble) for trouble in reading.troubles],
    }


def _as_json_trouble(trouble: "Trouble") -> dict[str, object]:
    return {"kind": trouble.kind, "words": trouble.words, "region_px": _corners(trouble.region_px)}


def _corners(quad_px: "np.ndarray") -> list[list[float]]:
    return [[round(float(x), 1), round(float(y), 1)] for x, y in quad_px]


def _counted(rack: "TableReading", scoring: Scoring) -> dict[str, object]:
    left = rack_left((Tile.from_label(rack.tiles[index].label) for row in rack.rows for index in row), scoring)
    return {"rows": [len(row) for row in rack.rows], "count": left.tiles, "points": left.points}


def unread_entry(path: Path, status: str) -> dict[str, object]:
    """Return the JSON entry of a photo that could not be read."""
    size = {"width": None, "height": None}
    return {"file": str(path), **size, "status": status, "tiles": [], "table": "", "troubles": [], "face_down": 0}


def as_lines(path: Path, reading: "TableReading") -> list[str]:
    """Return a line with the photo's table, then lines about doubtful tiles, troubles and face-down tiles."""
    face_down = len(reading.face_down)
    face_down_lines = (
        [f"  {ngettext('{count} tile face down', '{count} tiles face down', face_down)}"] if face_down else []
    )
    return [*_lines(path, reading, _IN_MELD), *face_down_lines]


def as_rack_lines(path: Path, rack: "TableReading", scoring: Scoring) -> list[str]:
    """Return a line with the rack's rows, lines about doubts and troubles, and a line with counts and points.

    The last line has the number of tiles in each row, the back row first, and their sum, such as `8 + 6 = 14 tiles,
    worth 83 if left on the rack`; for a single row only the sum.
    """
    counts = [len(row) for row in rack.rows]
    words = ngettext(
        "{count} tile, worth {points} if left on the rack",
        "{count} tiles, worth {points} if left on the rack",
        sum(counts),
        points=_counted(rack, scoring)["points"],
    )
    sum_words = f"{' + '.join(map(str, counts))} = " if len(counts) > 1 else ""
    return [*_lines(path, rack, _IN_ROW), f"  {sum_words}{words}"]


_IN_MELD = gettext_noop("{tile}? in set {number} ({sure}% sure, maybe {other})")
_IN_ROW = gettext_noop("{tile}? in row {number} ({sure}% sure, maybe {other})")


def _lines(path: Path, reading: "TableReading", doubt: str) -> list[str]:
    melds = [
        " ".join(_short(reading.tiles[place].label) + "?" * bool(reading.tiles[place].doubtful) for place in row)
        for row in reading.rows
    ]
    doubts = [
        "  "
        + gettext(
            doubt,
            tile=_short(tile.label),
            number=meld,
            sure=round(100 * tile.confidence),
            other=_short(tile.runner_up),
        )
        for meld, row in enumerate(reading.rows, start=1)
        for tile in (reading.tiles[place] for place in row)
        if tile.doubtful
    ]
    troubles = [f"  {gettext(trouble.words)} ({_place(trouble, reading.image_wh)})" for trouble in reading.troubles]
    return [f"{path}: {' | '.join(melds)}", *doubts, *troubles]


_NINTHS = (
    (gettext_noop("top left"), gettext_noop("top"), gettext_noop("top right")),
    (gettext_noop("left"), gettext_noop("in the middle"), gettext_noop("right")),
    (gettext_noop("bottom left"), gettext_noop("bottom"), gettext_noop("bottom right")),
)


def _place(trouble: "Trouble", image_wh: tuple[int, int]) -> str:
    """Return the place of a trouble in words: one of nine parts of the image, or the whole image."""
    low, high = trouble.region_px.min(axis=0) / image_wh, trouble.region_px.max(axis=0) / image_wh
    if (high - low).min() > 2 / 3:
        return gettext("everywhere")
    across, down = (low + high) / 2
    return gettext(_NINTHS[int(3 * down)][int(3 * across)])


def table_line(reading: "TableReading") -> str:
    """Return the table in notation, with melds and tiles in the order of the reading's rows."""
    melds = tuple(tuple(Tile.from_label(reading.tiles[place].label) for place in row) for row in reading.rows)
    return format_table(Table(melds))


def _short(label: str) -> str:
    """Return a label in notation, such as `R7` for `red-7`; "no tile" in words."""
    return gettext("no tile") if label == NO_TILE else str(Tile.from_label(label))
