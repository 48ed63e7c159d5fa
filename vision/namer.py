"""Names rectified tiles with the small network: which number or joker, which ink, which way up, or not a tile."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

CROP_WH = (48, 72)
"""Width and height of a rectified tile, in pixels."""
MARGIN = 0.06
"""How much around the tile the crop shows, as a share of the crop on each side."""
JOKER, NOT_A_TILE = 13, 14
"""Places of the joker and of "not a tile" among the numbers; 0 to 12 are the numbers 1 to 13."""


@dataclass(frozen=True, slots=True)
class Names:
    """What the namer says of N crops.

    `number_log_probs (N, 15) float32`: the numbers 1 to 13, joker, not a tile; `ink_log_probs (N, 4) float32`: black,
    blue, the warm ink (orange or yellow), red; `upside_down_log_odds (N,) float32`: above 0 it stands on its head.
    """

    number_log_probs: np.ndarray
    ink_log_probs: np.ndarray
    upside_down_log_odds: np.ndarray


def whiten(crops: np.ndarray) -> np.ndarray:
    """Divide each crop by its own white, the light of its brightest three tenths, channel by channel.

    `crops (N, H, W, 3) float32` 0 to 255; returns the same shape with white at 1, at most 1.6. The tile's white face
    is the one reference that lamp and camera leave us.
    """
    sparse = crops[:, ::3, ::3].reshape(len(crops), -1, 3)
    rank = int(sparse.shape[1] * 0.7)
    white = np.partition(sparse, rank, axis=1)[:, rank:].mean(axis=1)
    return np.minimum(crops / np.maximum(white, 12.0)[:, None, None], 1.6).astype(np.float32)


def rectify(image_bgr: np.ndarray, quads_px: np.ndarray) -> np.ndarray:
    """Cut tiles out upright: `quads_px (N, 4, 2) float32` to `(N, 72, 48, 3) float32` BGR 0 to 255.

    Tiles much larger than a crop are taken from a picture shrunk by area, so that nothing aliases.
    """
    width, height = CROP_WH
    inner = np.array([[MARGIN, MARGIN], [1 - MARGIN, MARGIN], [1 - MARGIN, 1 - MARGIN], [MARGIN, 1 - MARGIN]]) * (
        width,
        height,
    )
    inner = inner.astype(np.float32)
    crops = np.empty((len(quads_px), height, width, 3), np.float32)
    for i, quad in enumerate(np.asarray(quads_px, np.float32)):
        side = max(np.linalg.norm(quad[1] - quad[0]), 0.667 * np.linalg.norm(quad[2] - quad[1]))
        room = 0.2 * side + 2
        x0, y0 = np.maximum(np.floor(quad.min(axis=0) - room).astype(int), 0)
        x1, y1 = np.maximum(np.ceil(quad.max(axis=0) + room).astype(int) + 1, 0)
        part = image_bgr[y0:y1, x0:x1]
        if not part.size:
            crops[i] = 0
            continue
        quad = quad - (x0, y0)
        if side > 1.5 * width:
            scale = width / side
            part = cv2.resize(part, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
            quad = (quad + 0.5) * np.float32(scale) - 0.5  # pixel centres lie at whole numbers
        view = cv2.getPerspectiveTransform(quad.astype(np.float32), inner)
        crops[i] = cv2.warpPerspective(part, view, CROP_WH, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return crops


def _log_softmax(logits: np.ndarray) -> np.ndarray:
    shifted = logits - logits.max(axis=1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))


class Namer:
    """Calls the namer's ONNX session (any object with `run`) on rectified tiles."""

    def __init__(self, session: Any) -> None:
        self._session = session

    def __call__(self, image_bgr: np.ndarray, quads_px: np.ndarray) -> Names:
        """Name the tiles at `quads_px (N, 4, 2)`, clockwise from each tile's own top left, in pixels of `image_bgr`."""
        if not len(quads_px):
            return Names(np.zeros((0, 15), np.float32), np.zeros((0, 4), np.float32), np.zeros(0, np.float32))
        white = whiten(rectify(image_bgr, quads_px))
        planes = np.ascontiguousarray(white[..., ::-1].transpose(0, 3, 1, 2))
        logits = self._session.run(None, {"crops": planes})[0]
        return Names(_log_softmax(logits[:, :15]), _log_softmax(logits[:, 15:19]), logits[:, 19])
