"""Reads a table: the one way from a picture, or from what is followed over many pictures, to a `TableReading`.

`find_candidates` finds and names what may be tiles; `assemble` makes a reading of candidates; `surveyed` adds what lies
face down and what is wrong with the picture. A photo is a table that is seen once; `tracking.tracker` keeps the
candidates of a table from frame to frame and calls the same functions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import cv2
import numpy as np

from tilekeeper.vision.detection.detector import TileDetector
from tilekeeper.vision.detection.tiling import detect_in_pieces
from tilekeeper.vision.finetune.own_sets import OwnSet
from tilekeeper.vision.geometry.proximity import are_free
from tilekeeper.vision.geometry.quads import as_quads, centres_px, distances_px, points_in_quads, sizes_wh_px
from tilekeeper.vision.geometry.rectification import (
    Rectification,
    fit_rectification,
    guess_rectification,
    is_foreshortened,
    most_are_foreshortened,
)
from tilekeeper.vision.imaging import keeping
from tilekeeper.vision.quality.diagnostics import troubles_of
from tilekeeper.vision.quality.face_down import tiles_face_down
from tilekeeper.vision.quality.status import is_colourless, status_of
from tilekeeper.vision.recognition.appearance import Appearances, Classifier
from tilekeeper.vision.recognition.ink_evidence import InkEvidence
from tilekeeper.vision.recognition.refinement.neighbours import add_missed_tiles
from tilekeeper.vision.recognition.refinement.pale_places import add_pale_places
from tilekeeper.vision.recognition.refinement.refine import classify_tiles
from tilekeeper.vision.scoring.calibration import Calibration
from tilekeeper.vision.scoring.decision import decide
from tilekeeper.vision.scoring.membership import MIN_CERTAIN_INSIDE_SHARE, PALE_PLACE_SCORE
from tilekeeper.vision.scoring.tile_table import TileTable
from tilekeeper.vision.types import (
    NO_TILE_LABEL,
    AlternativeGrouping,
    Detector,
    ReadTile,
    Rows,
    TableReading,
    TileSet,
)

if TYPE_CHECKING:  # opens networks, which takes a while to import
    from tilekeeper.vision.manifest import Sessions
from tilekeeper.vision.geometry.proximity import MIN_NEXT_TILE_DISTANCE_WIDTHS
from tilekeeper.vision.geometry.rectification import MIN_FIRM_RECTIFICATION_TILES
from tilekeeper.vision.recognition.appearance import MIN_CONFIDENT_LABEL_PROB

# The table is read from above at most this many times, each time with the result of the reading before.
MAX_RECTIFIED_VIEW_COUNT = 3
# With at most this many tiles read, a low camera is guessed even if no tile is doubtful or unread.
MAX_LOW_CAMERA_GUESS_TILES = 2
# A detection with at least this score that was not read may be a tile at a low angle.
MIN_UNREAD_SCORE = 0.5


class Reader:
    """Reads pictures one by one; keeps nothing from one picture to the next."""

    def __init__(self, detector: Detector, classifier: Classifier, calibration: Calibration | None = None) -> None:
        """`detector` finds tiles, `classifier(image_bgr, quads_px)` names what lies at quads that are handed to it."""
        self.detector = detector
        self.classifier = classifier
        self.calibration = calibration or Calibration()

    @classmethod
    def shipped(cls, threads: int, own_set: OwnSet | None = None, working_px: int | None = None) -> Reader:
        """Return a reader with the networks that ship with the project, `own_set` their last layer where it is given.

        Each network uses `threads` threads; an image of more than `working_px` pixels is read at a smaller size, none
        for None. Raises `ModelsMissing`, and `OwnSetRefused` for a set that was fitted for other networks.
        """
        from tilekeeper.vision.finetune.classifier import build_classifier
        from tilekeeper.vision.manifest import load_sessions

        sessions = load_sessions(threads)
        reader = cls.of(sessions, build_classifier(sessions, own_set))
        if working_px is not None:
            limits = replace(reader.calibration.limits, working_px=working_px)
            reader.calibration = replace(reader.calibration, limits=limits)
        return reader

    @classmethod
    def of(cls, sessions: Sessions, classifier: Classifier) -> Reader:
        """Return a reader with these networks and all that was fitted for them; `classifier` may be one of one's
        own."""
        calibration = Calibration.of_manifest(sessions.manifest, sessions.figures)
        return cls(TileDetector(sessions.detector), classifier, calibration)

    @keeping()
    def read(self, image_bgr: np.ndarray, tile_set: TileSet | None = None) -> TableReading:
        """Return what lies on the table in a picture `(H, W, 3) uint8`, with corners in its pixels.

        Without a `tile_set` the inks are called as in `INKS`, and there are two of each tile. Raises `ValueError` for
        what is no such picture.
        """
        checked(image_bgr)
        small = shrunk_to(image_bgr, self.calibration.limits.working_px)
        tile_set = tile_set or TileSet()
        sight = self._at_sight(small, tile_set)
        sight = self.from_above(small, sight.reading, sight.unread, tile_set) or sight
        reading = surveyed(small, *sight.in_picture())
        tiles = tuple(
            tile if tile.sighting.track == at else replace(tile, sighting=replace(tile.sighting, track=at))
            for at, tile in enumerate(reading.tiles)
        )
        return replace(reading, tiles=tiles).scale_to((image_bgr.shape[1], image_bgr.shape[0]))

    def from_above(self, image_bgr: np.ndarray, reading: TableReading, unread: int, tile_set: TileSet) -> Sight | None:
        """Return what is seen from straight above, where a low camera sees the table and no less is told of it then.

        `reading` is what was read of the picture `(H, W, 3) uint8` as it is, and `unread` how many were found and not
        read. Where no certain tile tells how the table lies, but it may be seen from low, it is guessed.
        """
        best: Sight | None = None
        sure_px = certain_px(reading)
        found = fit_rectification(sure_px, image_bgr)
        guessed = found is None and may_be_low(reading, unread)
        if guessed:
            found = guess_rectification(image_bgr)
        for at in range(MAX_RECTIFIED_VIEW_COUNT):
            if found is None:
                break
            sight = self._at_sight(found.warp(image_bgr), tile_set, found)
            shown_px = certain_px(sight.reading)
            firm = found.firm and (best is not None or not guessed)
            better = _shows_no_less(sight.reading, reading, sight.lost(sure_px), firm)
            better |= sight.shows_more(reading if best is None else best.in_picture()[0])
            told_px = found.to_image(shown_px)
            if better and guessed and at == 0 and not most_are_foreshortened(found.to_image(read_px(sight.reading))):
                break  # most lie as seen from above
            if better:
                best, reading = sight, sight.reading
            elif best or len(shown_px) < len(certain_px(reading)):
                break
            # more tiles tell more of how the table lies, also where a guess has shown the same tiles less askew
            found = fit_rectification(told_px, image_bgr)
        return best

    def _at_sight(self, image_bgr: np.ndarray, tile_set: TileSet, from_above: Rectification | None = None) -> Sight:
        sure_score = self.calibration.limits.sure_score
        candidates, faint_px = find_candidates(self.detector, self.classifier, image_bgr, sure_score)
        candidates = shown_by(from_above, candidates) if from_above else candidates
        colourless = is_colourless(image_bgr)
        reading, _ = assemble(image_bgr, candidates, tile_set, self.calibration, colourless=colourless)
        return Sight(reading, faint_px, unread(candidates, reading), from_above)


@dataclass(frozen=True, slots=True, eq=False)
class Sight:
    """What is read of a picture by itself, before it is surveyed.

    Attributes:
        reading: the tiles, in pixels of the picture or of what `from_above` shows of it.
        faint_px: the places `(K, 4, 2)` there that are too faint for tiles.
        unread: how many were found for sure and are none of the tiles.
        from_above: how it was made of the picture, None where it is the picture.
    """

    reading: TableReading
    faint_px: np.ndarray
    unread: int
    from_above: Rectification | None

    def in_picture(self) -> tuple[TableReading, np.ndarray]:
        """Return the reading and the faint places in pixels of the picture itself."""
        if self.from_above is None:
            return self.reading, self.faint_px
        back = self.from_above.to_image
        return self.reading.map_points(back, self.from_above.picture_wh), back(self.faint_px)

    def shows_more(self, before: TableReading) -> bool:
        """Return whether more is read than in a reading of one or two tiles or none, `before`, in the picture's pixels.

        All that was read must be seen here, too, what was certain by the same name, and nothing new on it: drawn out,
        the maker's name on a tile looks like another. What a person rejected is nothing new. A tile to ask about is
        better than one that is missed, but where nothing was read each must have a name, for on an empty table other
        things look like tiles.
        """
        here = self.in_picture()[0]
        here_px, there_px = read_px(here), as_quads([tile.sighting.quad_px for tile in before.tiles])
        if not len(there_px) < len(here_px) or len(there_px) > MAX_LOW_CAMERA_GUESS_TILES or self.lost(there_px):
            return False
        nearest = distances_px(centres_px(there_px), centres_px(here_px)).argmin(axis=1).tolist()
        labels = [_not_rejected(here)[at].label for at in nearest]
        if any(tile.label != label for tile, label in zip(before.tiles, labels, strict=True) if not tile.doubtful):
            return False
        if not len(there_px):
            return all(tile.confidence >= MIN_CONFIDENT_LABEL_PROB for tile in _not_rejected(self.reading))
        return bool((points_in_quads(centres_px(here_px), there_px).sum(axis=0) <= 1).all())

    def lost(self, quads_px: np.ndarray) -> int:
        """Return at how many of these places in the picture, `(N, 4, 2)`, no tile lies."""
        seen_px = as_quads([tile.sighting.quad_px for tile in self.in_picture()[0].tiles])
        within_px = MIN_NEXT_TILE_DISTANCE_WIDTHS * sizes_wh_px(quads_px)[:, :1]
        return int(np.count_nonzero(are_free(centres_px(quads_px), centres_px(seen_px), within_px)))


def shown_by(from_above: Rectification, candidates: TileTable) -> TileTable:
    """Return the candidates in a view from above that the edge of the picture does not cut off."""
    return candidates.at(from_above.shares_shown(candidates.quads_px) >= MIN_CERTAIN_INSIDE_SHARE)


def read_px(reading: TableReading) -> np.ndarray:
    """Return where the tiles of a reading lie, certain or not, `(N, 4, 2)`."""
    return as_quads([tile.sighting.quad_px for tile in _not_rejected(reading)])


def certain_px(reading: TableReading) -> np.ndarray:
    """Return where the tiles of a reading lie of which nothing is in doubt, `(N, 4, 2)`."""
    return as_quads([tile.sighting.quad_px for tile in _not_rejected(reading) if not tile.doubtful])


def may_be_low(reading: TableReading, unread: int) -> bool:
    """Return whether a low camera may see a table: one or two tiles are read or none, or few and something is open.

    Open is what is in doubt, and what was found for sure and not read: `unread` are so many. Of many tiles some are
    certain, and tell how the table lies.
    """
    tiles = _not_rejected(reading)
    is_open = unread > 0 or any(tile.doubtful for tile in tiles)
    return len(tiles) <= MAX_LOW_CAMERA_GUESS_TILES or (is_open and len(tiles) < MIN_FIRM_RECTIFICATION_TILES)


def looks_low(reading: TableReading) -> bool:
    """Return whether some tile of a reading, certain or not, is seen so much from the side as before a low camera."""
    return is_foreshortened(read_px(reading))


def _not_rejected(reading: TableReading) -> list[ReadTile]:
    """The tiles of a reading but for what a person said is none."""
    return [tile for tile in reading.tiles if tile.label != NO_TILE_LABEL]


def _shows_no_less(seen: TableReading, before: TableReading, lost: int, firm: bool) -> bool:
    """Return whether a view from above is better than what was read before; by a guess, more must be certain in it.

    As many more, besides, as it has `lost` of those that were certain in the picture: others may be no tiles. Where
    most tiles tell how the table lies, it is `firm`, and a tile to ask about is better than one that is missed.
    """
    certain, least = len(certain_px(seen)), len(certain_px(before)) + lost
    asked = len(seen.tiles) - certain
    return certain >= least if firm else certain > least + (asked > len(_not_rejected(before)))


def unread(candidates: TileTable, reading: TableReading) -> int:
    """Return how many candidates the detector found for sure that are none of the tiles that were read of them."""
    read = [tile.sighting.track for tile in reading.tiles]
    found = candidates.score >= MIN_UNREAD_SCORE
    return int(np.count_nonzero(found & ~np.isin(candidates.track, read)))


def find_candidates(
    detector: Detector, classifier: Classifier, image_bgr: np.ndarray, missed_score: float
) -> tuple[TileTable, np.ndarray]:
    """Return all that may be tiles in a picture, and the places `(K, 4, 2)` that are too faint for tiles.

    The tiles that the detector found come first, in its order, then those that it missed, with `missed_score`.
    """
    detections = detect_in_pieces(detector, image_bgr)
    if not len(detections.scores):
        return TileTable.none(), detections.faint_px
    at_detections = classify_tiles(classifier, image_bgr, detections.quads_px)
    return with_missed(
        classifier, image_bgr, at_detections, detections.scores, detections.faint_px, missed_score
    ), detections.faint_px


def with_missed(
    classifier: Classifier,
    image_bgr: np.ndarray,
    seen: Appearances,
    scores: np.ndarray,
    faint_px: np.ndarray,
    missed_score: float,
) -> TileTable:
    """Return the candidates at N places that the detector found, with `scores (N,)`, and after them what it missed.

    What lies beside those or at faint places `(K, 4, 2)` has the score `missed_score`; of what lies alone nothing but
    the classifier speaks.
    """
    beside = add_missed_tiles(classifier, image_bgr, seen, faint_px)
    every = add_pale_places(classifier, image_bgr, beside)
    missed = np.full(len(beside) - len(seen), missed_score), np.full(len(every) - len(beside), PALE_PLACE_SCORE)
    return TileTable.from_classification(every, np.concatenate([scores, *missed]))


def assemble(
    image_bgr: np.ndarray,
    candidates: TileTable,
    tile_set: TileSet,
    calibration: Calibration,
    *,
    colourless: bool = False,
    known_inks: InkEvidence | None = None,
    time_s: float | None = None,
) -> tuple[TableReading, TileTable]:
    """Make a reading of the candidates in a picture `(H, W, 3) uint8`, and return them as the next one is made of them.

    TileTable and tiles come in the order of their tracks. `colourless` says whether the picture shows no inks, and
    `known_inks` are those that people named on this table before. What lies face down and the troubles are for
    `surveyed` to add.
    """
    decision = decide(
        image_bgr, candidates, tile_set.copies, calibration, is_colourless=colourless, known_inks=known_inks
    )
    table = decision.table
    tiles, reported = table.at(decision.tiles), np.flatnonzero(table.is_reported)
    status = status_of(image_bgr, as_quads(tiles.quads_px), tiles.is_doubtful, colourless)
    # rows hold no tile that a person rejected
    places = np.searchsorted(reported, decision.tiles).tolist()
    others = tuple(AlternativeGrouping(_at(places, other.rows), other.weight) for other in decision.alternatives)
    image_wh, read = (image_bgr.shape[1], image_bgr.shape[0]), table.at(reported).read_tiles(tile_set.inks)
    return TableReading(read, _at(places, decision.rows), image_wh, status, time_s, other_rows=others), table


def surveyed(image_bgr: np.ndarray, reading: TableReading, faint_px: np.ndarray) -> TableReading:
    """Return the reading of a picture with the tiles that lie face down in it, and with what is wrong with it.

    `faint_px (K, 4, 2)` are the places that the detector found too faint for tiles. What something covers is left out.
    """
    tiles, rows = _visible(reading)
    quads_px = as_quads([tile.sighting.quad_px for tile in tiles])
    sure = np.array([not tile.doubtful for tile in tiles], bool)
    face_down = tiles_face_down(image_bgr, faint_px, quads_px, sure)
    return replace(reading, face_down=face_down, troubles=troubles_of(image_bgr, tiles, rows, face_down))


def _visible(reading: TableReading) -> tuple[tuple[ReadTile, ...], Rows]:
    """Return the tiles in the rows of a reading that nothing covers, and their rows."""
    seen = sorted(at for row in reading.rows for at in row if not reading.tiles[at].sighting.hidden)
    new = {at: index for index, at in enumerate(seen)}
    rows = [tuple(new[at] for at in row if at in new) for row in reading.rows]
    return tuple(reading.tiles[at] for at in seen), tuple(filter(None, rows))


def _at(places: Sequence[int], rows: Rows) -> Rows:
    return tuple(tuple(places[at] for at in row) for row in rows)


def checked(image_bgr: np.ndarray) -> np.ndarray:
    """Return the picture; raises `ValueError` where it is none, `(H, W, 3) uint8`."""
    if image_bgr.ndim != 3 or image_bgr.shape[2] != 3 or image_bgr.dtype != np.uint8:
        raise ValueError(f"a picture must be (H, W, 3) uint8, got {image_bgr.shape} {image_bgr.dtype}")
    return image_bgr


def shrunk_to(image: np.ndarray, most_px: int) -> np.ndarray:
    """Return the picture with at most so many pixels; the very same where it has no more."""
    height, width = image.shape[:2]
    factor = (most_px / (height * width)) ** 0.5
    if factor >= 1:
        return image
    size_wh = max(1, round(width * factor)), max(1, round(height * factor))
    return cv2.resize(image, size_wh, interpolation=cv2.INTER_AREA)
