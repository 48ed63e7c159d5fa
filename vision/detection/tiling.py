"""Finds tiles in pictures that are too long or too large to be looked at in one go, such as a panorama: piece by piece.

The detector shrinks what it is given to a size that its network was made for. In a picture six times as wide as high,
or one taken from far off, tiles would be specks then.
"""

import numpy as np

from tilekeeper.vision.arrays import Floats, Image
from tilekeeper.vision.geometry.quads import sizes_wh_px
from tilekeeper.vision.types import Detections, Detector

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


def detect_in_pieces(detector: Detector, image_bgr: Image) -> Detections:
    """Return what lies in a picture `(H, W, 3) uint8`, found in one go or, where its tiles are specks, piece by piece.

    A tile in the overlap of two pieces comes twice; whoever names them drops doubles. The faint places are those of the
    whole picture.
    """
    whole = detector.detect(image_bgr)
    height, width = image_bgr.shape[:2]
    longer, shorter = max(height, width), min(height, width)
    if longer <= MAX_SINGLE_PASS_SIDE_PX:
        return whole
    if len(whole.scores):
        widths = sizes_wh_px(whole.quads_px)[:, 0]
        nearer = np.median(widths) * MAX_SINGLE_PASS_SIDE_PX / longer < MIN_SINGLE_PASS_TILE_PX
    else:
        nearer = longer > MAX_SINGLE_PASS_ASPECT_RATIO * shorter
    if not nearer:
        return whole
    pieces = [_in_piece(detector, image_bgr, left, top) for top in _starts(height) for left in _starts(width)]
    quads_px, scores = (np.concatenate(some) for some in zip(*pieces, strict=True))
    return Detections(quads_px, scores, whole.faint_px) if len(scores) >= len(whole.scores) else whole


def _starts(length_px: int) -> list[int]:
    """Return where pieces start so that they cover a length evenly, each two sharing at least `piece_overlap_px`."""
    if length_px <= PIECE_SIDE_PX:
        return [0]
    count = -(-(length_px - MIN_PIECE_OVERLAP_PX) // (PIECE_SIDE_PX - MIN_PIECE_OVERLAP_PX))
    return [round(at * (length_px - PIECE_SIDE_PX) / (count - 1)) for at in range(count)]


def _in_piece(detector: Detector, image_bgr: Image, left: int, top: int) -> tuple[Floats, Floats]:
    """Return quads and scores of the tiles that lie whole in one piece; its neighbours have those that it cuts."""
    piece = image_bgr[top : top + PIECE_SIDE_PX, left : left + PIECE_SIDE_PX]
    height, width = piece.shape[:2]
    low = np.array([2 if left else -np.inf, 2 if top else -np.inf])
    high = np.array(
        [
            width - 3 if left + width < image_bgr.shape[1] else np.inf,
            height - 3 if top + height < image_bgr.shape[0] else np.inf,
        ]
    )
    found = detector.detect(np.ascontiguousarray(piece))
    whole = np.all((found.quads_px >= low) & (found.quads_px <= high), axis=(1, 2))
    return (found.quads_px[whole] + np.array([left, top])).astype(np.float32), found.scores[whole]
