"""Scene, the input of each step of the pipeline: an image of a table, what changed in it, how it was rectified."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property

import cv2
import numpy as np

from tilekeeper.vision.arrays import Floats, Image
from tilekeeper.vision.geometry.face_color import measure_face_whites
from tilekeeper.vision.geometry.proximity import box_of
from tilekeeper.vision.geometry.quads import as_quads
from tilekeeper.vision.geometry.rectification import Rectification
from tilekeeper.vision.imaging import resize


class State(Enum):
    """The state of the table in a frame."""

    STILL = "still"
    MOVING = "moving"  # something moves, or the camera is focused on something else
    HIDDEN = "hidden"  # nothing moves, and something that reaches in over the frame's edge covers a part of the table
    LOST = "lost"  # the whole frame moves: it is the camera, or the table


@dataclass(frozen=True, slots=True, eq=False)
class Rest:
    """Motion detection's report on one frame: whether the table is at rest, and where it changed.

    `settled` is True for the one frame of each rest that is to be read. `changed_px` are boxes `(N, 4) float32`, left,
    top, right and bottom in pixels of the frame, in which the table differs from the settled frame before; None if it
    may differ everywhere.
    """

    state: State
    settled: bool = False
    hidden_px: tuple[np.ndarray, ...] = ()  # outlines, (K, 2) float32 each, of the occluders over the table
    changed_px: np.ndarray | None = None
    shift: np.ndarray | None = None  # homography (3, 3) from the settled frame before to this one; None if unmoved

    @property
    def parts_px(self) -> np.ndarray:
        """`changed_px`, but an empty array `(0, 4)` instead of None."""
        return np.zeros((0, 4), np.float32) if self.changed_px is None else self.changed_px

    def in_view(self, view: Rectification) -> Rest:
        """Return the report with its outlines and boxes in pixels of a rectified view."""
        hidden_px = tuple(outline for outline in map(view.outline_in_view, self.hidden_px) if len(outline))
        changed_px = self.changed_px
        if changed_px is not None:
            outlines = [view.outline_in_view(box[[0, 1, 2, 1, 2, 3, 0, 3]].reshape(4, 2)) for box in changed_px]
            boxes = [box_of(outline) for outline in outlines if len(outline)]
            changed_px = np.array(boxes, np.float32).reshape(-1, 4)
        return replace(self, hidden_px=hidden_px, changed_px=changed_px)


@dataclass(frozen=True, eq=False)
class Scene:
    """An image of a table with motion detection's report, the previously read image, and cached results.

    A photo is a scene without earlier knowledge. The image must not be written to: halved images and face
    whites are computed once and kept for as long as the scene.
    """

    image_bgr: Image  # the image that is read, (H, W, 3) uint8: the camera's, or a rectified view of it
    rest: Rest = Rest(State.STILL, settled=True)  # motion detection's report, in pixels of this image
    before_bgr: Image | None = None  # the image that was read before, of the same size from the same place
    view: Rectification | None = None  # how the image was rectified; None if it is the camera's own
    _whites: dict[bytes, list[float]] = field(default_factory=dict, init=False, repr=False)

    @property
    def wh(self) -> tuple[int, int]:
        """Width and height of the image in pixels."""
        return self.image_bgr.shape[1], self.image_bgr.shape[0]

    @cached_property
    def half(self) -> Scene:
        """A scene with the image at half its size and nothing else."""
        return Scene(resize(self.image_bgr, (self.wh[0] // 2, self.wh[1] // 2), cv2.INTER_LINEAR))

    def shrink(self, size_wh: tuple[int, int], interpolation: int) -> Scene:
        """Return a scene with only the image, shrunk to `size_wh`; `self` if it already has that size.

        The image is halved as often as possible before it is resized, which is several times faster.
        """
        if self.wh[0] >= 2 * size_wh[0] and self.wh[1] >= 2 * size_wh[1]:
            return self.half.shrink(size_wh, interpolation)
        return self if self.wh == size_wh else Scene(resize(self.image_bgr, size_wh, interpolation))

    def face_whites(self, quads_px: Floats) -> Floats:
        """Return the white of each quad's face, `(N, 3) float64`: B, G and R as natural logarithms.

        Each quad `(4, 2)` is measured once and cached.
        """
        places = [quad.tobytes() for quad in as_quads(quads_px)]
        new = {place: at for at, place in enumerate(places) if place not in self._whites}
        if new:
            whites = measure_face_whites(self.image_bgr, quads_px[list(new.values())])
            self._whites.update(zip(new, whites.tolist(), strict=True))
        return np.array([self._whites[place] for place in places]).reshape(-1, 3)
