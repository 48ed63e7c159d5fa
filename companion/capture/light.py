"""Measures the light in frames, and decides when a camera's exposure and white balance are locked and released."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

import cv2
import numpy as np

from tilekeeper.vision.arrays import Floats, Image

GRID_WH: Final = (8, 6)
"""The number of cells of a frame, as columns and rows; a hand covers less than half, so a median of all cells
ignores it."""
SAMPLED_PX: Final = 160
"""About this many pixels of a row are sampled, and rows at the same distance: enough for the mean of a cell."""
GAMMA: Final = 2.2
"""Cameras encode light with about this exponent (sRGB)."""
DARKEST_LEVEL: Final = 6.0
"""Darker cells count as this level (0 to 255), since the ratio of two nearly black cells is only noise."""
STILL_EV: Final = 0.25
"""Something moves in a cell whose change differs from the median change of all cells by more than this many stops."""

SETTLED_EV: Final = 0.15
"""Exposure and white balance have settled if the light stays within this many stops for `SETTLED_S` seconds; an
autofocus that searches changes the light by 0.1."""
SETTLED_S: Final = 1.5
"""The light must stay the same for this many seconds; webcams need about one to settle, and some pause meanwhile."""
RELEASED_EV: Final = 0.5
"""The lock ends if the light changes by this many stops, for example by another lamp; tiles are read well within
one."""
RELEASED_COLOUR_EV: Final = 0.35
"""The lock also ends if the colour changes by this many stops, for example from daylight to a lamp."""
RELEASED_S: Final = 2.0
"""The change must last for this many seconds; a person who leans over the table leaves earlier."""


@dataclass(frozen=True, slots=True, eq=False)
class Light:
    """The light in each cell of a frame: `stops (6, 8, 3) float` is log2 of linear blue, green and red."""

    stops: Floats

    @classmethod
    def measure(cls, image_bgr: Image) -> Light:
        """Return the light in a frame `(H, W, 3) uint8` BGR."""
        step = max(1, image_bgr.shape[1] // SAMPLED_PX)
        sample = np.ascontiguousarray(image_bgr[::step, ::step])
        levels = cv2.resize(sample, GRID_WH, interpolation=cv2.INTER_AREA).astype(np.float32)
        return cls(GAMMA * np.log2(np.maximum(levels, DARKEST_LEVEL) / 255))

    def brighter_ev(self, before: Light) -> float:
        """Return by how many stops the table is brighter than in `before`; negative if darker."""
        return float(np.median((self.stops - before.stops).mean(axis=2)))

    def colour_ev(self, before: Light) -> float:
        """Return by how many stops blue or red has changed relative to green, whichever changed more."""
        change = self.stops - before.stops
        return float(np.abs(np.median((change - change[..., 1:2])[..., (0, 2)], axis=(0, 1))).max())

    def has_moved(self, before: Light, still_ev: float = STILL_EV) -> bool:
        """Return whether something moved: a cell's change is over `still_ev` stops from the median change."""
        change = (self.stops - before.stops).mean(axis=2)
        return bool((np.abs(change - np.median(change)) > still_ev).any())

    def is_near(self, before: Light, ev: float, colour_ev: float) -> bool:
        """Return whether brightness and colour differ from `before` by at most `ev` and `colour_ev` stops."""
        return abs(self.brighter_ev(before)) <= ev and self.colour_ev(before) <= colour_ev


class LightEvent(Enum):
    """What to do with exposure and white balance now."""

    LOCK = auto()
    RELEASE = auto()


class LightLock:
    """Decides when exposure and white balance are locked and released (hysteresis)."""

    def __init__(self) -> None:
        """Start with both released."""
        self.is_locked = False
        self._reference: Light | None = None
        self._since_s = 0.0

    def push(self, light: Light, now_s: float) -> LightEvent | None:
        """Add the light of a frame at the time `now_s`; return whether to lock or release now, None for no change."""
        if self._reference is None:
            self._reference, self._since_s = light, now_s
            return None
        ev, colour_ev = (RELEASED_EV, RELEASED_COLOUR_EV) if self.is_locked else (SETTLED_EV, SETTLED_EV)
        is_near = light.is_near(self._reference, ev, colour_ev)
        if self.is_locked:
            if is_near:
                self._since_s = now_s
            if now_s - self._since_s < RELEASED_S:
                return None
            self._change(False, light, now_s)
            return LightEvent.RELEASE
        if not is_near:
            self._reference, self._since_s = light, now_s
        if now_s - self._since_s < SETTLED_S:
            return None
        self._change(True, light, now_s)
        return LightEvent.LOCK

    def keep(self, light: Light, now_s: float) -> None:
        """Compare later frames with this light, since the lock itself may have changed the image a little."""
        self._reference, self._since_s = light, now_s

    def _change(self, is_locked: bool, light: Light, now_s: float) -> None:
        self.is_locked = is_locked
        self.keep(light, now_s)
