"""Counting hidden, flagged and reported fouls, with stand-ins and with the shipped networks."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.benchmarks.vision.fouls import FoulCount, Task, read_fouls, table_of, tasks_of
from tests.support.doubts import doubts_if
from tilekeeper.datasets.synthesis.recordings.foul_tables import draw_foul_table, render_melds
from tilekeeper.engine import parse_table, rule_set
from tilekeeper.models.evaluation.measure import reader_of
from tilekeeper.vision.types import LabelProbabilities, ReadTile, Sighting, TableReading

NAMES = LabelProbabilities(np.full(15, -np.log(15)), np.full(4, -np.log(4)))
LEGAL, FOUL = "R6 K6 B6 | B1 B2 B3", "R9 K6 B6 | B1 B2 B3"


def reading(notation: str, doubtful: bool = False, status: str = "ok") -> TableReading:
    """Return a reading of these melds; its first tile may be doubtful."""
    tiles, rows = [], []
    for meld in parse_table(notation).melds:
        rows.append(tuple(range(len(tiles), len(tiles) + len(meld))))
        for tile in meld:
            sighting = Sighting(len(tiles), np.zeros((4, 2), np.float32), NAMES)
            tiles.append(ReadTile(sighting, tile.label, 0.99, "joker", doubts_if(doubtful and not tiles)))
    return TableReading(tuple(tiles), tuple(rows), (640, 480), status)


def task(kind: str | None) -> Task:
    return Task("a.jpg", Path("a.jpg"), parse_table(FOUL if kind else LEGAL), kind)


def test_reading_with_a_joker_becomes_a_table() -> None:
    assert table_of(reading("R6 J B6 | B1 B2 B3")) == parse_table("R6 J B6 | B1 B2 B3")


@pytest.mark.parametrize(
    ("read", "hidden", "flagged", "as_illegal"),
    [
        (reading(LEGAL), 1, 0, 0),
        (reading(LEGAL, doubtful=True), 0, 1, 0),
        (reading(LEGAL, status="too dark"), 0, 1, 0),
        (reading(FOUL), 0, 0, 1),
        (reading("R6 K6 B6"), 1, 0, 0),
    ],
    ids=["read as legal", "legal but flagged", "not to be trusted", "as it lies", "the foul not seen at all"],
)
def test_foul_is_hidden_by_a_legal_reading_without_a_question(
    read: TableReading, hidden: int, flagged: int, as_illegal: int
) -> None:
    """The reading may be legal for any reason, and one flagged tile is a question."""
    count = FoulCount()
    count.add(task("6/9"), read)
    assert (count.hidden, count.flagged, count.as_illegal) == (hidden, flagged, as_illegal)
    assert (count.fouls, count.twins) == (1, 0)
    assert count.figures()["hidden_by_kind"] == {"6/9": f"{hidden} of 1"}
    assert len(count.faults) == hidden


def test_legal_table_is_legal_flagged_or_accused() -> None:
    """No player must be blamed for a legal table."""
    count = FoulCount()
    for read in (reading(LEGAL), reading(LEGAL, doubtful=True), reading(FOUL)):
        count.add(task(None), read)
    assert (count.twins, count.legal, count.twins_asked, count.accused) == (3, 1, 1, 1)
    assert count.faults == [f"a.jpg: {LEGAL} read as {FOUL}"]


def test_shipped_networks_hide_none_of_twenty_fouls() -> None:
    """Twenty tables are rendered; half of the fouls are confusable tiles."""
    reader, rules, count = reader_of(None), rule_set("large-numbers"), FoulCount()
    seed = 0
    while count.fouls < 20:
        seed += 1
        table = draw_foul_table(np.random.default_rng([20, seed]), rules, count.fouls % 2 == 0)
        picture = render_melds((20, seed), table.foul)
        if picture is not None:
            count.add(Task(f"{seed}", Path(), table.foul, table.kind), reader.read(picture.image_bgr))
    assert count.hidden == 0, count.faults
    assert count.as_illegal > 10


def test_folder_of_fouls_is_read_with_its_legal_tables(tmp_path: Path) -> None:
    """Each image is compared with its table in the list."""
    entry = {"kind": "6/9", "foul": FOUL, "legal": LEGAL, "foul_file": "0-foul.png", "legal_file": "0-legal.png"}
    (tmp_path / "images").mkdir()
    for name, grey in (("0-foul.png", 10), ("0-legal.png", 200)):
        cv2.imwrite(str(tmp_path / "images" / name), np.full((96, 96, 3), grey, np.uint8))
    (tmp_path / "fouls.json").write_text(json.dumps({"tables": [entry]}))

    class KnowingReader:
        def read(self, image_bgr: np.ndarray) -> TableReading:
            return reading(FOUL if image_bgr[0, 0, 0] == 10 else LEGAL)

    count = read_fouls(tasks_of(tmp_path), KnowingReader())
    assert (count.fouls, count.as_illegal, count.twins, count.legal) == (1, 1, 1, 1)
