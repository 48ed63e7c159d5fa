"""What is wrong with a picture of a table, in a word for programs, in words for people, and where."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

TOO_DARK = "too-dark"
TOO_BLURRED = "too-blurred"
GLARE = "glare"
TOO_SMALL = "too-small"
CUT_OFF = "cut-off"
IN_THE_WAY = "in-the-way"
RED_AND_ORANGE = "red-and-orange"
KINDS = (TOO_DARK, TOO_BLURRED, GLARE, TOO_SMALL, CUT_OFF, IN_THE_WAY, RED_AND_ORANGE)


@dataclass(frozen=True, slots=True, eq=False)
class Trouble:
    """One trouble: `kind` is one of `KINDS`, `words` say in a line what it is and what to do.

    `region_px (4, 2) float32` is where it is, clockwise from its top left, in pixels of the picture that the reading's
    corners are measured in; the whole picture where it is everywhere. Raises `ValueError` for unknown kinds and other
    shapes.
    """

    kind: str
    words: str
    region_px: np.ndarray

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"unknown kind of trouble {self.kind!r}; there are {', '.join(KINDS)}")
        if self.region_px.shape != (4, 2):
            raise ValueError(f"region_px must be (4, 2), got {self.region_px.shape}")


def box_px(points_px: np.ndarray, image_wh: tuple[int, int], room_px: float = 0.0) -> np.ndarray:
    """Return the upright box around points `(..., 2)`, with room, inside a picture of that size: `(4, 2) float32`."""
    points = np.asarray(points_px, np.float64).reshape(-1, 2)
    low = np.clip(points.min(axis=0) - room_px, 0, np.array(image_wh) - 1)
    high = np.clip(points.max(axis=0) + room_px, 0, np.array(image_wh) - 1)
    return np.array([low, (high[0], low[1]), high, (low[0], high[1])], np.float32)


def whole_px(image_wh: tuple[int, int]) -> np.ndarray:
    """Return the box of the whole picture, `(4, 2) float32`."""
    return box_px(np.array([(0, 0), image_wh]), image_wh)
