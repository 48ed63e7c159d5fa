"""Streams in the bench: their figures have the keys of the table of figures."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.benchmarks.vision import streams
from tests.benchmarks.vision.figures import figures_of
from tests.benchmarks.vision.photo_looks import PhotoLooks
from tilekeeper.datasets.photos import load_annotated
from tilekeeper.datasets.synthesis.recordings.recording import Plan
from tilekeeper.models.evaluation.measure import reader_of


def one_small(count: int, *_: object) -> Iterator[Plan]:
    """Yield plans of streams with one turn in a small image."""
    for seed in range(count):
        yield Plan(
            7000 + seed,
            turns=1,
            fouls=0,
            melds=4,
            players=2,
            pool="train",
            fps=2.5,
            wh=(640, 480),
            tile_px=30.0,
            still_s=2.4,
        )


def test_stream_gives_every_figure_of_its_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """The shipped networks read one rendered stream."""
    monkeypatch.setattr(streams, "plans", one_small)
    measured = streams.read_streams(reader_of(None), 1)
    assert measured["streams"]["tiles"] > 10
    assert measured["streams"]["right"] > 0.8
    assert 0 <= measured["streams"]["upright"] <= 1
    assert measured["turn"]["turn_ms"] > 0
    rows = [row for row in figures_of(measured) if row.met is not None]
    assert [row.name for row in rows] == [
        "rendered streams",
        "a turn of 3 to 6 new tiles on the rendered streams",
    ]


def test_tiles_of_photos_make_a_stream(photos_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The seed chooses a photo for each tile."""
    photos = load_annotated(photos_folder, ["s3", "background"])
    looks = PhotoLooks(photos).draw(1)
    repeated = PhotoLooks(photos).draw(1)
    for label in ("red-7", "joker"):
        face = looks.draw(looks.printing, label, 60, 0)
        assert face.bgr.shape == (84, 60, 3)
        assert np.array_equal(face.bgr, repeated.draw(repeated.printing, label, 60, 0).bgr)
        assert (face.alpha[42, 30], face.alpha[0, 0]) == (1, 0)
    monkeypatch.setattr(streams, "plans", one_small)
    figures = streams.read_photo_streams(photos, reader_of(None), 1)
    assert figures["tiles"] > 10
    assert figures["right"] > 0.8
