"""Detects tiles in pieces of images that are too long or too large for one pass, and only where a scene changed.

The detector shrinks each image to the size that its network was made for. A panorama, or a large image taken from far
away, would show tiles as specks then.
"""

import numpy as np

from tilekeeper.vision.arrays import Bools, Floats
from tilekeeper.vision.detection.detector import Detector
from tilekeeper.vision.geometry.proximity import are_taken
from tilekeeper.vision.geometry.quads import sizes_wh_px
from tilekeeper.vision.geometry.regions import in_outlines
from tilekeeper.vision.scene import Scene
from tilekeeper.vision.types import Detections

# Frames with at most this longer side are always searched in a single pass.
MAX_SINGLE_PASS_SIDE_PX = 2048
# Larger frames are split into pieces with at most this side.
PIECE_SIDE_PX = 1024
# Neighbouring pieces overlap by at least this; a tile up to this length is whole in one of them.
MIN_PIECE_OVERLAP_PX = 192
# A large frame is searched in pieces if its tiles are narrower than this at the single-pass size.
MIN_SINGLE_PASS_TILE_PX = 24.0
# A large frame without detections is searched in pieces if it is longer than this times its shorter side.
MAX_SINGLE_PASS_ASPECT_RATIO = 2.0


def detect_changes(detector: Detector, scene: Scene, unchanged_px: Floats) -> tuple[Detections, Floats | None]:
    """Detect tiles where a scene changed, but not where tiles are unchanged nor where something covers the table.

    `unchanged_px (N, 4, 2)` are the tiles that are known to stay. Also return all places `(K, 4, 2)` that are too faint
    for tiles; None if only a part of the image was searched.
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
        detections, weak_px = detections.inside(boxes_px), detections.faint_px
    free = are_free(scene, detections.quads_px, unchanged_px)
    return Detections(detections.quads_px[free], detections.scores[free], detections.faint_px), weak_px


def are_free(scene: Scene, places_px: Floats, unchanged_px: Floats) -> Bools:
    """Return which places `(N, 4, 2)` hold no unchanged tile `(M, 4, 2)` and are not covered, `(N,)` bool."""
    free: Bools = ~(are_taken(places_px, unchanged_px) | in_outlines(places_px, scene.rest.hidden_px))
    return free


def detect_in_pieces(detector: Detector, scene: Scene) -> Detections:
    """Detect the tiles of a whole image, in one pass or, where its tiles are specks, piece by piece.

    A tile in the overlap of two pieces is detected twice. The faint places are those of the whole image.
    """
    whole = detector.detect(scene)
    width, height = scene.wh
    longer, shorter = max(height, width), min(height, width)
    if longer <= MAX_SINGLE_PASS_SIDE_PX:
        return whole
    if len(whole.scores):
        widths = sizes_wh_px(whole.quads_px)[:, 0]
        nearer = float(np.median(widths)) * MAX_SINGLE_PASS_SIDE_PX / longer < MIN_SINGLE_PASS_TILE_PX
    else:
        nearer = longer > MAX_SINGLE_PASS_ASPECT_RATIO * shorter
    if not nearer:
        return whole
    pieces = [_detect_in_piece(detector, scene, left, top) for top in _starts(height) for left in _starts(width)]
    quads_px, scores = (np.concatenate(some) for some in zip(*pieces, strict=True))
    return Detections(quads_px, scores, whole.faint_px) if len(scores) >= len(whole.scores) else whole


def _starts(length_px: int) -> list[int]:
    """Return where pieces start that cover a length evenly and overlap by at least `MIN_PIECE_OVERLAP_PX`."""
    if length_px <= PIECE_SIDE_PX:
        return [0]
    count = -(-(length_px - MIN_PIECE_OVERLAP_PX) // (PIECE_SIDE_PX - MIN_PIECE_OVERLAP_PX))
    return [round(at * (length_px - PIECE_SIDE_PX) / (count - 1)) for at in range(count)]


def _detect_in_piece(detector: Detector, scene: Scene, left: int, top: int) -> tuple[Floats, Floats]:
    """Return quads and scores of the tiles that are whole in one piece; its neighbours have those that it cuts."""
    piece = scene.image_bgr[top : top + PIECE_SIDE_PX, left : left + PIECE_SIDE_PX]
    height, width = piece.shape[:2]
    low = np.array([2 if left else -np.inf, 2 if top else -np.inf])
    high = np.array(
        [
            width - 3 if left + width < scene.wh[0] else np.inf,
            height - 3 if top + height < scene.wh[1] else np.inf,
        ]
    )
    found = detector.detect(Scene(np.ascontiguousarray(piece)))
    whole = np.all((found.quads_px >= low) & (found.quads_px <= high), axis=(1, 2))
    return (found.quads_px[whole] + np.array([left, top])).astype(np.float32), found.scores[whole]
