"""Reads a whole picture of a table: finds the tiles, names them, judges how sure it is, and groups them into rows."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import cv2
import numpy as np

from tilekeeper.vision.detection.detector import TileDetector
from tilekeeper.vision.detection.tiling import detect_in_pieces
from tilekeeper.vision.finetune.own_sets import OwnSet
from tilekeeper.vision.layout.rows import group_with_doubt
from tilekeeper.vision.quality.diagnostics import troubles_of
from tilekeeper.vision.quality.face_down import tiles_face_down
from tilekeeper.vision.quality.status import is_colourless, status_of
from tilekeeper.vision.recognition.appearance import NamesOfTiles
from tilekeeper.vision.recognition.glyph_embedding import FigureSpace
from tilekeeper.vision.recognition.refinement.neighbours import look_beside
from tilekeeper.vision.recognition.refinement.refine import look_at
from tilekeeper.vision.scoring.calibration import Confidence, Looks
from tilekeeper.vision.scoring.naming import (
    ReaderLimits,
    decoded,
    insisted_in_rows,
    named,
    of_one_set,
    without_doubles,
)
from tilekeeper.vision.scoring.tileness import IsTile, TileOrNot
from tilekeeper.vision.types import (
    INKS,
    Detections,
    Detector,
    ReadTile,
    TableReading,
    TileNames,
)

if TYPE_CHECKING:  # opens networks, which takes a while to import
    from tilekeeper.vision.runtime.manifest import Sessions


class Reader:
    """Picture in, `TableReading` out. Keeps nothing from one picture to the next."""

    def __init__(
        self,
        detector: Detector,
        namer: Callable[[np.ndarray, np.ndarray], NamesOfTiles],
        limits: ReaderLimits | None = None,
        confidence: Callable[[Looks], np.ndarray] | None = None,
        space: FigureSpace | None = None,
        is_tile: IsTile | None = None,
    ) -> None:
        """`detector` finds tiles, `namer(image_bgr, quads_px)` names those that are handed to it.

        `confidence` says how likely each name is right; without it the networks' own word is taken. `space` is that of
        the namer's `figures`; without one tiles are named each by itself. `is_tile` tells what only looks like a tile;
        without it nothing is left out for that.
        """
        self._detector = detector
        self._namer = namer
        self._limits = limits or ReaderLimits()
        self._confidence = confidence
        self._space = space
        self._is_tile = is_tile

    @property
    def detector(self) -> Detector:
        """What finds tiles."""
        return self._detector

    @property
    def namer(self) -> Callable[[np.ndarray, np.ndarray], NamesOfTiles]:
        """What names those that are handed to it."""
        return self._namer

    @property
    def limits(self) -> ReaderLimits:
        """What it is sure of."""
        return self._limits

    @property
    def confidence(self) -> Callable[[Looks], np.ndarray] | None:
        """How likely each name is right, where that was fitted."""
        return self._confidence

    @property
    def space(self) -> FigureSpace | None:
        """Where the figures of one printing are told from those of others, where that was fitted."""
        return self._space

    @property
    def is_tile(self) -> IsTile | None:
        """What tells how likely something is a tile at all, where that was fitted."""
        return self._is_tile

    @classmethod
    def shipped(cls, threads: int = 2, own_set: OwnSet | None = None) -> "Reader":
        """Return a reader with the networks that ship with the project, `own_set` their last layer where it is given.

        Raises `ModelsMissing`, and `OwnSetRefused` for a set that was fitted for other networks.
        """
        from tilekeeper.vision.finetune.classifier import namer_of
        from tilekeeper.vision.runtime.manifest import load_sessions

        sessions = load_sessions(threads)
        return cls.of(sessions, namer_of(sessions, own_set))

    @classmethod
    def of(cls, sessions: "Sessions", namer: Callable[[np.ndarray, np.ndarray], NamesOfTiles]) -> "Reader":
        """Return a reader with these networks and all that was fitted for them; `namer` may be one of one's own."""
        limits, confidence = ReaderLimits.of_manifest(sessions.manifest), Confidence.of_manifest(sessions.manifest)
        is_tile = TileOrNot.of_manifest(sessions.manifest)
        return cls(TileDetector(sessions.finder), namer, limits, confidence, sessions.figures, is_tile)

    def read(
        self, image_bgr: np.ndarray, inks: tuple[str, str, str, str] = INKS, *, time_s: float | None = None
    ) -> TableReading:
        """Return what lies on the table in a picture `(H, W, 3) uint8`.

        `inks` are the edition's names of `INKS`, in that order. Raises `ValueError` for what is no such picture.
        """
        if image_bgr.ndim != 3 or image_bgr.shape[2] != 3 or image_bgr.dtype != np.uint8:
            raise ValueError(f"a picture must be (H, W, 3) uint8, got {image_bgr.shape} {image_bgr.dtype}")
        if len(inks) != len(INKS):
            raise ValueError(f"there are {len(INKS)} inks, got {len(inks)}")
        height, width = image_bgr.shape[:2]
        small = _shrunk(image_bgr, self._limits.working_px)
        colourless = is_colourless(small)
        detections = detect_in_pieces(self._detector, small)
        found = self._tiles(detections, small, inks, colourless)
        quads_px = np.array([tile.sighting.quad_px for tile in found]).reshape(-1, 4, 2)
        rows, other_rows = group_with_doubt(quads_px)
        tiles = decoded(found, rows, inks)
        status = status_of(small, quads_px, tuple(tile.doubtful for tile in tiles), colourless)
        sure = np.array([not tile.doubtful for tile in tiles], bool)
        face_down = tiles_face_down(small, detections.faint_px, quads_px, sure)
        troubles = troubles_of(small, tuple(tiles), rows, face_down)
        numbered = tuple(
            replace(tile, sighting=replace(tile.sighting, track=track)) for track, tile in enumerate(tiles)
        )
        small_wh = small.shape[1], small.shape[0]
        reading = TableReading(numbered, rows, small_wh, status, time_s, troubles, face_down, other_rows)
        return reading.scaled_to((width, height))

    def _tiles(
        self, detections: Detections, image: np.ndarray, inks: tuple[str, str, str, str], colourless: bool
    ) -> list[ReadTile]:
        """Return the tiles in a picture, each place once, in the order in which the detector found them."""
        quads_px = detections.quads_px
        if not len(quads_px):
            return []
        looked = look_beside(self._namer, image, look_at(self._namer, image, quads_px), detections.faint_px)
        missed = np.full(len(looked.quads_px) - len(quads_px), self._limits.sure_score)
        scores = np.concatenate([detections.scores, missed])
        confidence = self._confidence

        def weigh(names: Sequence[TileNames]) -> np.ndarray | None:
            return confidence(Looks(names, looked.number_log_probs, looked.ink_log_probs)) if confidence else None

        tiles = named(looked, scores, self._limits, inks, colourless, weigh, insist=True, space=self._space)
        return of_one_set(image, insisted_in_rows(without_doubles(tiles)), self._is_tile)


def _shrunk(image: np.ndarray, most_px: int) -> np.ndarray:
    """Return the picture with at most so many pixels; the very same where it has no more."""
    height, width = image.shape[:2]
    factor = (most_px / (height * width)) ** 0.5
    if factor >= 1:
        return image
    size_wh = max(1, round(width * factor)), max(1, round(height * factor))
    return cv2.resize(image, size_wh, interpolation=cv2.INTER_AREA)
