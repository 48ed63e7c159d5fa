"""Reads a table: the one way from a picture, or from what is followed over many pictures, to a `TableReading`.

`find_candidates` finds and names what may be tiles; `assemble` makes a reading of candidates; `surveyed` adds what lies
face down and what is wrong with the picture. A photo is a table that is seen once; `tracking.tracker` keeps the
candidates of a table from frame to frame and calls the same functions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import cv2
import numpy as np

from tilekeeper.vision.detection.detector import TileDetector
from tilekeeper.vision.detection.tiling import detect_in_pieces
from tilekeeper.vision.finetune.own_sets import OwnSet
from tilekeeper.vision.geometry.quads import as_quads
from tilekeeper.vision.layout.rows import Rows, group_with_doubt
from tilekeeper.vision.quality.diagnostics import troubles_of
from tilekeeper.vision.quality.face_down import tiles_face_down
from tilekeeper.vision.quality.status import is_colourless, status_of
from tilekeeper.vision.recognition.appearance import Appearances, Namer
from tilekeeper.vision.recognition.refinement.neighbours import add_missed_tiles
from tilekeeper.vision.recognition.refinement.refine import name_tiles
from tilekeeper.vision.scoring.candidates import Candidate, Standing, certain
from tilekeeper.vision.scoring.evidence import Evidence
from tilekeeper.vision.scoring.hysteresis import with_locked_names
from tilekeeper.vision.scoring.membership import Comparisons, judged, of_the_set
from tilekeeper.vision.scoring.naming import Calibration, decoded, named, without_doubles
from tilekeeper.vision.scoring.unnamed_tiles import unnamed
from tilekeeper.vision.types import (
    JOINT_NOT_A_TILE,
    NO_TILE_LABEL,
    Detector,
    Grouping,
    Inks,
    ReadTile,
    Sighting,
    TableReading,
    TileNames,
    TileSet,
    labels_of,
)

if TYPE_CHECKING:  # opens networks, which takes a while to import
    from tilekeeper.vision.manifest import Sessions

Group = Callable[[np.ndarray], tuple[Rows, tuple[Grouping, ...]]]
"""Groups quads `(N, 4, 2)` into rows, and returns how they may lie otherwise, as `group_with_doubt` does."""


class Reader:
    """Reads pictures one by one; keeps nothing from one picture to the next."""

    def __init__(self, detector: Detector, namer: Namer, calibration: Calibration | None = None) -> None:
        """`detector` finds tiles, `namer(image_bgr, quads_px)` names what lies at quads that are handed to it."""
        self.detector = detector
        self.namer = namer
        self.calibration = calibration or Calibration()

    @classmethod
    def shipped(cls, threads: int = 2, own_set: OwnSet | None = None) -> Reader:
        """Return a reader with the networks that ship with the project, `own_set` their last layer where it is given.

        Raises `ModelsMissing`, and `OwnSetRefused` for a set that was fitted for other networks.
        """
        from tilekeeper.vision.finetune.classifier import namer_of
        from tilekeeper.vision.manifest import load_sessions

        sessions = load_sessions(threads)
        return cls.of(sessions, namer_of(sessions, own_set))

    @classmethod
    def of(cls, sessions: Sessions, namer: Namer) -> Reader:
        """Return a reader with these networks and all that was fitted for them; `namer` may be one of one's own."""
        calibration = Calibration.of_manifest(sessions.manifest, sessions.figures)
        return cls(TileDetector(sessions.finder), namer, calibration)

    def read(
        self, image_bgr: np.ndarray, tile_set: TileSet | None = None, *, time_s: float | None = None
    ) -> TableReading:
        """Return what lies on the table in a picture `(H, W, 3) uint8`, with corners in its pixels.

        Without a `tile_set` the inks are called as in `INKS`, and there are two of each tile. Raises `ValueError` for
        what is no such picture.
        """
        checked(image_bgr)
        limits = self.calibration.limits
        small = _shrunk(image_bgr, limits.working_px)
        candidates, faint_px = find_candidates(self.detector, self.namer, small, limits.sure_score)
        assembly = assemble(
            small, candidates, tile_set or TileSet(), self.calibration, colourless=is_colourless(small), time_s=time_s
        )
        reading = surveyed(small, assembly.reading, faint_px)
        tiles = tuple(
            tile if tile.sighting.track == at else replace(tile, sighting=replace(tile.sighting, track=at))
            for at, tile in enumerate(reading.tiles)
        )
        return replace(reading, tiles=tiles).scaled_to((image_bgr.shape[1], image_bgr.shape[0]))


def find_candidates(
    detector: Detector, namer: Namer, image_bgr: np.ndarray, missed_score: float
) -> tuple[list[Candidate], np.ndarray]:
    """Return all that may be tiles in a picture, and the places `(K, 4, 2)` that are too faint for tiles.

    The tiles that the detector found come first, in its order, then those that it missed, with `missed_score`.
    """
    detections = detect_in_pieces(detector, image_bgr)
    if not detections.found:
        return [], detections.faint_px
    at_detections = name_tiles(namer, image_bgr, detections.quads_px)
    appearances = add_missed_tiles(namer, image_bgr, at_detections, detections.faint_px)
    evidence = evidence_of(appearances, detections.scores, missed_score)
    return list(map(Candidate, range(len(evidence)), appearances.quads_px, evidence)), detections.faint_px


def evidence_of(appearances: Appearances, scores: np.ndarray, missed_score: float) -> list[Evidence]:
    """Return the evidence of N looks, the first F at tiles found with `scores (F,)`, the rest at those missed."""
    return Evidence.each(appearances, np.append(scores, np.full(len(appearances.quads_px) - len(scores), missed_score)))


@dataclass(frozen=True, slots=True)
class Assembly:
    """A reading, the candidates that it was made of, and what it says of them, by track.

    `locked` are the names to lock from now on, `comparisons` the tiles that were compared with those around them,
    `placed_px (4, 2)` the quads of those that lie in a row and could not be named.
    """

    reading: TableReading
    made_of: Sequence[Candidate]
    locked: Mapping[int, int | None]
    comparisons: Comparisons
    placed_px: Mapping[int, np.ndarray]

    def candidates(self) -> list[Candidate]:
        """Return the candidates as the next reading is made of them."""
        return [self._after(one) for one in self.made_of]

    def _after(self, one: Candidate) -> Candidate:
        compared = self.comparisons.get(one.track)
        after = one if compared is None else judged(one, *compared)
        lock, quad_px = self.locked.get(one.track, one.locked), self.placed_px.get(one.track, one.quad_px)
        unchanged = lock is after.locked and quad_px is after.quad_px
        return after if unchanged else replace(after, locked=lock, quad_px=quad_px)


def assemble(
    image_bgr: np.ndarray,
    candidates: Sequence[Candidate],
    tile_set: TileSet,
    calibration: Calibration,
    *,
    colourless: bool = False,
    group: Group = group_with_doubt,
    time_s: float | None = None,
) -> Assembly:
    """Make a reading of the candidates in a picture `(H, W, 3) uint8`; its tiles come in the order of their tracks.

    `colourless` says whether the picture shows no inks. What lies face down and the troubles are for `surveyed` to add.
    """
    by_track = {one.track: one for one in candidates}
    rejected = [one for one in candidates if one.person == JOINT_NOT_A_TILE]
    possible = [one for one in candidates if one.standing is not Standing.FOREIGN and one.person != JOINT_NOT_A_TILE]
    tiles = named(possible, calibration, tile_set, colourless)
    tiles, locked = with_locked_names(tiles, by_track, calibration.limits.doubtful_below, tile_set)
    # what was no tile at first sight must be one without a doubt
    tiles = [tile for tile in tiles if not (tile.doubtful and by_track[tile.sighting.track].was_passed_over)]
    tiles = without_doubles(tiles)
    in_rows = unnamed(possible, tiles, tile_set.inks)
    tiles, comparisons = of_the_set(image_bgr, _in_order([*tiles, *in_rows]), by_track, calibration.is_tile)
    rows, other_rows = group(as_quads([tile.sighting.quad_px for tile in tiles]).astype(np.float32))
    tiles = decoded(tiles, rows, tile_set)
    quads_px = as_quads([tile.sighting.quad_px for tile in tiles])
    status = status_of(image_bgr, quads_px, tuple(tile.doubtful for tile in tiles), colourless)
    every = _in_order([*tiles, *(_rejected(one, tile_set.inks) for one in rejected)])
    places = [at for at, tile in enumerate(every) if tile.label != NO_TILE_LABEL]
    others = tuple(Grouping(_at(places, other.rows), other.weight) for other in other_rows)
    image_wh = image_bgr.shape[1], image_bgr.shape[0]
    reading = TableReading(tuple(every), _at(places, rows), image_wh, status, time_s, other_rows=others)
    placed_px = {tile.sighting.track: tile.sighting.quad_px for tile in in_rows}
    return Assembly(reading, candidates, locked, comparisons, placed_px)


def surveyed(image_bgr: np.ndarray, reading: TableReading, faint_px: np.ndarray) -> TableReading:
    """Return the reading of a picture with the tiles that lie face down in it, and with what is wrong with it.

    `faint_px (K, 4, 2)` are the places that the detector found too faint for tiles. What something covers is left out.
    """
    tiles, rows = _visible(reading)
    quads_px = as_quads([tile.sighting.quad_px for tile in tiles])
    sure = np.array([not tile.doubtful for tile in tiles], bool)
    face_down = tiles_face_down(image_bgr, faint_px, quads_px, sure)
    return replace(reading, face_down=face_down, troubles=troubles_of(image_bgr, tiles, rows, face_down))


def _rejected(candidate: Candidate, inks: Inks) -> ReadTile:
    """Return what a person called no tile, with what it looks like as its runner-up."""
    evidence = candidate.evidence
    looks_like = TileNames(evidence.number_log_probs, evidence.ink_log_probs).log_probs[:JOINT_NOT_A_TILE].argmax()
    names = TileNames(*certain(JOINT_NOT_A_TILE))
    sighting = Sighting(candidate.track, candidate.quad_px, names, locked_by_person=True, hidden=candidate.hidden)
    return ReadTile(sighting, NO_TILE_LABEL, 1.0, labels_of(inks)[int(looks_like)])


def _visible(reading: TableReading) -> tuple[tuple[ReadTile, ...], Rows]:
    """Return the tiles in the rows of a reading that nothing covers, and their rows."""
    seen = sorted(at for row in reading.rows for at in row if not reading.tiles[at].sighting.hidden)
    new = {at: index for index, at in enumerate(seen)}
    rows = [tuple(new[at] for at in row if at in new) for row in reading.rows]
    return tuple(reading.tiles[at] for at in seen), tuple(filter(None, rows))


def _in_order(tiles: Sequence[ReadTile]) -> list[ReadTile]:
    return sorted(tiles, key=lambda tile: tile.sighting.track)


def _at(places: Sequence[int], rows: Rows) -> Rows:
    return tuple(tuple(places[at] for at in row) for row in rows)


def checked(image_bgr: np.ndarray) -> np.ndarray:
    """Return the picture; raises `ValueError` where it is none, `(H, W, 3) uint8`."""
    if image_bgr.ndim != 3 or image_bgr.shape[2] != 3 or image_bgr.dtype != np.uint8:
        raise ValueError(f"a picture must be (H, W, 3) uint8, got {image_bgr.shape} {image_bgr.dtype}")
    return image_bgr


def _shrunk(image: np.ndarray, most_px: int) -> np.ndarray:
    """Return the picture with at most so many pixels; the very same where it has no more."""
    height, width = image.shape[:2]
    factor = (most_px / (height * width)) ** 0.5
    if factor >= 1:
        return image
    size_wh = max(1, round(width * factor)), max(1, round(height * factor))
    return cv2.resize(image, size_wh, interpolation=cv2.INTER_AREA)
