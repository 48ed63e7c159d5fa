"""Draws a reading on its picture, to show detections and errors."""

import cv2
import numpy as np

from tilekeeper.vision.geometry.quads import centres_px, sizes_wh_px
from tilekeeper.vision.types import TableReading

SURE_BGR = (80, 200, 60)
DOUBTFUL_BGR = (0, 140, 255)
ROW_BGR = (220, 120, 40)


def draw_reading(image_bgr: np.ndarray, reading: TableReading) -> np.ndarray:
    """Return a copy of the picture with each tile outlined and named, its top side thick, and each row threaded.

    The picture may have another size than the one that was read; corners are scaled to it.
    """
    canvas = np.ascontiguousarray(image_bgr.copy())
    scale = np.array(canvas.shape[1::-1], np.float32) / np.array(reading.image_wh, np.float32)
    quads_px = np.array([tile.sighting.quad_px for tile in reading.tiles], np.float32).reshape(-1, 4, 2) * scale
    middles = centres_px(quads_px)
    for row in reading.rows:
        cv2.polylines(canvas, [_points(middles[list(row)])], False, ROW_BGR, 2, cv2.LINE_AA)
    for tile, quad_px, middle, (width, _) in zip(reading.tiles, quads_px, middles, sizes_wh_px(quads_px), strict=True):
        colour = DOUBTFUL_BGR if tile.doubtful else SURE_BGR
        cv2.polylines(canvas, [_points(quad_px)], True, colour, 1, cv2.LINE_AA)
        cv2.polylines(canvas, [_points(quad_px[:2])], False, colour, 3, cv2.LINE_AA)
        _write(canvas, f"{tile.label}{'?' if tile.doubtful else ''}", middle, float(width), colour)
    return canvas


def _points(points_px: np.ndarray) -> np.ndarray:
    return np.round(points_px).astype(np.int32)


def _write(canvas: np.ndarray, text: str, middle: np.ndarray, width_px: float, colour: tuple[int, int, int]) -> None:
    """Write text centred below a tile's middle, about as wide as the tile and never too small to read."""
    size = float(np.clip(width_px / 90, 0.3, 1.2))
    thickness = max(1, round(1.5 * size))
    (text_w, text_h), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, size, thickness)
    at = int(middle[0] - text_w / 2), int(middle[1] + 1.6 * text_h)
    cv2.putText(canvas, text, at, cv2.FONT_HERSHEY_SIMPLEX, size, (0, 0, 0), thickness + 2, cv2.LINE_AA)
    cv2.putText(canvas, text, at, cv2.FONT_HERSHEY_SIMPLEX, size, colour, thickness, cv2.LINE_AA)
