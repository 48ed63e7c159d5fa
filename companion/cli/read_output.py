"""Turns a reading of a photo into what `tilekeeper read` prints: an entry of its JSON, or lines for people."""

from pathlib import Path
from typing import TYPE_CHECKING

from tilekeeper.engine.notation import format_table
from tilekeeper.engine.table import Table
from tilekeeper.engine.tile import Tile

if TYPE_CHECKING:  # importing vision would load OpenCV
    from tilekeeper.vision.sighting import TableReading

NO_TILE = "no-tile"
"""What vision calls the runner-up of a tile that is perhaps none."""


def as_json_entry(path: Path, reading: "TableReading") -> dict[str, object]:
    """Return what the JSON says of one photo.

    `tiles` come in the order of `table`: meld by meld, and inside a meld as they lie. `corners_px` are clockwise
    from the tile's own top left, in pixels of the photo as a person sees it, to a tenth.
    """
    width_px, height_px = reading.image_wh
    return {
        "file": str(path),
        "width": width_px,
        "height": height_px,
        "status": reading.status,
        "tiles": [
            {
                "label": tile.label,
                "corners_px": [[round(float(x), 1), round(float(y), 1)] for x, y in tile.sighting.quad_px],
                "confidence": round(float(tile.confidence), 4),
                "doubtful": bool(tile.doubtful),
                "meld": meld,
            }
            for meld, row in enumerate(reading.rows)
            for tile in (reading.tiles[place] for place in row)
        ],
        "table": table_line(reading),
    }


def unread_entry(path: Path, status: str) -> dict[str, object]:
    """Return what the JSON says of a photo that could not be read at all."""
    return {"file": str(path), "width": None, "height": None, "status": status, "tiles": [], "table": ""}


def as_lines(path: Path, reading: "TableReading") -> list[str]:
    """Return the photo's table in one line, with a line more for each tile in doubt."""
    melds = [
        " ".join(_short(reading.tiles[place].label) + "?" * bool(reading.tiles[place].doubtful) for place in row)
        for row in reading.rows
    ]
    doubts = [
        f"  {_short(tile.label)}? in meld {meld} ({tile.confidence:.0%} sure, or else {_short(tile.runner_up)})"
        for meld, row in enumerate(reading.rows, start=1)
        for tile in (reading.tiles[place] for place in row)
        if tile.doubtful
    ]
    return [f"{path}: {' | '.join(melds)}", *doubts]


def table_line(reading: "TableReading") -> str:
    """Return the table in the notation, melds and tiles in the order of the reading's rows."""
    melds = tuple(tuple(Tile.from_label(reading.tiles[place].label) for place in row) for row in reading.rows)
    return format_table(Table(melds))


def _short(label: str) -> str:
    """Return a tile as the notation writes it."""
    return "no tile" if label == NO_TILE else str(Tile.from_label(label))
