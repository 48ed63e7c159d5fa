"""The state of the page as plain data for JSON: picture, tiles, melds, turn and verdict.

Places are told the way the page draws them: a tile by its index in the reading, a meld by its index among the rows.
"""

from tilekeeper.companion.observation.judgeable import can_be_judged
from tilekeeper.companion.observation.observed_table import laid, quad_px, tile_of
from tilekeeper.companion.session.activity import Play
from tilekeeper.companion.session.snapshot import Snapshot, Watching
from tilekeeper.companion.text.verdicts import label_words
from tilekeeper.companion.web.schemas.game_night import StateJson
from tilekeeper.companion.web.schemas.table import PictureJson, ReadingJson, ReadTileJson, TileJson
from tilekeeper.companion.web.serializers.tiles import tile_json
from tilekeeper.engine.tiles.notation import format_table
from tilekeeper.vision.types import OK, ReadTile, TableReading


def state_json(watching: Watching, snapshot: Snapshot, play: Play, version: int, boot: str) -> StateJson:
    """Return all that the page shows; called with the desk's lock held."""
    reading = snapshot.reading
    return {
        "version": version,
        "boot": boot,
        "source": {
            "kind": watching.kind,
            "watched": watching.watched,
            "notice": watching.notice,
            "trouble": snapshot.trouble,
            "index": watching.index,
            "count": watching.count,
        },
        "picture": _picture_json(snapshot),
        "settled": snapshot.settled,
        "frame": snapshot.state or None,
        "reading": None if reading is None else _reading_json(reading, snapshot.reading_number),
        "rules": play.rules.name,
        "turn": play.turn_json(),
        "verdict": play.verdict_json(),
        "evening": play.evening_json(),
    }


def _picture_json(snapshot: Snapshot) -> PictureJson | None:
    picture = snapshot.picture
    if picture is None:
        return None
    width_px, height_px = picture.image_wh
    return {
        "number": picture.number,
        "width": width_px,
        "height": height_px,
        "name": picture.name,
    }


def _reading_json(reading: TableReading, number: int) -> ReadingJson:
    table = laid(reading)
    return {
        "number": number,
        "status": reading.status,
        "trusted": reading.status == OK,
        "judged": can_be_judged(reading),
        "width": reading.image_wh[0],
        "height": reading.image_wh[1],
        "tiles": tiles_json(reading),
        "melds": [list(row) for row in table.rows],
        "table": format_table(table.table),
    }


def tiles_json(reading: TableReading) -> list[ReadTileJson]:
    """Return the tiles of a reading, as the page draws them."""
    return [_read_tile_json(reading, index, tile) for index, tile in enumerate(reading.tiles)]


def _read_tile_json(reading: TableReading, index: int, tile: ReadTile) -> ReadTileJson:
    named = tile_of(tile.label)
    no_tile: TileJson = {"text": "", "name": label_words(tile.label), "ink": None, "number": None}
    drawn = no_tile if named is None else tile_json(named)
    return {
        **drawn,
        "there": named is not None,
        "label": tile.label,
        "quad": [list(corner) for corner in quad_px(reading, index)],
        "confidence": round(tile.confidence, 4),
        "doubtful": tile.doubtful,
        "hidden": tile.sighting.hidden,
        "runner_up": label_words(tile.runner_up),
    }
