"""Streams in the bench: what is measured frame by frame comes under the keys that the table of figures asks for."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.benchmarks.vision import streams
from tests.benchmarks.vision.figures import figures_of
from tilekeeper.datasets.synthesis.recordings.recording import Plan
from tilekeeper.models.evaluation.measure import reader_of


def one_small(count: int, *_: object) -> Iterator[Plan]:
    """A stream of one turn on a small picture."""
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


def test_a_stream_gives_every_figure_of_its_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """The shipped networks follow a real one; both rows of the table have something to show."""
    monkeypatch.setattr(streams, "plans", one_small)
    measured = streams.read_streams(reader_of(None), 1)
    assert measured["streams"]["tiles"] > 10
    assert measured["streams"]["right"] > 0.8
    assert 0 <= measured["streams"]["upright"] <= 1
    assert measured["turn"]["turn_ms"] > 0
    rows = [row for row in figures_of(measured) if row.met is not None]
    assert [row.name for row in rows] == [
        "rendered streams after fusion, kept out",
        "a turn of 3 to 6 new tiles, on these streams",
    ]
