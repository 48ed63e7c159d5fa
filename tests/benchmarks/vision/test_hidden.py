"""Tiles hidden from the detector one by one: read, flagged and silently missed tiles are counted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.benchmarks.vision.hidden import _Hiding, hide_each
from tests.support.projected_tiles import row_mm, seen_by_camera
from tests.support.truthful_networks import Truth
from tilekeeper.models.evaluation import score
from tilekeeper.models.evaluation.measure import Pictured
from tilekeeper.vision.geometry.rectification import guess_rectification
from tilekeeper.vision.pipeline import Reader
from tilekeeper.vision.scene import Scene
from tilekeeper.vision.types import TileSet

LABELS = ["red-4", "red-5", "red-6", "red-7", "red-8"]


def pictured(table: Truth, name: str = "a") -> Pictured:
    """Return the image of the table with its truth."""
    quads = table.quads_px.astype(np.float64)
    truth = score.Truth(tuple(table.labels), tuple(quads), (False,) * len(quads), np.zeros((0, 4)), quads)
    return Pictured(name, "s1", truth, None, table.picture)


def test_hidden_tile_in_a_row_is_still_read() -> None:
    """Its neighbours show its place, and the classifier reads its label."""
    table = Truth(seen_by_camera(row_mm((-60, 0), 5)), LABELS, (1920, 1080))
    hidden = hide_each([pictured(table)], Reader(table, table.classifier))
    assert (hidden.hidden, hidden.read, hidden.silent, hidden.faults) == (5, 5, 0, [])
    assert (hidden.shown, hidden.questions) == (5, 0)


def test_questions_without_hidden_tiles_are_counted() -> None:
    """One of five tiles is uncertain, and hidden tiles change nothing about that."""
    table = Truth(seen_by_camera(row_mm((-60, 0), 5)), LABELS, (1920, 1080), sure={2: 0.6})
    hidden = hide_each([pictured(table)], Reader(table, table.classifier))
    assert (hidden.shown, hidden.questions, hidden.whether_a_tile) == (5, 1, 0)
    assert hidden.figures()["questions_per_1000"] == 200
    faint = replace(table, sure=0.99, none={4: 0.4})
    assert hide_each([pictured(faint)], Reader(faint, faint.classifier)).whether_a_tile == 1


def test_hidden_tile_that_is_classified_as_none_is_a_silent_miss() -> None:
    """The bench lists it as an error."""
    table = Truth(seen_by_camera(row_mm((-60, 0), 5)), LABELS, (1920, 1080))
    blind = Truth(table.quads_px, [*LABELS[:4], "no-tile"], table.image_wh)
    calls = 0

    def classifier(image: np.ndarray, quads_px: np.ndarray) -> object:
        nonlocal calls
        calls += 1
        return (table if len(quads_px) == 5 else blind).classifier(image, quads_px)

    hidden = hide_each([pictured(table)], Reader(table, classifier))  # type: ignore[arg-type]
    assert calls > 5
    assert (hidden.hidden, hidden.silent) == (5, 1)
    assert hidden.faults[0].startswith("a: red-8 at ")
    assert hidden.figures()["silent_per_1000"] == 200


def test_limited_number_of_tiles_per_image_and_no_single_tile() -> None:
    """The hidden tiles are spread evenly. A single hidden tile leaves nothing that shows the size of tiles."""
    table = Truth(seen_by_camera(row_mm((-60, 0), 5)), LABELS, (1920, 1080))
    assert hide_each([pictured(table)], Reader(table, table.classifier), max_count=2).hidden == 2
    single_tile = Truth(table.quads_px[:1], LABELS[:1], table.image_wh)
    assert hide_each([pictured(single_tile)], Reader(single_tile, single_tile.classifier)).hidden == 0


def test_hidden_tile_is_hidden_in_the_view_from_above_too() -> None:
    """The detector runs on that view as well, and its detections at the same place are removed."""
    table = Truth(seen_by_camera(row_mm((-60, 0), 5)), LABELS, (1920, 1080))
    image = table.picture()
    above = guess_rectification(image)
    hiding = _Hiding(Reader(table, table.classifier), image)
    hiding.outline_px = table.quads_px[2].astype(np.float64)
    hiding.read_scene(Scene(above.warp(image), view=above), TileSet())
    detected_px = hiding.detector.detect(Scene(image)).quads_px
    assert detected_px == pytest.approx(above.to_view(table.quads_px[[0, 1, 3, 4]]), abs=1.5)
