"""A drawn table for the gate: textured wood, white tiles with something on them, an arm, and lamps that drift."""

from __future__ import annotations

import cv2
import numpy as np

WH = (960, 540)


def wood(seed: int = 1) -> np.ndarray:
    """A table top with grain and knots `(540, 960, 3) uint8`."""
    rng = np.random.default_rng(seed)
    grain = cv2.GaussianBlur(rng.normal(0, 60, (WH[1], WH[0])).astype(np.float32), (0, 0), 9, sigmaY=2)
    picture = np.array((60, 95, 140), np.float32) + grain[..., None]
    for x, y in rng.uniform((0, 0), WH, (60, 2)):
        cv2.circle(picture, (int(x), int(y)), 4, (40, 60, 90), -1)
    return np.clip(picture, 0, 255).astype(np.uint8)


def with_tiles(picture: np.ndarray, middles_px: list[tuple[int, int]], digit: str = "5") -> np.ndarray:
    """The picture with tiles 24 px wide on it."""
    picture = picture.copy()
    for x, y in middles_px:
        cv2.rectangle(picture, (x - 12, y - 17), (x + 12, y + 17), (215, 232, 236), -1)
        cv2.putText(picture, digit, (x - 7, y + 5), cv2.FONT_HERSHEY_SIMPLEX, 0.7, (40, 40, 200), 2, cv2.LINE_AA)
    return picture


def with_arm(picture: np.ndarray, tip_px: tuple[int, int], bgr: tuple[int, int, int] = (110, 140, 205)) -> np.ndarray:
    """The picture with an arm that reaches in from its lower edge."""
    picture = picture.copy()
    x, y = tip_px
    outline = np.array([[x - 30, y], [x + 30, y], [x + 110, WH[1] + 20], [x - 10, WH[1] + 20]])
    cv2.fillPoly(picture, [outline], bgr, cv2.LINE_AA)
    return picture


def lit(picture: np.ndarray, gain: float, tilt: float = 0.0) -> np.ndarray:
    """The picture under another lamp: `gain` brighter, and `tilt` more so on its right than in its middle."""
    gains = gain * (1 + tilt * np.linspace(-1, 1, picture.shape[1], dtype=np.float32))
    return np.clip(picture * gains[None, :, None], 0, 255).astype(np.uint8)


def noisy(picture: np.ndarray, seed: int, sigma: float = 4.0) -> np.ndarray:
    """The picture as a camera in poor light gives it."""
    noise = np.random.default_rng(seed).normal(0, sigma, picture.shape)
    return np.clip(picture + noise, 0, 255).astype(np.uint8)


def shifted(picture: np.ndarray, right_px: float, down_px: float, turn_degrees: float = 0.0) -> np.ndarray:
    """The picture after the camera was bumped."""
    view = cv2.getRotationMatrix2D((WH[0] / 2, WH[1] / 2), turn_degrees, 1.0)
    view[:, 2] += right_px, down_px
    return cv2.warpAffine(picture, view, WH, borderMode=cv2.BORDER_REFLECT)
