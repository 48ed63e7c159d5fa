"""Detection in the changed parts of a scene, and tiled detection: very large images are searched in pieces.

The detector downscales its input to the size of its training images, which makes tiles in very large ones too small.
"""

from dataclasses import replace

import numpy as np

from tilekeeper.vision.arrays import Bools, Floats
from tilekeeper.vision.detection.detector import Detector
from tilekeeper.vision.geometry.proximity import are_taken, in_outlines
from tilekeeper.vision.geometry.quads import sizes_wh_px
from tilekeeper.vision.scene import Scene
from tilekeeper.vision.types import Detections

MAX_SINGLE_PASS_SIDE_PX = 2048  # frames with at most this longer side are always searched in a single pass
PIECE_SIDE_PX = 1024  # larger frames are split into pieces with at most this side
MIN_PIECE_OVERLAP_PX = 192  # overlap of neighbouring pieces; a tile up to this length is whole in one of them
MIN_SINGLE_PASS_TILE_PX = 24.0  # a large frame is searched in pieces if its tiles are narrower at the single-pass size
MAX_SINGLE_PASS_ASPECT_RATIO = 2.0  # a large frame without detections is searched in pieces if it is longer than this


def detect_changes(detector: Detector, scene: Scene, unchanged_px: Floats) -> tuple[Detections, Floats | None]:
    """Detect tiles where a scene changed, but not at unchanged tiles `(N, 4, 2)` or under occluders.

    Return the detections, and all weak detections of the image `(K, 4, 2)`, None if only a part of it was searched.
    """
    boxes_px, weak_px = scene.rest.changed_px, None
    if boxes_px is None:
        detections = detect_in_pieces(detector, scene)
        weak_px = detections.faint_px
    elif not len(boxes_px):
        detections = Detections()
    elif len(unchanged_px):
        detections = detector.detect_in(scene, boxes_px, unchanged_px)
    else:
        detections = detect_in_pieces(detector, scene)
        detections, weak_px = detections.select_inside(boxes_px), detections.faint_px
    is_free = are_unoccupied(scene, detections.quads_px, unchanged_px)
    quads_px, scores = detections.quads_px[is_free], detections.scores[is_free]
    return replace(detections, quads_px=quads_px, scores=scores), weak_px


def are_unoccupied(scene: Scene, places_px: Floats, known_px: Floats) -> Bools:
    """Return a mask `(N,)` of the places `(N, 4, 2)` that hold no known tile `(M, 4, 2)` and are under no occluder."""
    return np.asarray(~(are_taken(places_px, known_px) | in_outlines(places_px, scene.rest.hidden_px)))


def detect_in_pieces(detector: Detector, scene: Scene) -> Detections:
    """Detect the tiles of a whole image, in pieces if they are too small for one search.

    A tile in the overlap of two pieces is detected twice. Weak detections are those of the whole image.
    """
    whole = detector.detect(scene)
    width, height = scene.wh
    longer, shorter = max(height, width), min(height, width)
    if longer <= MAX_SINGLE_PASS_SIDE_PX:
        return whole
    if len(whole.scores):
        tile_px = float(np.median(sizes_wh_px(whole.quads_px)[:, 0])) * MAX_SINGLE_PASS_SIDE_PX / longer
        if tile_px >= MIN_SINGLE_PASS_TILE_PX:
            return whole
    elif longer <= MAX_SINGLE_PASS_ASPECT_RATIO * shorter:
        return whole
    pieces = [_detect_in_piece(detector, scene, left, top) for top in _starts(height) for left in _starts(width)]
    quads_px, scores = (np.concatenate(columns) for columns in zip(*pieces, strict=True))
    return replace(whole, quads_px=quads_px, scores=scores) if len(scores) >= len(whole.scores) else whole


def _starts(length_px: int) -> list[int]:
    """Return the start pixels of evenly spaced pieces of a side, which overlap by at least `MIN_PIECE_OVERLAP_PX`."""
    if length_px <= PIECE_SIDE_PX:
        return [0]
    count = -(-(length_px - MIN_PIECE_OVERLAP_PX) // (PIECE_SIDE_PX - MIN_PIECE_OVERLAP_PX))
    return [round(index * (length_px - PIECE_SIDE_PX) / (count - 1)) for index in range(count)]


def _detect_in_piece(detector: Detector, scene: Scene, left: int, top: int) -> tuple[Floats, Floats]:
    """Return quads and scores of the tiles in one piece, without tiles that its inner edges cut: the next has these."""
    piece = scene.image_bgr[top : top + PIECE_SIDE_PX, left : left + PIECE_SIDE_PX]
    height, width = piece.shape[:2]
    top_left = np.array([2 if left else -np.inf, 2 if top else -np.inf])
    is_cut = np.array([left + width < scene.wh[0], top + height < scene.wh[1]])
    bottom_right = np.where(is_cut, (width - 3, height - 3), np.inf)
    detections = detector.detect(Scene(np.ascontiguousarray(piece)))
    is_whole = np.all((detections.quads_px >= top_left) & (detections.quads_px <= bottom_right), axis=(1, 2))
    return (detections.quads_px[is_whole] + np.array([left, top])).astype(np.float32), detections.scores[is_whole]
