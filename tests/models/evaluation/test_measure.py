"""Measuring readings: the truth of photos and rendered tables, and the counts of right tiles and melds."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from tilekeeper.datasets.photos import AnnotatedPhoto, AnnotatedTile
from tilekeeper.models.evaluation import measure, score
from tilekeeper.vision.quality.diagnostics import NO_TILES, TOO_BLURRED
from tilekeeper.vision.types import OK, LabelProbabilities, ReadTile, Sighting, TableReading

NAMES = LabelProbabilities(np.full(15, -np.log(15)), np.full(4, -np.log(4)))


def quad(x: float, y: float) -> np.ndarray:
    """Return an upright tile 40 px wide at `x, y`."""
    half = np.array([20, 28])
    return (np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * half + (x, y)).astype(np.float32)


class KnowingReader:
    """A reader that knows each image by the brightness of its first pixel and returns a given reading."""

    def __init__(self, truths: dict[int, tuple[list[tuple[str, np.ndarray]], list[tuple[int, ...]]]]) -> None:
        self.truths = truths

    def read(self, image_bgr: np.ndarray) -> TableReading:
        tiles, rows = self.truths[int(image_bgr[0, 0, 0])]
        read = tuple(
            ReadTile(Sighting(i, corners, NAMES), label, 0.99, "joker") for i, (label, corners) in enumerate(tiles)
        )
        return TableReading(read, tuple(rows), (200, 160))


def grey(folder: Path, name: str, brightness: int) -> Path:
    """Write a plain image that the reader knows."""
    path = folder / name
    cv2.imwrite(str(path), np.full((160, 200, 3), brightness, np.uint8))
    return path


def test_rows_are_known_without_a_gap() -> None:
    """Touching tiles are a row; a row with a gap of a tile is unknown; a distant single tile is a row."""
    together = np.array([quad(50, 50), quad(91, 52), quad(50, 120), quad(132, 50)])
    assert measure.true_rows([0, 0, 1, 0], together) == ((0, 1, 3), (2,))
    assert measure.true_rows([0, 0], np.array([quad(50, 50), quad(132, 50)])) is None
    assert measure.true_rows([0, 1], np.array([quad(50, 50), quad(150, 50)])) == ((0,), (1,))
    assert measure.true_rows([], np.zeros((0, 4, 2))) is None


def entry(name: str, layout: str, tiles: list[tuple[str, float, float, int]], **extra: object) -> dict:
    """Return the truth of a rendered table; tiles are label, x, y, row."""
    listed = [
        {"label": label, "polygon_px": quad(x, y).tolist(), "cut": False, "row": row, "visible": 1.0}
        for label, x, y, row in tiles
    ]
    return {"file": name, "width": 200, "height": 160, "session": layout, "tiles": listed, "ignore_px": [], **extra}


def test_rendered_tables_are_scored_with_melds(tmp_path: Path) -> None:
    """Labels, corners and melds separately; scatters have no melds, and covered tiles are ignored."""
    (tmp_path / "images").mkdir()
    names = ["right.png", "parted.png", "scatter.png", "hidden.png"]
    for i, name in enumerate(names):
        grey(tmp_path / "images", name, 10 * (i + 1))
    pair = [("red-1", 50, 50, 0), ("red-2", 91, 50, 0)]
    photos = [
        entry("right.png", "melds", pair),
        entry("parted.png", "tight", pair),
        entry("scatter.png", "scatter", [("red-1", 50, 50, 0), ("red-2", 150, 50, 1)]),
        entry("hidden.png", "shelves", pair, ignore_px=[[112, 22, 152, 78]]),
    ]
    (tmp_path / "photos.json").write_text(json.dumps({"photos": photos}), "utf-8")
    read = [("red-1", quad(50, 50)), ("red-2", quad(91, 50))]
    reader = KnowingReader(
        {
            10: (read, [(1, 0)]),
            20: (read, [(0,), (1,)]),
            30: ([("red-1", quad(50, 50))], [(0,)]),
            40: ([*read, ("blue-3", quad(132, 50))], [(0, 1, 2)]),
        }
    )
    count = measure.read_all(measure.rendered_pictures(tmp_path), reader)
    figures = count.tally.figures()
    assert (count.melds_right, count.melds_of) == (2, 3)
    assert (figures["tiles"], figures["missed_or_misnamed"], figures["invented"]) == (8, 1, 0)
    assert figures["upright"] == 1
    assert figures["corner_error_of_width"] == pytest.approx(0)
    assert count.tally.faults == ["parted.png: melds differ", "scatter.png: red-2 missed"]


def test_misses_on_an_image_with_a_bad_status_count_separately() -> None:
    """An empty table has no bad status, and neither has a readable one."""
    truth = score.Truth(("red-1",), (quad(50, 50),), (False,), np.zeros((0, 4)))
    pictured = measure.Pictured("a.png", "scatter", truth, None, lambda: np.zeros((160, 200, 3), np.uint8))
    count = measure.Count()
    for status in (OK, NO_TILES, TOO_BLURRED):
        count.add(pictured, TableReading((), (), (200, 160), status))
    assert (count.tally.silent, count.silent_unreadable) == (3, 1)


def test_truth_of_a_photo_is_its_published_outlines() -> None:
    """Outlines have any number of corners. The quads were fitted by this project, so they are no truth."""
    outline = np.array([[0, 0], [40, 0], [44, 30], [40, 56], [0, 56]], np.float32)
    photo = AnnotatedPhoto(
        Path("a.jpg"), "a.jpg", "s1", (200, 160), (AnnotatedTile("joker", outline, quad(9, 9), True),)
    )
    truth = measure.truth_of_photo(photo)
    assert truth.labels == ("joker",)
    assert truth.cut == (True,)
    assert truth.quads_px is None
    assert np.array_equal(truth.outlines_px[0], outline)
