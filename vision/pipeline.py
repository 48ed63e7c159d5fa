"""The reading pipeline: from one image, or from a frame of a stream with its tracks, to a `TableReading`.

    detect -> classify -> refine -> recover missed tiles -> [in a stream: match tracks -> explain lost tiles]
    -> decide -> rows -> reading -> diagnostics

For a stream, `tracking.tracker` keeps the candidates from frame to frame and calls the same functions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

import cv2
import numpy as np

from tilekeeper.vision.arrays import Floats, Image, no_quads
from tilekeeper.vision.detection.detector import Detector, TileDetector
from tilekeeper.vision.detection.tiling import are_unoccupied, detect_changes
from tilekeeper.vision.geometry.proximity import are_taken, in_boxes
from tilekeeper.vision.geometry.quads import as_quads, enlarge
from tilekeeper.vision.geometry.rectification import Rectification
from tilekeeper.vision.imaging import resize
from tilekeeper.vision.low_camera import SceneReading, find_better_view
from tilekeeper.vision.quality.diagnostics import add_diagnostics, is_colourless, status_of
from tilekeeper.vision.recognition.classifier import Classifier
from tilekeeper.vision.recognition.inks import InkEvidence
from tilekeeper.vision.recognition.refinement.missed_tiles import add_missed_tiles
from tilekeeper.vision.recognition.refinement.refine import classify_tiles
from tilekeeper.vision.scene import Scene
from tilekeeper.vision.scoring.calibration import Calibration
from tilekeeper.vision.scoring.decision import decide
from tilekeeper.vision.scoring.membership import MIN_CERTAIN_INSIDE_SHARE
from tilekeeper.vision.tile_table import Appearances, TileTable
from tilekeeper.vision.types import AlternativeGrouping, Detections, FaceMap, Rows, TableReading, TileSet

if TYPE_CHECKING:  # opens networks, which takes a while to import
    from tilekeeper.vision.manifest import Sessions


class StreamTracks(Protocol):
    """Interface of a stream's tracks, implemented by `tracking.tracks.SceneTracks`."""

    @property
    def sought_px(self) -> Floats: ...
    @property
    def unchanged_px(self) -> Floats: ...
    @property
    def next_track(self) -> int: ...
    def match(self, scene: Scene, observed: TileTable) -> TileTable: ...
    def explain_lost(self, scene: Scene, found: TileTable) -> tuple[TileTable, TileTable]: ...
    def known_inks(self, tiles: TileTable) -> InkEvidence | None: ...


class Reader:
    """Reads photos one by one; keeps nothing from one photo to the next."""

    def __init__(self, detector: Detector, classifier: Classifier, calibration: Calibration | None = None) -> None:
        """`detector` finds tiles in a scene, `classifier(image_bgr, quads_px)` classifies quads of an image."""
        self.detector, self.classifier, self.calibration = detector, classifier, calibration or Calibration()

    @classmethod
    def of(cls, sessions: Sessions, classifier: Classifier) -> Reader:
        """Return a reader with the detector and the calibration of `sessions`, and the given classifier."""
        calibration = Calibration.of_manifest(sessions.manifest, sessions.figures)
        return cls(TileDetector(sessions.detector), classifier, calibration)

    def read(self, image_bgr: Image, tile_set: TileSet | None = None) -> TableReading:
        """Read a photo `(H, W, 3) uint8` BGR; return the reading with corners in pixels of the photo.

        `tile_set`: names of the inks and copies (`TileSet()` if None). `ValueError` for an array of another type.
        """
        scene = Scene(self.prepare(image_bgr))
        tile_set = tile_set or TileSet()
        result = self.read_scene(scene, tile_set)
        result = self.search_views(scene.image_bgr, result.candidates, result.reading, tile_set) or result
        reading = add_diagnostics(scene, *result.in_camera_image())
        return _numbered(reading).scale_to((image_bgr.shape[1], image_bgr.shape[0]))

    def prepare(self, image_bgr: Image) -> Image:
        """Return the image, shrunk to at most `working_px` pixels; `ValueError` unless it is `(H, W, 3) uint8`."""
        return limit_pixels(check_image(image_bgr), self.calibration.limits.working_px)

    def search_views(
        self, image_bgr: Image, candidates: TileTable, reading: TableReading, tile_set: TileSet
    ) -> SceneReading | None:
        """Return the reading of a rectified view of an image, or None if no view is better (`find_better_view`)."""

        def read_view(view: Rectification) -> SceneReading:
            return self.read_scene(Scene(view.warp(image_bgr), view=view), tile_set)

        return find_better_view(read_view, image_bgr, candidates, reading)

    def read_scene(
        self, scene: Scene, tile_set: TileSet, tracks: StreamTracks | None = None, time_s: float | None = None
    ) -> SceneReading:
        """Return the reading of a scene, without diagnostics; `tracks` and `time_s` are None for a photo."""
        sought_px, unchanged_px = (no_quads(),) * 2 if tracks is None else (tracks.sought_px, tracks.unchanged_px)
        # Detect tiles where the scene changed.
        detections, weak_px = detect_changes(self.detector, scene, unchanged_px)
        # Classify the detections and refine their corners. Classify the places of tiles that were not detected again.
        lost_px = sought_px[~are_taken(sought_px, detections.quads_px)]
        detected, lost = self._classify(scene.image_bgr, detections.quads_px, unchanged_px, lost_px)
        # Recover tiles that the detector missed.
        observed, scores = self._recover_missed(scene, detected, detections, unchanged_px)
        observed, scores = Appearances.concatenate([observed, lost]), np.append(scores, np.zeros(len(lost)))
        candidates = drop_cut_off(scene, TileTable.from_classification(observed, scores))
        in_hand = candidates.at(slice(0))
        if tracks is not None:
            # Match the candidates with the tiles that are followed.
            found = tracks.match(scene, candidates)
            # Explain the tiles that are lost; those that are covered stay.
            candidates, in_hand = tracks.explain_lost(scene, found)
            candidates = self._recover_in_changes(scene, candidates, detections.faces, tracks.next_track)
            candidates = candidates.at(np.argsort(candidates.track))
        # Decide which candidates are tiles and what their labels are, group them in rows, and make the reading.
        colourless = is_colourless(scene.image_bgr)
        inks = None if tracks is None else tracks.known_inks(candidates)
        reading, candidates = assemble(scene, candidates, tile_set, self.calibration, colourless, inks, time_s)
        return SceneReading(reading, candidates, in_hand, weak_px, colourless, scene.view)

    def _classify(
        self, image_bgr: Image, places_px: Floats, unchanged_px: Floats, lost_px: Floats
    ) -> tuple[Appearances, Appearances]:
        """Classify and refine the tiles at `places_px`; only classify `lost_px`, where there is mostly a bare table."""
        if len(places_px):
            looks = classify_tiles(self.classifier, image_bgr, places_px, unchanged_px, lost_px)
        else:
            looks = self.classifier(image_bgr, lost_px) if len(lost_px) else Appearances.empty()
        return looks.at(slice(len(places_px))), looks.at(slice(len(places_px), None))

    def _recover_missed(
        self, scene: Scene, detected: Appearances, found: Detections, unchanged_px: Floats
    ) -> tuple[Appearances, Floats]:
        """Return the `found` tiles, classified in `detected`, and then the missed tiles, and the scores `(N,)` of all.

        If only parts of the image changed, `_recover_in_changes` searches for them, because it knows more tiles.
        """
        if not len(detected) or scene.rest.changed_px is not None:
            return detected, found.scores
        all_tiles = add_missed_tiles(self.classifier, scene.image_bgr, detected, found.faces)
        missed_scores = np.full(len(all_tiles) - len(detected), self.calibration.limits.sure_score)
        is_kept = are_unoccupied(scene, all_tiles.quads_px, unchanged_px)
        is_kept[: len(detected)] = True
        return all_tiles.at(is_kept), np.append(found.scores, missed_scores)[is_kept]

    def _recover_in_changes(self, scene: Scene, tiles: TileTable, faces: FaceMap | None, next_track: int) -> TileTable:
        """Return the tiles, and after them those that the detector missed in the changed parts of the scene.

        They are searched for before the first reading, because a run may be legal without its last tile. Their tracks
        are `next_track` or higher.
        """
        visible, changed_px = tiles.at(~tiles.covered), scene.rest.changed_px
        if changed_px is None or not in_boxes(enlarge(visible.quads_px, 2), changed_px).any():
            return tiles
        looks = add_missed_tiles(self.classifier, scene.image_bgr, visible.tempered(), faces)
        missed = looks.at(slice(len(visible), None))
        # Only tiles occupy a place; a missed tile may be at the place of a non-tile.
        missed = missed.at(are_unoccupied(scene, missed.quads_px, tiles.quads_px[tiles.is_tile]))
        first_track = max(next_track, int(tiles.track.max(initial=-1)) + 1)
        scores = np.full(len(missed), self.calibration.limits.sure_score)
        return TileTable.concatenate([tiles, TileTable.from_classification(missed, scores, first_track)])


def drop_cut_off(scene: Scene, candidates: TileTable) -> TileTable:
    """Return the candidates; in a rectified view, without candidates that the edge of the camera's image cuts off."""
    if scene.view is None:
        return candidates
    return candidates.at(scene.view.shares_shown(candidates.quads_px) >= MIN_CERTAIN_INSIDE_SHARE)


def assemble(
    scene: Scene,
    candidates: TileTable,
    tile_set: TileSet,
    calibration: Calibration,
    colourless: bool = False,
    known_inks: InkEvidence | None = None,
    time_s: float | None = None,
) -> tuple[TableReading, TileTable]:
    """Decide which candidates, sorted by track, are tiles; return the reading, and the table with the decisions.

    `colourless`: whether the image has no colours; `known_inks`: inks that people confirmed on tiles that are gone.
    """
    decision = decide(scene, candidates, tile_set.copies, calibration, is_colourless=colourless, known_inks=known_inks)
    table = decision.table
    tiles, reported = table.at(decision.tiles), np.flatnonzero(table.is_reported)
    status = status_of(scene, as_quads(tiles.quads_px), tiles.is_doubtful, colourless)
    # Rows hold no tile that a person rejected.
    places = np.searchsorted(reported, decision.tiles).tolist()
    alternatives = tuple(AlternativeGrouping(_at(places, other.rows), other.weight) for other in decision.alternatives)
    read = table.at(reported).read_tiles(tile_set.inks)
    return TableReading(read, _at(places, decision.rows), scene.wh, status, time_s, other_rows=alternatives), table


def _numbered(reading: TableReading) -> TableReading:
    """Return the reading of a photo with each tile's index as its track."""
    tiles = (replace(tile, sighting=replace(tile.sighting, track=at)) for at, tile in enumerate(reading.tiles))
    return replace(reading, tiles=tuple(tiles))


def _at(places: Sequence[int], rows: Rows) -> Rows:
    return tuple(tuple(places[at] for at in row) for row in rows)


def check_image(image_bgr: Image) -> Image:
    """Return the image unchanged; raise `ValueError` if it is not `(H, W, 3) uint8`."""
    if image_bgr.ndim != 3 or image_bgr.shape[2] != 3 or image_bgr.dtype != np.uint8:
        raise ValueError(f"a picture must be (H, W, 3) uint8, got {image_bgr.shape} {image_bgr.dtype}")
    return image_bgr


def limit_pixels(image: Image, max_pixels: int) -> Image:
    """Return the image shrunk to at most `max_pixels` pixels; the same array if it has no more."""
    height, width = image.shape[:2]
    factor = (max_pixels / (height * width)) ** 0.5
    if factor >= 1:
        return image
    return resize(image, (max(1, round(width * factor)), max(1, round(height * factor))), cv2.INTER_AREA)
