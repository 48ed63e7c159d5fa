"""The state of the page as plain data for JSON: picture, tiles, melds, turn and verdict.

A tile is named by its index in the reading, a meld by its index among the rows, as the page draws them.
"""

from collections.abc import Sequence

from tilekeeper.companion.adjudication.turn import Judged
from tilekeeper.companion.observation.observed_table import can_be_judged, quad_px, table_and_rows, tile_of
from tilekeeper.companion.session.activity import Activity
from tilekeeper.companion.session.snapshot import Moment, Snapshot
from tilekeeper.companion.session.table_state import TableState
from tilekeeper.companion.session.turn_view import TurnView
from tilekeeper.companion.text.names import label_words
from tilekeeper.companion.web.schemas.game_night import StateJson
from tilekeeper.companion.web.schemas.table import (
    HallJson,
    PictureJson,
    ReadingJson,
    ReadTileJson,
    StorageJson,
    TileJson,
    TurnJson,
    VerdictJson,
)
from tilekeeper.companion.web.serializers.game_night import game_night_json
from tilekeeper.companion.web.serializers.tiles import fix_json, melds_json, tile_json
from tilekeeper.companion.web.serializers.verdict import verdict_json
from tilekeeper.engine.language import as_sentence, gettext, translate
from tilekeeper.engine.tiles.notation import format_table
from tilekeeper.vision.types import OK, ReadTile, TableReading


def state_json(
    state: TableState, moment: Moment, steering: Sequence[str], storage: StorageJson, hall: HallJson | None, boot: str
) -> StateJson:
    """Return all that a page shows.

    Args:
        state: the state of the table.
        moment: the present time.
        steering: the ids of the tablets that may press buttons where not all may.
        storage: how evenings are kept.
        hall: the link to the hall; None where the table plays alone.
        boot: another word after each start of the app.
    """
    source, snapshot, activity = state.source, state.snapshot, state.activity
    reading, judged, night = snapshot.reading, activity.judged, activity.game_night
    return {
        "version": state.version,
        "boot": boot,
        "source": {
            "kind": source.kind,
            "watched": translate(source.watched),
            "notice": translate(source.notice),
            "trouble": as_sentence(snapshot.trouble) if snapshot.trouble else "",
            "index": source.index,
            "count": source.count,
        },
        "storage": storage,
        "hall": hall,
        "picture": _picture_json(snapshot),
        "settled": snapshot.settled,
        "frame": snapshot.state or None,
        "reading": None if reading is None else _reading_json(reading, snapshot.reading_number),
        "rules": activity.rules.name,
        "turn": _turn_json(activity.turn),
        "verdict": None if judged is None else _verdict_json(judged, activity, snapshot),
        "evening": None if night is None else game_night_json(night, state, moment, steering),
    }


def _turn_json(turn: TurnView) -> TurnJson:
    return {
        "begun": turn.begun,
        "before": melds_json(turn.before),
        "opened": turn.opened,
        "finished": turn.finished,
        "can_undo": turn.can_undo,
        "waiting_to": turn.waiting_to,
    }


def _verdict_json(judged: Judged, activity: Activity, snapshot: Snapshot) -> VerdictJson:
    fix = None if activity.fix is None else fix_json(activity.fix, judged.weighed.observed.rows)
    return verdict_json(judged, snapshot.reading, snapshot.reading_number, photos=activity.judges_photos, fix=fix)


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
        "area": list(picture.area_px),
    }


def _reading_json(reading: TableReading, number: int) -> ReadingJson:
    table, rows = table_and_rows(reading)
    return {
        "number": number,
        "status": reading.status if reading.status == OK else gettext(reading.status),
        "trusted": reading.status == OK,
        "judged": can_be_judged(reading),
        "width": reading.image_wh[0],
        "height": reading.image_wh[1],
        "tiles": tiles_json(reading),
        "melds": [list(row) for row in rows],
        "table": format_table(table),
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
        "runner_up_label": tile.runner_up,
    }
