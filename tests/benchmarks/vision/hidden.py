"""Hide each tile in turn from the detector and count the outcomes: read correctly, flagged, or silently missed.

A missed tile has no confidence, so no threshold can flag it. The bench removes all detections at the place of the tile,
including weak ones; the rest of the reader must notice the gap.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from tilekeeper.models.evaluation.measure import Pictured, predictions_of
from tilekeeper.models.evaluation.score import match
from tilekeeper.vision.detection.detector import Detector
from tilekeeper.vision.low_camera import SceneReading
from tilekeeper.vision.pipeline import Reader, StreamTracks
from tilekeeper.vision.scene import Scene
from tilekeeper.vision.types import Detections, DoubtReason, TileSet

MAY_BE_NONE = {DoubtReason.HARDLY_A_TILE, DoubtReason.HARDLY_FOUND, DoubtReason.UNLIKE_THE_OTHERS}
"""The doubts about whether something is a tile at all."""
REACH = 0.6
"""Detections closer than this to the centre of a hidden tile, in tile widths, are removed."""


@dataclass(slots=True)
class HiddenOnes:
    """Outcomes of the hidden tiles, and questions on the same images without hidden tiles.

    `shown` is the number of tiles on these images and `questions` the number of questions on them. `whether_a_tile`
    counts those about whether something is a tile: the search for missed tiles adds no other questions.
    """

    hidden: int = 0
    read: int = 0
    flagged: int = 0
    silent: int = 0
    shown: int = 0
    questions: int = 0
    whether_a_tile: int = 0
    faults: list[str] = field(default_factory=list)

    def figures(self) -> dict[str, object]:
        """Return the figures for the page: `silent` per 1,000 hidden tiles, questions per 1,000 shown ones."""
        return {
            "hidden": self.hidden,
            "read": self.read,
            "asked": self.flagged,
            "silent": self.silent,
            "silent_per_1000": 1000 * self.silent / max(self.hidden, 1),
            "tiles_where_nothing_was_hidden": self.shown,
            "questions_there": self.questions,
            "questions_per_1000": 1000 * self.questions / max(self.shown, 1),
            "of_these_whether_it_is_a_tile": self.whether_a_tile,
            "of_these_whether_it_is_a_tile_per_1000": 1000 * self.whether_a_tile / max(self.shown, 1),
            "faults": self.faults,
        }


class _Hiding(Reader):
    """A reader whose detector misses one place, in the image and in the view from above."""

    def __init__(self, reader: Reader, image_bgr: np.ndarray) -> None:
        super().__init__(reader.detector, reader.classifier, reader.calibration)
        self._detector, self._as_it_is = reader.detector, _detected(reader.detector, image_bgr)
        self.outline_px: np.ndarray | None = None

    def read_scene(
        self, scene: Scene, tile_set: TileSet, tracks: StreamTracks | None = None, time_s: float | None = None
    ) -> SceneReading:
        detections, outline_px = self._as_it_is, self.outline_px
        if scene.view is not None:
            detections = _detected(self._detector, scene.image_bgr)
            outline_px = None if outline_px is None else scene.view.to_view(outline_px)
        self.detector = _FixedDetector(detections if outline_px is None else _hidden(detections, outline_px))
        return super().read_scene(scene, tile_set, tracks, time_s)


@dataclass(frozen=True, slots=True)
class _FixedDetector:
    """A detector that returns given detections."""

    detections: Detections

    def detect(self, scene: Scene) -> Detections:
        return self.detections

    def detect_in(self, scene: Scene, boxes_px: np.ndarray, known_px: np.ndarray) -> Detections:
        return self.detections.select_inside(boxes_px)


def _hidden(detections: Detections, outline_px: np.ndarray) -> Detections:
    """Return the detections without those closer than `REACH` to the centre of an outline `(K, 2)`."""
    low, high = outline_px.min(axis=0), outline_px.max(axis=0)

    def is_elsewhere(quads_px: np.ndarray) -> np.ndarray:
        return np.linalg.norm(quads_px.mean(axis=1) - (low + high) / 2, axis=1) > REACH * float(min(high - low))

    tiles, faint = is_elsewhere(detections.quads_px), is_elsewhere(detections.faint_px)
    quads_px, scores = detections.quads_px[tiles], detections.scores[tiles]
    return replace(detections, quads_px=quads_px, scores=scores, faint_px=detections.faint_px[faint])


def hide_each(pictures: Iterable[Pictured], reader: Reader, max_count: int | None = None) -> HiddenOnes:
    """Read each image once for each tile that counts, with that tile hidden; at most `max_count` tiles per image.

    Images with a single tile are skipped: with it hidden, nothing shows the size of a tile.
    """
    counted = HiddenOnes()
    for pictured in pictures:
        image, truth = pictured.load(), pictured.truth
        hiding = _Hiding(reader, image)
        untouched = hiding.read(image)
        matches = match(truth, predictions_of(untouched))
        counted.shown += truth.cut.count(False)
        counted.questions += sum(tile.doubtful for tile in untouched.tiles)
        counted.whether_a_tile += sum(
            any(doubt.reason in MAY_BE_NONE for doubt in tile.doubts) for tile in untouched.tiles
        )
        tiles = [at for at, cut in enumerate(truth.cut) if not cut and matches[at] is not None]
        if len(tiles) < 2:
            continue
        step = 1 if max_count is None else max(1, -(-len(tiles) // max_count))
        for at in tiles[::step]:
            outline = np.asarray(truth.outlines_px[at], np.float64)
            hiding.outline_px = outline
            predictions = predictions_of(hiding.read(image))
            matched = match(replace(truth, outlines_px=(outline,), labels=(truth.labels[at],)), predictions)[0]
            counted.hidden += 1
            if matched is not None and predictions[matched].doubtful:
                counted.flagged += 1
            elif matched is not None and predictions[matched].label == truth.labels[at]:
                counted.read += 1
            else:
                counted.silent += 1
                what = "missed" if matched is None else f"read as {predictions[matched].label}"
                x, y = outline.mean(axis=0)
                counted.faults.append(f"{pictured.name}: {truth.labels[at]} at {x:.0f},{y:.0f} {what}")
    return counted


def _detected(detector: Detector, image: np.ndarray) -> Detections:
    """Return all detections in an image, whole or in parts, as the reader does."""
    from tilekeeper.vision.detection.tiling import detect_in_pieces

    return detect_in_pieces(detector, Scene(image))
