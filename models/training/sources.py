"""Annotated photos and rendered tables as training data of one type, `Source`. No PyTorch here."""

from __future__ import annotations

import json
import pathlib
from dataclasses import dataclass

import cv2
import numpy as np

from tilekeeper.datasets.photos import load_annotated

RENDERED = "rendered"


@dataclass(frozen=True, slots=True)
class Source:
    """One image with its ground truth.

    `path`: its file; `session`: session of a photo, or `RENDERED`; `quads_px (N, 4, 2) float32`: clockwise from each
    tile's own top left; `labels`: of the N tiles; `sure (N,)`: false for tiles that are cut off or mostly covered, and
    therefore ignored; `hidden_px (M, 4)`: ignored boxes `x0 y0 x1 y1`; `low`: whether the camera is low.
    """

    path: pathlib.Path
    session: str
    quads_px: np.ndarray
    labels: tuple[str, ...]
    sure: np.ndarray
    hidden_px: np.ndarray
    low: bool = False

    def image(self) -> np.ndarray:
        """Load the image, BGR uint8; raise `FileNotFoundError` if it cannot be read."""
        image = cv2.imread(str(self.path), cv2.IMREAD_COLOR)
        if image is None:
            raise FileNotFoundError(self.path)
        return image


def photo_sources(folder: pathlib.Path, leave_out: frozenset[str] = frozenset()) -> list[Source]:
    """Return the annotated photos without the held-out sessions `leave_out` (`background` is a session, too)."""
    sources = []
    for photo in load_annotated(folder):
        if photo.session in leave_out:
            continue
        quads = np.array([t.quad_px for t in photo.tiles], np.float32).reshape(-1, 4, 2)
        sure = np.array([not t.cut for t in photo.tiles], bool)
        sources.append(
            Source(
                photo.path,
                photo.session,
                quads,
                tuple(t.label for t in photo.tiles),
                sure,
                np.zeros((0, 4), np.float32),
            )
        )
    return sources


def rendered_sources(folder: pathlib.Path) -> list[Source]:
    """Return the images that `tilekeeper.datasets.synthesis.scene.tables` or `tilekeeper.datasets.rendering` wrote.

    Images of the latter list which tiles are sure: those with a readable number, although a row in front may hide a
    part of the tile. Of the former, tiles are sure if they are mostly visible.
    """
    sources = []
    for entry in json.loads((folder / "photos.json").read_text("utf-8"))["photos"]:
        tiles = entry["tiles"]
        quads = np.array([t["polygon_px"] for t in tiles], np.float32).reshape(-1, 4, 2)
        sure = np.array([t.get("sure", t["visible"] >= 0.85) for t in tiles], bool)
        hidden = np.array(entry["ignore_px"], np.float32).reshape(-1, 4)
        sources.append(
            Source(
                folder / "images" / entry["file"],
                RENDERED,
                quads,
                tuple(t["label"] for t in tiles),
                sure,
                hidden,
                bool(entry.get("low")),
            )
        )
    return sources


def widths_px(quads_px: np.ndarray) -> np.ndarray:
    """Return the widths `(N,)` of quads `(N, 4, 2)` in pixels: the mean of top and bottom edge."""
    top = np.linalg.norm(quads_px[:, 1] - quads_px[:, 0], axis=1)
    bottom = np.linalg.norm(quads_px[:, 2] - quads_px[:, 3], axis=1)
    widths: np.ndarray = (top + bottom) / 2
    return widths
