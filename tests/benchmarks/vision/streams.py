"""Read rendered streams frame by frame, for accuracy after fusion and the time of a turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.benchmarks.progress import Watch, unwatched
from tests.benchmarks.vision.frames import Measured, follow, plans
from tests.benchmarks.vision.photo_looks import PhotoLooks
from tilekeeper.datasets.photos import AnnotatedPhoto
from tilekeeper.vision.pipeline import Reader

STREAMS, TURNS = 20, 2
SIZE_WH = 1280, 720


def read_photo_streams(
    photos: Sequence[AnnotatedPhoto], reader: Reader, count: int = STREAMS, watch: Watch = unwatched
) -> dict[str, Any]:
    """Follow `count` streams with tiles of the photos on empty tables of the photos."""
    looks, measured = PhotoLooks(photos), Measured()
    for plan in watch(list(plans(count, "kept-out", SIZE_WH, TURNS)), "Streams of the photos' tiles"):
        follow(plan, reader, measured, looks.draw(plan.seed))
    figures: dict[str, Any] = dict(measured.figures()["after fusion"])
    return figures | {"faults": measured.fused.faults}


def read_streams(reader: Reader, count: int = STREAMS, watch: Watch = unwatched) -> dict[str, dict[str, Any]]:
    """Follow `count` streams in held-out printings; return the figures under the keys of the table of figures."""
    measured = Measured()
    for plan in watch(list(plans(count, "kept-out", SIZE_WH, TURNS)), "Rendered streams"):
        follow(plan, reader, measured)
    figures = measured.figures()
    fused: dict[str, Any] = dict(figures["after fusion"])
    fused |= {"at_first_sight_right": figures["at first sight"]["right"], "faults": measured.fused.faults}
    return {"streams": fused | figures["tracks"], "turn": figures["times"]}
