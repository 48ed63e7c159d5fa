"""A verdict as the page gets it: its sentences, and the tiles and melds of the picture that each of them is about."""

from tilekeeper.companion.adjudication.turn import Judged
from tilekeeper.companion.observation.groupings import Rows, replaced_rows
from tilekeeper.companion.observation.observed_table import NO_INDEX, ObservedTable, tile_of
from tilekeeper.companion.text.doubts import why_asked
from tilekeeper.companion.text.verdict_card import (
    VerdictKind,
    melds_words,
    photo_verdict_words,
    turn_verdict_words,
    verdict_kind,
)
from tilekeeper.companion.web.schemas.table import FaultJson, FixJson, GroupingJson, QuestionJson, VerdictJson, WayJson
from tilekeeper.companion.web.serializers.tiles import choice_json, melds_json, parts_json, tile_json
from tilekeeper.engine.judge.sentences import sentence, sentence_parts
from tilekeeper.engine.rules.violations import Side, Violation
from tilekeeper.vision.types import TableReading


def verdict_json(
    judged: Judged, reading: TableReading | None, reading_number: int, photos: bool, fix: FixJson | None = None
) -> VerdictJson:
    """Return a verdict for the page.

    Args:
        judged: the turn that was judged.
        reading: the newest reading of the table.
        reading_number: its number; tiles are named by their indices only where it is the one that was judged.
        photos: whether a photo was judged as it lies rather than a turn.
        fix: the smallest fix of a wrong layout, where one has been found.
    """
    current = judged.reading_number == reading_number
    verdict, kind = judged.weighed.verdict, verdict_kind(judged)
    headline, advice = photo_verdict_words(judged) if photos else turn_verdict_words(judged)
    questions = _questions(judged, reading) if current and reading is not None else []
    # While doubtful tiles are asked about, nothing is shown but what they decide.
    unsure = kind is VerdictKind.UNSURE
    return {
        "kind": kind.value,
        "headline": headline,
        "advice": advice,
        "caveat": "" if unsure else " ".join(verdict.caveats),
        "standing": [] if unsure else list(verdict.standing_notes),
        "current": current,
        "reading_number": judged.reading_number,
        "faults": [_fault_json(fault, judged) for fault in judged.weighed.certain],
        "placed": [] if photos else [tile_json(tile) for tile in verdict.placed],
        "points": verdict.points,
        "opens": verdict.opens,
        "stand_ins": [
            {"tile": judged.weighed.observed.rows[stand.place.meld][stand.place.position], **tile_json(stand.tile)}
            for stand in verdict.stand_ins
        ],
        "questions": questions,
        "groupings": _groupings(judged, reading) if current and reading is not None else [],
        "melds": melds_json(judged.weighed.observed.table),
        "fix": fix,
    }


def _fault_json(fault: Violation, judged: Judged) -> FaultJson:
    before, after = judged.before, judged.weighed.observed
    there: ObservedTable = after if fault.side is Side.AFTER else before
    return {
        "code": str(fault.code),
        "text": sentence(fault, before.table, after.table),
        "parts": parts_json(sentence_parts(fault, before.table, after.table)),
        # Only tiles of the present picture can be outlined by their index; those of the table before have corners.
        "melds": list(fault.melds) if fault.side is Side.AFTER else [],
        "tiles": [
            index
            for place in (fault.tiles if fault.side is Side.AFTER else ())
            if (index := there.rows[place.meld][place.position]) != NO_INDEX
        ],
        "gone": [
            {
                **tile_json(before.table.tile_at(place)),
                "quad": [list(corner) for corner in before.quads_px[place.meld][place.position]],
            }
            for place in (fault.tiles if fault.side is Side.BEFORE else ())
        ],
    }


def _questions(judged: Judged, reading: TableReading) -> list[QuestionJson]:
    # In the order of the melds, as they are listed beside the picture.
    asked = [index for row in judged.weighed.observed.rows for index in row if index in judged.weighed.unsure]
    return [
        {
            "tile": index,
            "choices": [choice_json(label) for label in judged.choices(reading, index)],
            "why": why_asked(reading.tiles[index]),
        }
        for index in asked
    ]


def _groupings(judged: Judged, reading: TableReading) -> list[GroupingJson]:
    """Return the doubts about melds on which the verdict turns, each with its two ways, the likelier first."""
    return [
        {"choices": [_way_json(reading, rows) for rows in (replaced_rows(reading, doubt.rows), doubt.rows)]}
        for doubt in judged.weighed.groupings
    ]


def _way_json(reading: TableReading, rows: Rows) -> WayJson:
    tiles = [[tile_of(reading.tiles[index].label) for index in row] for row in rows]
    return {
        "rows": [list(row) for row in rows],
        "melds": [[tile_json(tile) for tile in row if tile is not None] for row in tiles],
        "name": melds_words(len(rows)),
    }
