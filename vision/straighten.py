"""Straightens found quads by the edges in the picture: turns each to where edges run, and moves its sides onto them.

The finder's quads sit well but are turned by a few degrees. Edges of tiles run along and across them, and so does much
of the print, so that the gradients around the outline tell the turn (their directions, modulo a right angle); then each
side goes to the strongest edge near it.
"""

import cv2
import numpy as np

TILE_WH = (28, 40)
"""Size of a rectified tile, in pixels of the crop."""
ROOM = 6
"""Room around the tile in the crop, in its pixels."""
BAND = 5
"""The turn is read from the room and this far into the tile."""
REACH = (4, 3)
"""How far a side may move outwards and inwards, in pixels of the crop: the print is never far inside."""
PRIOR = 2.0
"""An edge this far from where the finder put the side counts for 0.6 of what it would count there."""
FAINT = 3.0
"""A side stays where no edge near it has a mean step of more than this (grey levels)."""
STRONG = 40.0
"""Steps count up to this, so that one glaring line does not outshout a whole side."""

_WIDTH, _HEIGHT = TILE_WH[0] + 2 * ROOM, TILE_WH[1] + 2 * ROOM
_INNER = np.array(
    [[ROOM, ROOM], [ROOM + TILE_WH[0], ROOM], [ROOM + TILE_WH[0], ROOM + TILE_WH[1]], [ROOM, ROOM + TILE_WH[1]]],
    np.float32,
) - np.float32(0.5)


def straightened(image_bgr: np.ndarray, quads_px: np.ndarray) -> np.ndarray:
    """Return the quads `(N, 4, 2) float32` turned and moved to the edges in a picture `(H, W, 3) uint8`."""
    if not len(quads_px):
        return np.zeros((0, 4, 2), np.float32)
    quads_px = np.asarray(quads_px, np.float32)
    crops, views = _crops(image_bgr, quads_px)
    middle = _INNER.mean(axis=0)
    turned = []
    for view, angle in zip(views, _turns(*_steps(crops)), strict=True):
        cos, sin = np.cos(angle), np.sin(angle)
        corners = (_INNER - middle) @ np.array([[cos, sin], [-sin, cos]]) + middle
        turned.append(_back(corners, view))
    crops, views = _crops(image_bgr, np.array(turned, np.float32))
    across, along = _steps(crops)
    across, along = np.minimum(np.abs(across), STRONG), np.minimum(np.abs(along), STRONG)
    columns = across[:, ROOM + TILE_WH[1] * 6 // 10 : -ROOM - 3].mean(axis=1)  # below the number
    rows = along[:, :, ROOM + 3 : -ROOM - 3].mean(axis=2)
    outwards, inwards = REACH
    left = _edges(columns, ROOM - 0.5, outwards, inwards)
    right = _edges(columns, ROOM + TILE_WH[0] - 0.5, inwards, outwards)
    top = _edges(rows, ROOM - 0.5, outwards, inwards)
    bottom = _edges(rows, ROOM + TILE_WH[1] - 0.5, inwards, outwards)
    boxes = np.stack([left, top, right, top, right, bottom, left, bottom], axis=1).reshape(-1, 4, 2)
    return np.array([_back(box, view) for box, view in zip(boxes, views, strict=True)], np.float32)


def _crops(image_bgr: np.ndarray, quads_px: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]]:
    """Return the tiles with the room around them, `(N, h, w, 3) int16`, and the homographies that led there."""
    crops = np.empty((len(quads_px), _HEIGHT, _WIDTH, 3), np.uint8)
    views = []
    for at, quad_px in enumerate(quads_px):
        part, quad = image_bgr, quad_px
        side = float(np.linalg.norm(quad_px[1] - quad_px[0]))
        scale = 1.0
        if side > 2 * TILE_WH[0]:  # a large tile would alias
            room = int(0.4 * side) + 4
            low = np.maximum(np.floor(quad_px.min(axis=0)).astype(int) - room, 0)
            high = np.ceil(quad_px.max(axis=0)).astype(int) + room
            part = image_bgr[low[1] : high[1], low[0] : high[0]]
            if part.size:
                scale = TILE_WH[0] / side
                part = cv2.resize(part, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
                quad = (quad_px - low + 0.5) * np.float32(scale) - np.float32(0.5)
            else:
                part = image_bgr
        view = cv2.getPerspectiveTransform(quad.astype(np.float32), _INNER)
        crop = cv2.warpPerspective(
            part, view, (_WIDTH, _HEIGHT), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        )
        crops[at] = cv2.GaussianBlur(crop, (3, 3), 0)
        views.append(cv2.getPerspectiveTransform(quad_px, _INNER))
    return crops.astype(np.int16), views


def _steps(crops: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the steps from pixel to pixel across and along, `(N, h, w) float32`, of the channel of the largest."""
    across = np.zeros(crops.shape, np.float32)
    along = np.zeros(crops.shape, np.float32)
    across[:, :, 1:-1] = (crops[:, :, 2:] - crops[:, :, :-2]) / 2
    along[:, 1:-1] = (crops[:, 2:] - crops[:, :-2]) / 2
    channel = (across**2 + along**2).argmax(axis=3)[..., None]
    return np.take_along_axis(across, channel, 3)[..., 0], np.take_along_axis(along, channel, 3)[..., 0]


def _turns(across: np.ndarray, along: np.ndarray) -> np.ndarray:
    """Return how far each tile is turned in its crop, `(N,)` radians, up to an eighth of a turn either way."""
    ring = np.ones(across.shape[1:], bool)
    ring[ROOM + BAND : -ROOM - BAND, ROOM + BAND : -ROOM - BAND] = False
    ring[:2] = ring[-2:] = False
    ring[:, :2] = ring[:, -2:] = False
    x, y = across[:, ring], along[:, ring]
    power = x**2 + y**2
    weight = np.minimum(power, np.percentile(power, 97, axis=1, keepdims=True))
    double_cos, double_sin = (x**2 - y**2) / (power + 1e-6), 2 * x * y / (power + 1e-6)
    cos = (weight * (double_cos**2 - double_sin**2)).sum(axis=1)
    sin = (weight * 2 * double_cos * double_sin).sum(axis=1)
    return np.arctan2(sin, cos) / 4


def _edges(profiles: np.ndarray, at: float, before: int, after: int) -> np.ndarray:
    """Return where each profile `(N, length)` has its strongest edge near `at`, `(N,)`, finer than a pixel."""
    first, last = max(1, int(at) - before), min(profiles.shape[1] - 2, int(at) + 1 + after)
    places = np.arange(first, last + 1)
    near = profiles[:, first : last + 1]
    floor = np.median(near, axis=1, keepdims=True)
    value = np.maximum(near - floor, 0) * np.exp(-(((places - at) / PRIOR) ** 2) / 2)
    best = places[value.argmax(axis=1)]
    around = np.stack([profiles[np.arange(len(best)), best + step] for step in (-1, 0, 1)], axis=1)
    around = around - around.min(axis=1, keepdims=True) + 1e-6
    fine = best + (around * np.array([-1, 0, 1])).sum(axis=1) / around.sum(axis=1)
    return np.where(near.max(axis=1) < FAINT, at, fine)


def _back(points: np.ndarray, view: np.ndarray) -> np.ndarray:
    return cv2.perspectiveTransform(points[None].astype(np.float32), np.linalg.inv(view))[0]
