"""Names rectified tiles with the small network: which number or joker, which ink, which way up, or not a tile.

The same look at the crop mends the tile's corners: the crop shows a little of what lies around the tile.
"""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np

from tilekeeper.vision.arrays import Floats, Image, split_channels
from tilekeeper.vision.imaging import perspective_transform, resize, warp_perspective
from tilekeeper.vision.recognition.appearance import Appearances
from tilekeeper.vision.recognition.glyph_embedding import FigureSpace
from tilekeeper.vision.recognition.ink_mixture import absorbed
from tilekeeper.vision.runtime.network import Network
from tilekeeper.vision.runtime.space_to_depth import space_to_depth
from tilekeeper.vision.types import JOKER, NOT_A_TILE, WHITE, best_label_log_probs

# The classifier's corner correction is clipped to this; corners further off belong to something else.
MAX_CORNER_SHIFT_WIDTHS = 0.45
# A tile wider than this times its width in the crop is downscaled by area averaging to prevent aliasing.
MIN_DOWNSCALE_RATIO = 1.5
# A whole-number downscale, which is much faster, is used if it leaves a tile below this times its crop width.
MAX_RESIDUAL_SCALE_RATIO = 1.2
# The verifier classifies a tile again if the classifier's label is less likely than this.
MIN_UNVERIFIED_LABEL_PROB = 0.97
# The verifier classifies a non-tile again if the classifier is less certain than this that it is none.
MIN_UNVERIFIED_NON_TILE_PROB = 0.98
# A joker's probability is capped at this before the verifier is chosen: sideways numbers resemble jokers.
MAX_JOKER_LABEL_PROB = 0.96


CROP_WH = (48, 72)
"""Width and height of a rectified tile, in pixels."""
MARGIN = 0.12
"""How much around the tile the crop shows, as a share of the crop on each side."""
INNER = np.array(
    [[MARGIN, MARGIN], [1 - MARGIN, MARGIN], [1 - MARGIN, 1 - MARGIN], [MARGIN, 1 - MARGIN]], np.float32
) * np.array(CROP_WH, np.float32)
"""Where a quad's corners come to lie in its crop, `(4, 2) float32`."""
TILE_PX = (1 - 2 * MARGIN) * CROP_WH[0]
"""The width of a tile in its crop: the unit in which the network says how far the corners are off."""


def whiten(crops: Image | Floats) -> Floats:
    """Divide each crop by its own white, the light of its brightest three tenths, channel by channel.

    `crops (N, H, W, 3)`, uint8 or float32, 0 to 255; returns the same shape in float32 with white at 1, at most 1.6.
    The tile's white face is the one reference that lamp and camera leave us. What lies around the tile has no say.
    """
    white_crops = crops / _whites(crops)[:, None, None]
    return np.minimum(white_crops, np.float32(1.6), out=white_crops)


def white_bytes(crops: Image) -> Image:
    """Whiten crops `(N, H, W, 3) uint8` as `whiten` does, in bytes: the same shape, `WHITE` = white."""
    white_crops: Image = np.empty(crops.shape, np.uint8)
    gains = (WHITE / _whites(crops))[:, None] * np.eye(3, dtype=np.float32)
    for crop, gain, white_crop in zip(crops, gains, white_crops, strict=True):
        cv2.transform(crop, gain, white_crop)
    return white_crops


def _whites(crops: Image | Floats) -> Floats:
    """The light of each crop's brightest three tenths, channel by channel, 12 at least: `(N, 3) float32`."""
    sparse = split_channels(crops[:, 10:-10:3, 7:-7:2])
    rank = int(sparse.shape[2] * 0.7)
    # bytes take four times as long to put in order
    wide = sparse.astype(np.uint16) if sparse.dtype == np.uint8 else sparse
    white = np.partition(wide, rank, axis=2)[:, :, rank:].mean(axis=2)
    light: Floats = np.maximum(white, 12.0).astype(np.float32)
    return light


def rectify(image_bgr: Image, quads_px: Floats) -> tuple[Image, Floats]:
    """Cut tiles out upright: `quads_px (N, 4, 2) float32` to `(N, 72, 48, 3) uint8` BGR.

    Returns the crops and the homographies `(N, 3, 3) float64` that lead from the picture to them. Tiles much larger
    than a crop are taken from a picture shrunk by area, so that nothing aliases.
    """
    width, height = CROP_WH
    crops: Image = np.zeros((len(quads_px), height, width, 3), np.uint8)
    views = np.empty((len(quads_px), 3, 3))
    quads = np.asarray(quads_px, np.float32).reshape(-1, 4, 2)
    tops, rights = np.linalg.norm(np.diff(quads[:, :3], axis=1), axis=2).T
    for i, (quad, side) in enumerate(zip(quads, np.maximum(tops, 0.667 * rights), strict=True)):
        views[i] = perspective_transform(quad, INNER)
        part, view = image_bgr, views[i]
        if side > MIN_DOWNSCALE_RATIO * TILE_PX:
            room, times = 0.35 * side + 2, int(side / TILE_PX)
            low = np.maximum(np.floor(quad.min(axis=0) - room).astype(int), 0)
            high = np.maximum(np.ceil(quad.max(axis=0) + room).astype(int) + 1, 0)
            high += (low - high) % times  # whole pixels for each that comes of them take a fraction of the time
            part = image_bgr[low[1] : high[1], low[0] : high[0]]
            nearly = times > 1 and side < MAX_RESIDUAL_SCALE_RATIO * times * TILE_PX
            scale = 1 / times if nearly else TILE_PX / side
            if min(part.shape[:2]) * scale <= 0.5:  # of a quad that all but misses the picture
                continue
            size_wh = max(1, round(part.shape[1] * scale)), max(1, round(part.shape[0] * scale))
            # pixel centres lie at whole numbers
            quad = (quad - low.astype(np.float32) + 0.5) * np.divide(size_wh, part.shape[1::-1], dtype=np.float32) - 0.5
            part = resize(part, size_wh, cv2.INTER_AREA)
            view = perspective_transform(quad, INNER)
        crops[i] = warp_perspective(part, view, CROP_WH)
    return crops, views


def _mended(views: Floats, shifts: Floats) -> Floats:
    """The quads back in the picture, `(N, 4, 2) float32`, after `shifts (N, 8)` of their corners in tile widths."""
    moves = np.clip(shifts.reshape(-1, 4, 2), -MAX_CORNER_SHIFT_WIDTHS, MAX_CORNER_SHIFT_WIDTHS) * TILE_PX
    back_to = np.linalg.inv(views).transpose(0, 2, 1)
    back = (INNER + moves) @ back_to[:, :2] + back_to[:, 2:]
    quads: Floats = (back[..., :2] / back[..., 2:]).astype(np.float32)
    return quads


def log_softmax(logits: Floats) -> Floats:
    """Return logarithms of chances for logits `(N, K)`, row by row."""
    shifted = logits - logits.max(axis=1, keepdims=True)
    logs: Floats = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return logs


class TileClassifier:
    """Calls the classifier's ONNX session (any object with `run`) on rectified tiles.

    What it is less than sure of, or takes for a joker, is shown to the `verifier`, a wider network with the same
    outputs that learnt from what this one doubts; its word stands. The features of `session` lie in the `space`.
    `logits_of` makes logits `(N, 28)` of features `(N, 128)` in place of the network's own last layer.
    """

    def __init__(
        self,
        session: Network,
        verifier: Network | None = None,
        space: FigureSpace | None = None,
        logits_of: Callable[[Floats], Floats] | None = None,
    ) -> None:
        self._session, self._verifier, self._space, self._logits_of = session, verifier, space, logits_of

    def __call__(self, image_bgr: Image, quads_px: Floats) -> Appearances:
        """Name the tiles at `quads_px (N, 4, 2)`, clockwise from each tile's own top left, in pixels of `image_bgr`."""
        if not len(quads_px):
            return Appearances.empty(0 if self._space is None else len(self._space.spread))
        crops, views = rectify(image_bgr, quads_px)
        white_crops = white_bytes(crops)
        squares, ink_colours = space_to_depth(white_crops), absorbed(white_crops)
        logits, figures = self._answers(squares)
        numbers, inks, rest = log_softmax(logits[:, :15]), log_softmax(logits[:, 15:19]), logits[:, 19:].copy()
        asked = np.flatnonzero(doubt_of(numbers, inks, rest[:, 0]) > 0) if self._verifier is not None else ()
        if self._verifier is not None and len(asked):
            second = self._verifier.run(["logits"], {"crops": squares[asked]})[0]
            numbers[asked], inks[asked] = log_softmax(second[:, :15]), log_softmax(second[:, 15:19])
            rest[asked] = second[:, 19:28]
        return Appearances(numbers, inks, rest[:, 0], _mended(views, rest[:, 1:]), ink_colours, figures)

    def _answers(self, squares: Image) -> tuple[Floats, Floats]:
        """What the network says of squares of whitened crops `(N, 36, 24, 12)`: `(N, 28)`, and their `figures`."""
        own, none = self._logits_of is None, np.zeros((len(squares), 0), np.float32)
        if own and self._space is None:
            return self._session.run(["logits"], {"crops": squares})[0], none
        *logits, features = self._session.run(["logits", "features"] if own else ["features"], {"crops": squares})
        figures = none if self._space is None else self._space.places(features)
        return logits[0] if self._logits_of is None else self._logits_of(features), figures


def doubt_of(number_log_probs: Floats, ink_log_probs: Floats, upside_down_log_odds: Floats) -> Floats:
    """How much the classifier doubts each crop, `(N,)`: 0 where the verifier just isn't asked, above it the more it is.

    What stands on its head is not asked about: it will be looked at turned anyway.
    """
    best = number_log_probs.argmax(axis=1)
    sureness = best_label_log_probs(number_log_probs, ink_log_probs)
    sureness = np.where(best == JOKER, np.minimum(sureness, np.log(MAX_JOKER_LABEL_PROB)), sureness)
    least = np.log(np.where(best == NOT_A_TILE, MIN_UNVERIFIED_NON_TILE_PROB, MIN_UNVERIFIED_LABEL_PROB))
    return np.where(upside_down_log_odds > 0, -np.inf, least - sureness)
