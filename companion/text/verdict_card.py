"""A verdict as the page shows it: a headline, a sentence for each fault, and what each of them points to."""

from tilekeeper.companion.adjudication.turn import Judged
from tilekeeper.companion.observation.groupings import Rows, in_place_of
from tilekeeper.companion.observation.observed_table import NOT_SEEN, Laid, is_unseen, tile_of
from tilekeeper.companion.text.verdicts import caveats, sentence
from tilekeeper.companion.web.serializers.tiles import Json, choice_json, name_of, tile_json
from tilekeeper.engine.judge.verdict import Side, Violation
from tilekeeper.vision.types import NO_TILE_LABEL, TableReading

LEGAL, ILLEGAL, UNSURE = "legal", "illegal", "unsure"
MOST_CHOICES = 3


def judged_json(judged: Judged, reading: TableReading | None, reading_number: int, photos: bool) -> Json:
    """Return what the page says of a judged turn.

    Args:
        judged: the turn.
        reading: what lies on the table now.
        reading_number: its number; places are told only where it is the one that was judged.
        photos: whether a photo was judged as it lies rather than a turn.
    """
    current = judged.reading_number == reading_number
    verdict = judged.weighed.verdict
    kind = _kind(judged)
    headline, advice = _as_it_lies(kind, judged) if photos else _of_a_turn(kind, judged)
    questions = _questions(judged, reading) if current and reading is not None else []
    if questions and not judged.weighed.groupings and all(question["asks"] for question in questions):
        which = "A tile of the table" if len(questions) == 1 else "Some tiles of the table"
        advice = f"{which} can't be made out any more, and the verdict turns on it."
    # What a doubtful tile turns is asked first; the verdict that stands then says what it could not look into.
    unproved = () if kind == UNSURE else caveats(verdict)
    return {
        "kind": kind,
        "headline": headline,
        "advice": advice,
        "caveat": " ".join(unproved),
        "current": current,
        "reading_number": judged.reading_number,
        "faults": [_fault_json(fault, judged) for fault in judged.weighed.certain],
        "placed": [] if photos else [tile_json(tile) for tile in verdict.placed],
        "points": verdict.points,
        "opens": verdict.opens,
        "stand_ins": [
            {"tile": judged.weighed.laid.rows[stand.place.meld][stand.place.position], **tile_json(stand.tile)}
            for stand in verdict.stand_ins
        ],
        "questions": questions,
        "groupings": _groupings(judged, reading) if current and reading is not None else [],
        "melds": [[tile_json(tile) for tile in meld] for meld in judged.weighed.laid.table.melds],
        "fix": None,
    }


def _kind(judged: Judged) -> str:
    """Return what the verdict is: a fault that every likely reading shares makes it illegal, whatever is in doubt."""
    if judged.weighed.certain:
        return ILLEGAL
    return LEGAL if judged.sure else UNSURE


def _of_a_turn(kind: str, judged: Judged) -> tuple[str, str]:
    verdict = judged.weighed.verdict
    if kind == UNSURE:
        return "Not sure", _turns_on(judged)
    if kind == ILLEGAL:
        return "Not legal", "Mend it and press Done again, or put everything back as it lay."
    if verdict.opens:
        return "Legal", f"The player has opened, with {_count(verdict.points or 0, 'point')}."
    return "Legal", "The next turn starts from this table."


def _as_it_lies(kind: str, judged: Judged) -> tuple[str, str]:
    melds = len(judged.weighed.laid.table.melds)
    if kind == UNSURE:
        return "Not sure", _turns_on(judged)
    if kind == LEGAL:
        return "A legal table", "The meld is valid as it lies." if melds == 1 else f"All {melds} melds are valid."
    faulty = {meld for fault in judged.weighed.certain for meld in fault.melds}
    if not faulty:
        return "Not a legal table", ""
    if melds == 1:
        return "Not a legal table", "It is no valid meld as it lies."
    return "Not a legal table", f"{len(faulty)} of {melds} melds {'is' if len(faulty) == 1 else 'are'} not in order."


def _turns_on(judged: Judged) -> str:
    if judged.weighed.waits:
        return "Something covers a part of the table on which it turns. Clear the view, or say what lies there."
    tiles = len(judged.weighed.unsure)
    melds = "on where one meld ends and the next begins"
    if not tiles:
        return f"It turns {melds}. How do these tiles lie?"
    which = "this tile" if tiles == 1 else f"these {tiles} tiles"
    if judged.weighed.groupings:
        return f"It turns on {which}, and {melds}."
    return f"It turns on {which}. What {'is it' if tiles == 1 else 'are they'}?"


def _fault_json(fault: Violation, judged: Judged) -> Json:
    before, after = judged.before, judged.weighed.laid
    there: Laid = after if fault.side is Side.AFTER else before
    return {
        "code": str(fault.code),
        "text": sentence(fault, before.table, after.table),
        # Only what lies there now can be outlined by its index; what lay there before is drawn where it lay.
        "melds": list(fault.melds) if fault.side is Side.AFTER else [],
        "tiles": [
            index
            for place in (fault.tiles if fault.side is Side.AFTER else ())
            if (index := there.rows[place.meld][place.position]) != NOT_SEEN
        ],
        "gone": [
            {**tile_json(before.table.tile_at(place)), "quad": before.quads_px[place.meld][place.position]}
            for place in (fault.tiles if fault.side is Side.BEFORE else ())
        ],
    }


def _questions(judged: Judged, reading: TableReading) -> list[Json]:
    return [
        {
            "tile": index,
            "choices": [choice_json(label) for label in _choices(judged, reading, index)],
            "asks": f"Does the {name_of(reading.tiles[index].label)} still lie here?"
            if is_unseen(reading.tiles[index])
            else "",
        }
        # In the order of the melds, as they are listed beside.
        for row in judged.weighed.laid.rows
        for index in row
        if index in judged.weighed.unsure
    ]


def _choices(judged: Judged, reading: TableReading, index: int) -> tuple[str, ...]:
    """Return what a tile may be: the two likeliest names, the likeliest further ones on which the verdict turns, none.

    That it is no tile can always be said.
    """
    tile = reading.tiles[index]
    further = [name for at, name in judged.weighed.names if at == index]
    names = [name for name in dict.fromkeys((tile.label, tile.runner_up, *further)) if name != NO_TILE_LABEL]
    return (*names[:MOST_CHOICES], NO_TILE_LABEL)


def _groupings(judged: Judged, reading: TableReading) -> list[Json]:
    """Return the doubts about melds on which the verdict turns, each with its two ways, the likelier first."""
    return [
        {"choices": [_way_json(reading, rows) for rows in (in_place_of(reading, doubt.rows), doubt.rows)]}
        for doubt in judged.weighed.groupings
    ]


def _way_json(reading: TableReading, rows: Rows) -> Json:
    tiles = [[tile_of(reading.tiles[index].label) for index in row] for row in rows]
    return {
        "rows": [list(row) for row in rows],
        "melds": [[tile_json(tile) for tile in row if tile is not None] for row in tiles],
        "name": _count(len(rows), "meld"),
    }


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
