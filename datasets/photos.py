"""The annotated photos of real tiles: labels and four corners, clockwise from each tile's own top left.

The published outlines have 4 to 12 points that start anywhere and do not show which end of a tile is up, so a 6 could
be a 9. `fit_quad` fits four corners to an outline. `upright_quad` starts them at the tile's own top left: numbers and
joker faces are in the upper half, so the ink shows which end is up. `photo_turns.json` lists the few exceptions, which
were found by checking every rectified tile by eye.
"""

import itertools
import json
import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from tilekeeper.vision.geometry.quads import rectify, sizes_wh_px, turn_upside_down

CROP_WH = (48, 72)
"""Size in pixels of the rectified crop for measuring the ink."""


@dataclass(frozen=True, slots=True)
class AnnotatedTile:
    """One real tile on a photo.

    `label` is `red-7` or `joker`; `polygon_px` is `(K, 2) float32`, the published outline; `quad_px` is `(4, 2)
    float32`, clockwise from the tile's own top left; `cut` is true if the edge of the photo cuts the tile.
    """

    label: str
    polygon_px: np.ndarray
    quad_px: np.ndarray
    cut: bool


@dataclass(frozen=True, slots=True)
class AnnotatedPhoto:
    """One photo: its `path`, `file` name, `session` (`s1` to `s4`, or `background`), size and tiles."""

    path: Path
    file: str
    session: str
    image_wh: tuple[int, int]
    tiles: tuple[AnnotatedTile, ...]


def load_annotated(folder: Path | str, sessions: Collection[str] | None = None) -> tuple[AnnotatedPhoto, ...]:
    """Load the annotated photos in `folder` (`photos.json` and `images/`), all or those of some sessions.

    The quad of a `cut` tile surrounds its visible part. Every photo is opened once, which takes some seconds.
    Raises `FileNotFoundError` if the folder or one of its photos is missing.
    """
    folder = Path(folder)
    listing = json.loads((folder / "photos.json").read_text(encoding="utf-8"))
    entries = [entry for entry in listing["photos"] if sessions is None or entry["session"] in sessions]
    return tuple(_annotated(folder, entry) for entry in entries)


def _annotated(folder: Path, entry: dict[str, Any]) -> AnnotatedPhoto:
    path = folder / "images" / entry["file"]
    image = cv2.imread(str(path), cv2.IMREAD_COLOR)
    if image is None:
        raise FileNotFoundError(f"{path} is missing or is no picture")
    corrections = exceptions().get(entry["file"], {})
    tiles = []
    for index, tile in enumerate(entry["tiles"]):
        polygon_px = np.array(tile["polygon_px"], np.float32)
        quad_px = upright_quad(image, fit_quad(polygon_px))
        if str(index) in corrections:
            quad_px = _starting_at(quad_px, corrections[str(index)])
        tiles.append(AnnotatedTile(tile["label"], polygon_px, quad_px, tile["cut"]))
    return AnnotatedPhoto(path, entry["file"], entry["session"], (entry["width"], entry["height"]), tuple(tiles))


@cache
def exceptions() -> dict[str, dict[str, list[float]]]:
    """Return the tiles whose ink does not show which end is up: {file: {tile index: rough top left corner}}."""
    text = resources.files("tilekeeper.datasets").joinpath("photo_turns.json").read_text(encoding="utf-8")
    corners: dict[str, dict[str, list[float]]] = json.loads(text)["top_left_px"]
    return corners


def _starting_at(quad_px: np.ndarray, top_left_px: list[float]) -> np.ndarray:
    """Return the corners in the same cyclic order, starting with the one nearest to `top_left_px`."""
    return np.roll(quad_px, -int(np.linalg.norm(quad_px - top_left_px, axis=1).argmin()), axis=0)


def load_melds(photos: Iterable[AnnotatedPhoto]) -> dict[str, tuple[tuple[int, ...], ...]]:
    """Return the melds on the photos: {file: rows of tile indices, in order}.

    They were labelled by hand for `s1` and `s4` (`photo_melds.json`); photos of scattered tiles and racks have none.
    Raises `ValueError` if the rows of a photo do not contain each of its tiles once.
    """
    text = resources.files("tilekeeper.datasets").joinpath("photo_melds.json").read_text(encoding="utf-8")
    labelled = json.loads(text)["photos"]
    melds = {}
    for photo in photos:
        if photo.file not in labelled:
            continue
        rows = tuple(tuple(row) for row in labelled[photo.file])
        if sorted(itertools.chain(*rows)) != list(range(len(photo.tiles))):
            raise ValueError(f"the melds of {photo.file} are not its {len(photo.tiles)} tiles, each once")
        melds[photo.file] = rows
    return melds


def fit_quad(polygon_px: np.ndarray) -> np.ndarray:
    """Fit a quad to the outline of a tile; return its corners `(4, 2) float32`, clockwise in the image.

    The sides of the quad are four edges of the outline's convex hull, which restores rounded or cut corners. The
    smallest such quad wins, with a small preference for the shape of a tile in perspective. `polygon_px` is `(K, 2)`
    with K >= 3. Raises `ValueError` if it has no area.
    """
    hull = cv2.convexHull(np.asarray(polygon_px, np.float32), clockwise=True)[:, 0].astype(np.float64)
    hull_area = abs(cv2.contourArea(hull.astype(np.float32)))
    if len(hull) < 3 or hull_area <= 0:
        raise ValueError(f"an outline needs an area: {np.asarray(polygon_px).tolist()}")
    best, best_cost = None, np.inf
    for sides in itertools.combinations(range(len(hull)), 4):
        quad = _circumscribed(hull, sides)
        if quad is None:
            continue
        cost = cv2.contourArea(quad) / hull_area + 0.25 * _skew(quad)
        if cost < best_cost:
            best, best_cost = quad, cost
    if best is None:  # a triangle, or an outline without four suitable edges: the smallest box is the best guess
        best = cv2.boxPoints(cv2.minAreaRect(hull.astype(np.float32)))
    return _clockwise(best)


def _circumscribed(hull: np.ndarray, sides: tuple[int, ...]) -> np.ndarray | None:
    """Return the quad between the lines through four edges of the hull; None if they form no convex quad."""
    corners = []
    for one, two in zip(sides, sides[1:] + sides[:1], strict=True):
        start, along = hull[one], hull[(one + 1) % len(hull)] - hull[one]
        other, other_along = hull[two], hull[(two + 1) % len(hull)] - hull[two]
        cross = along[0] * other_along[1] - along[1] * other_along[0]
        turn = cross / (math.hypot(*along) * math.hypot(*other_along) + 1e-9)
        # Perspective changes the right angle between neighbouring sides, so 30 to 150 degrees are accepted.
        if abs(turn) < 0.5:
            return None
        offset = other - start
        corners.append(start + along * (offset[0] * other_along[1] - offset[1] * other_along[0]) / cross)
    quad = np.array(corners, np.float32)
    return quad if cv2.isContourConvex(quad) else None


def _skew(quad: np.ndarray) -> float:
    """Return how much a quad differs from a parallelogram: 0 if it is one, about 1 if a side of it has no length."""
    size = np.sqrt(abs(cv2.contourArea(quad)))
    return float(np.linalg.norm(quad[0] - quad[1] + quad[2] - quad[3]) / size)


def _clockwise(quad: np.ndarray) -> np.ndarray:
    """Return the corners clockwise in the image (y points down)."""
    quad = np.asarray(quad, np.float32)
    return quad if cv2.contourArea(quad, oriented=True) > 0 else quad[::-1].copy()


def upright_quad(image_bgr: np.ndarray, quad_px: np.ndarray) -> np.ndarray:
    """Return the corners `(4, 2)`, clockwise from the tile's own top left, which follows from where the ink is."""
    best, best_score = quad_px, -np.inf
    for quarter in (0, 1):
        turned = np.roll(quad_px, -quarter, axis=0)
        width, height = CROP_WH
        ink = ink_map(rectify(image_bgr, turned, CROP_WH))
        rows = ink[int(0.08 * height) : int(0.92 * height), int(0.10 * width) : int(0.90 * width)].sum(axis=1)
        upper = float(rows[: len(rows) // 2].sum() / (rows.sum() + 1e-6))
        # A tile is taller than wide unless it is strongly foreshortened.
        across, along = sizes_wh_px(turned[None])[0]
        portrait = 0.8 * float(np.clip(np.log(along / across), -0.5, 0.5))
        for quad, share in ((turned, upper), (turn_upside_down(turned), 1 - upper)):
            if share + portrait > best_score:
                best, best_score = quad, share + portrait
    return best


def ink_map(crop_bgr: np.ndarray) -> np.ndarray:
    """Return the amount of ink `(H, W) float32`, 0 or more: how much darker each pixel is than the face around it.

    Every ink is dark in at least one channel; the ivory face and its shading are dark in none. A morphological closing
    gives the face's brightness, even if the light falls off across the tile.
    """
    kernel = np.ones((25, 25), np.uint8)
    closed = cv2.morphologyEx(crop_bgr, cv2.MORPH_CLOSE, kernel)
    blue, green, red = cv2.split(closed - crop_bgr)  # a closing is never darker than its image: no underflow
    darker = np.maximum(np.maximum(blue, green), red).astype(np.float32)
    strongest = max(float(np.percentile(darker, 97)), 1.0)
    print_: np.ndarray = np.clip(darker / strongest - 0.4, 0, None)
    return print_
