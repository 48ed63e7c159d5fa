"""Typed wrappers of OpenCV's functions, whose stubs are imprecise; the centre of a pixel has whole coordinates."""

from __future__ import annotations

import math
from typing import TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from tilekeeper.vision.arrays import Floats, Image

Level = TypeVar("Level", bound=np.integer | np.floating)


def resize(image: NDArray[Level], size_wh: tuple[int, int], interpolation: int) -> NDArray[Level]:
    """Return the image resized to `size_wh`; `interpolation` is one of OpenCV's `INTER_` constants."""
    return np.asarray(cv2.resize(image, size_wh, interpolation=interpolation), image.dtype)


def resize_corner(image: NDArray[Level], size_wh: tuple[int, int], corner_wh: tuple[int, int]) -> NDArray[Level]:
    """Return the upper left corner, at least `corner_wh`, of the image resized to `size_wh` by linear interpolation."""
    across, down = size_wh[0] / image.shape[1], size_wh[1] / image.shape[0]
    part = image[: math.ceil(corner_wh[1] / down) + 2, : math.ceil(corner_wh[0] / across) + 2]
    if (round(part.shape[1] * across), round(part.shape[0] * down)) == part.shape[1::-1]:  # OpenCV would copy it
        return resize(image, size_wh, cv2.INTER_LINEAR)
    return np.asarray(cv2.resize(part, None, fx=across, fy=down, interpolation=cv2.INTER_LINEAR), image.dtype)


def remap(image: NDArray[Level], points_px: Floats, border: int = cv2.BORDER_REPLICATE) -> NDArray[Level]:
    """Sample the image at points `(N, ..., 2)` by linear interpolation; return `(N, ...)` or `(N, ..., 3)`."""
    flat = points_px.astype(np.float32).reshape(len(points_px), -1, 2)
    # The stubs do not allow None for the second map, and an empty map has another meaning.
    levels = cv2.remap(image, flat, None, cv2.INTER_LINEAR, borderMode=border)  # type: ignore[call-overload]
    return np.asarray(levels, image.dtype).reshape(*points_px.shape[:-1], *image.shape[2:])


def warp_perspective(image: NDArray[Level], view: Floats, size_wh: tuple[int, int]) -> NDArray[Level]:
    """Warp the image by a homography `(3, 3)` to `size_wh`; pixels beyond its edge repeat the edge pixels."""
    flags, border = cv2.INTER_LINEAR, cv2.BORDER_REPLICATE
    return np.asarray(cv2.warpPerspective(image, view, size_wh, flags=flags, borderMode=border), image.dtype)


def perspective_transform(quad: Floats, target: Floats) -> NDArray[np.float64]:
    """Return the homography `(3, 3)` that maps the corners `quad (4, 2) float32` to `target (4, 2) float32`."""
    return np.asarray(cv2.getPerspectiveTransform(quad, target), np.float64)


def project(points: Floats, view: Floats) -> NDArray[np.float32]:
    """Map points `(N, 2)` by a homography `(3, 3)`."""
    return np.asarray(cv2.perspectiveTransform(np.asarray(points, np.float32)[None], view)[0], np.float32)


def convert(image: Image, code: int) -> Image:
    """Return the image in another colour space; `code` is one of OpenCV's `COLOR_` constants."""
    return np.asarray(cv2.cvtColor(image, code), np.uint8)


def darkest_channel(image_bgr: Image) -> Image:
    """Return the darkest of each pixel's three channels, `(H, W)`."""
    blue, green, red = cv2.split(image_bgr)
    return np.asarray(cv2.min(cv2.min(blue, green), red), np.uint8)


def brightest_channel(image_bgr: Image) -> Image:
    """Return the brightest of each pixel's three channels, `(H, W)`."""
    blue, green, red = cv2.split(image_bgr)
    return np.asarray(cv2.max(cv2.max(blue, green), red), np.uint8)


def morphology(mask: Image, operation: int, size: int) -> Image:
    """Open, close, erode or dilate a mask by a square whose side is `size` pixels."""
    return np.asarray(cv2.morphologyEx(mask, operation, np.ones((size, size), np.uint8)), np.uint8)


def convex_hull(points: NDArray[Level]) -> NDArray[Level]:
    """Return the convex hull `(K, 1, 2)` of points `(N, 2)` or `(N, 1, 2)`."""
    return np.asarray(cv2.convexHull(points), points.dtype)


def extend(image: Image, right: int, below: int) -> Image:
    """Pad the image with `right` columns and `below` rows that repeat its edge pixels."""
    return np.asarray(cv2.copyMakeBorder(image, 0, below, 0, right, cv2.BORDER_REPLICATE), np.uint8)
