"""A simulated webcam behind OpenCV's interface, with lens, autofocus, exposure and white balance like real ones."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import partial

import cv2
import numpy as np

from tilekeeper.companion.capture.devices import LINUX_BY_HAND, LINUX_BY_ITSELF
from tilekeeper.vision.arrays import Image

WH = (320, 240)
FRAMES_PER_SECOND = 30
FOCUS_STEP, FOCUS_END = 5.0, 250.0
LENS_SPEED = 40.0
"""The lens moves by at most this in a frame."""
LAG_FRAMES = 3
"""A change is visible after this many frames."""
BLUR_PX = 1 / 30
"""The increase of the blur with each unit of focus."""
SETTLING_S = 0.35
"""The time constant of automatic exposure and white balance: both have settled after a good second."""
NOISE_LEVELS = 2.0
OLD_EXPOSURE = 900.0
"""The exposure that a camera with `forgets_exposure` returns to when it is locked."""


def textured_table() -> Image:
    """Return a table with sharp edges everywhere: grey tiles with dark marks on green."""
    rng = np.random.default_rng(5)
    image = np.full((WH[1], WH[0], 3), (70, 110, 60), np.uint8)
    for x in range(10, WH[0] - 30, 34):
        for y in range(10, WH[1] - 40, 44):
            cv2.rectangle(image, (x, y), (x + 24, y + 34), (190, 200, 200), -1)
            cv2.putText(
                image, str(rng.integers(1, 9)), (x + 5, y + 26), cv2.FONT_HERSHEY_SIMPLEX, 0.8, (30, 30, 120), 2
            )
    return image


@dataclass
class SimulatedCamera:
    """A webcam as `cv2.VideoCapture` hands it over; each `grab` takes a thirtieth of a second.

    Attributes:
        refuses: properties that it does not have.
        ignores: properties that it accepts without doing anything.
        hunts: whether its autofocus never comes to rest.
        forgets_exposure: whether it jumps to an old exposure when the exposure is locked.
        light: the brightness of the room.
        warmth: how red its light is.
        hand_frames: for this many frames from now a hand moves over the table.
    """

    refuses: Collection[int] = ()
    ignores: Collection[int] = ()
    best_focus: float = 135.0
    hunts: bool = False
    forgets_exposure: bool = False
    light: float = 1.0
    warmth: float = 1.0
    noise_levels: float = NOISE_LEVELS
    hand_frames: int = 0
    scene: Image = field(default_factory=textured_table)
    positions: list[float] = field(default_factory=list)
    """The requested lens positions."""

    def __post_init__(self) -> None:
        self.says = {
            cv2.CAP_PROP_AUTOFOCUS: 1.0,
            cv2.CAP_PROP_FOCUS: 60.0,
            cv2.CAP_PROP_AUTO_EXPOSURE: float(LINUX_BY_ITSELF),
            cv2.CAP_PROP_EXPOSURE: 30.0,
            cv2.CAP_PROP_AUTO_WB: 1.0,
            cv2.CAP_PROP_WB_TEMPERATURE: 4600.0,
        }
        self.lens = 60.0
        self.red_gain = 1.0
        self.frames = 0
        cv2.setRNGSeed(7)
        self._under_way: deque[Callable[[], Image]] = deque(maxlen=LAG_FRAMES)

    @property
    def now_s(self) -> float:
        return self.frames / FRAMES_PER_SECOND

    def is_automatic(self, prop: int) -> bool:
        return self.says[prop] != (LINUX_BY_HAND if prop == cv2.CAP_PROP_AUTO_EXPOSURE else 0.0)

    def isOpened(self) -> bool:  # noqa: N802, OpenCV's name
        return True

    def release(self) -> None:
        pass

    def get(self, prop: int) -> float:
        return -1.0 if prop in self.refuses else self.says.get(prop, 0.0)

    def set(self, prop: int, value: float) -> bool:
        if prop in self.refuses:
            return False
        if prop in self.ignores:
            return True
        if prop == cv2.CAP_PROP_FOCUS:
            value = FOCUS_STEP * round(min(FOCUS_END, max(0.0, value)) / FOCUS_STEP)
            self.positions.append(value)
        if prop == cv2.CAP_PROP_AUTO_EXPOSURE and value == LINUX_BY_HAND and self.forgets_exposure:
            self.says[cv2.CAP_PROP_EXPOSURE] = OLD_EXPOSURE
        self.says[prop] = value
        return True

    def grab(self) -> bool:
        self.frames += 1
        self._adjust()
        self.hand_frames = max(0, self.hand_frames - 1)
        hand_px = 40 + 9 * (self.frames % 20) if self.hand_frames else None
        light = self.light * self.says[cv2.CAP_PROP_EXPOSURE] / 100
        picture = partial(self._picture, hand_px, abs(self.lens - self.best_focus), light, self.red_gain * self.warmth)
        self._under_way.append(picture)
        return True

    def retrieve(self) -> tuple[bool, Image]:
        return True, self._under_way[0]()

    def _adjust(self) -> None:
        """Advance lens, exposure and white balance by a frame."""
        share = 1 - np.exp(-1 / (FRAMES_PER_SECOND * SETTLING_S))
        target = self.says[cv2.CAP_PROP_FOCUS]
        if self.is_automatic(cv2.CAP_PROP_AUTOFOCUS) and cv2.CAP_PROP_AUTOFOCUS not in self.refuses:
            target = self.best_focus + (45 * np.sin(self.now_s * 6) if self.hunts else 10)
            self.says[cv2.CAP_PROP_FOCUS] = FOCUS_STEP * round(target / FOCUS_STEP)
        self.lens += float(np.clip(target - self.lens, -LENS_SPEED, LENS_SPEED))
        if self.is_automatic(cv2.CAP_PROP_AUTO_EXPOSURE):
            ideal = 100 / self.light
            self.says[cv2.CAP_PROP_EXPOSURE] *= (ideal / self.says[cv2.CAP_PROP_EXPOSURE]) ** share
        if self.is_automatic(cv2.CAP_PROP_AUTO_WB):
            self.red_gain *= (1 / self.warmth / self.red_gain) ** share

    def _picture(self, hand_px: int | None, defocus: float, light: float, red: float) -> Image:
        scene = self.scene
        if hand_px is not None:
            scene = scene.copy()
            cv2.circle(scene, (hand_px, 120), 36, (120, 150, 230), -1)
        blur_px = defocus * BLUR_PX
        sharp = cv2.GaussianBlur(scene, (0, 0), blur_px) if blur_px > 0.2 else scene
        curve = (np.minimum(1, (np.arange(256) / 255) ** 2.2 * light * gain) ** (1 / 2.2) for gain in (1, 1, red))
        levels = cv2.LUT(sharp, (255 * np.stack(list(curve), axis=-1)).astype(np.uint8).reshape(1, 256, 3))
        noise = cv2.randn(np.empty(levels.shape, np.int16), 0, self.noise_levels)
        return cv2.add(levels, noise, dtype=cv2.CV_8U)
