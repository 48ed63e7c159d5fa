"""The phone: a thin-lens camera, its projection to pixels, and its image processing from linear light to a photo."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tilekeeper.datasets.synthesis.scene.camera import Camera
from tilekeeper.datasets.synthesis.scene.light import take

FIELD_DEG = 40.0, 72.0  # field of view along the longer side: from a phone's second lens to its main one
ELEVATION_DEG, SIDE_DEG = (15.0, 60.0), (0.0, 45.0)
TILE_PX = 20.0, 110.0
FOCUS_BLUR = 0.3  # share of images with a visible depth of field
WHITE_BALANCE = 0.35, 1.0  # range of the share of the light's tint that the phone removes
GREY = 0.16, 0.34  # mean linear brightness that the exposure aims at
FACE_LIGHT = 0.22, 1.15  # linear brightness of the tiles' faces: from a dim evening to slightly burnt out
SHARE_OF_BLUR = 0.5  # share of the blur of `take`, whose input is perfectly sharp; a traced image is not


@dataclass(frozen=True, slots=True)
class Phone:
    """A camera at `position_mm (3,)` that points at `target_mm (3,)`; `up (3,)` is the upward direction of its image.

    `field_x`: horizontal field of view in radians; `aperture_mm`: radius of the lens, 0 for a pinhole; `focus_mm`:
    distance of the plane in focus.
    """

    position_mm: np.ndarray
    target_mm: np.ndarray
    up: np.ndarray
    field_x: float
    wh: tuple[int, int]
    aperture_mm: float
    focus_mm: float

    def projection(self) -> Camera:
        """Return the projection to pixels; the centre of the first pixel is at 0.5."""
        forward = self.target_mm - self.position_mm
        forward = forward / np.linalg.norm(forward)
        right = np.cross(forward, self.up)
        right /= np.linalg.norm(right)
        rotation = np.stack([right, np.cross(forward, right), forward])
        width, height = self.wh
        focal = width / 2 / np.tan(self.field_x / 2)
        intrinsic = np.array([[focal, 0, width / 2], [0, focal, height / 2], [0, 0, 1]])
        return Camera(intrinsic @ np.column_stack([rotation, -rotation @ self.position_mm]), self.wh)


def hold_phone(
    rng: np.random.Generator,
    wh: tuple[int, int],
    target_mm: np.ndarray,
    width_mm: float,
    tile_mm: float,
    elevation_deg: tuple[float, float] = ELEVATION_DEG,
) -> Phone:
    """Sample a camera that points at an object: often it fills the image, sometimes it is cut or far away.

    `target_mm (3,)`, `width_mm`: centre and width of the object; `tile_mm`: width of a tile.
    """
    field = np.radians(rng.uniform(*FIELD_DEG))
    focal = max(wh) / 2 / np.tan(field / 2)
    tile_px = float(np.exp(rng.uniform(*np.log(TILE_PX))))
    if rng.random() < 0.75:
        tile_px = wh[0] * rng.uniform(0.6, 1.05) / width_mm * tile_mm
    distance = focal / float(np.clip(tile_px, *TILE_PX)) * tile_mm
    elevation, side = np.radians(rng.uniform(*elevation_deg)), np.radians(rng.uniform(*SIDE_DEG)) * rng.choice([-1, 1])
    away = np.array([np.sin(side) * np.cos(elevation), -np.cos(side) * np.cos(elevation), np.sin(elevation)])
    slack_mm = np.clip(max(width_mm * 0.12, (width_mm - wh[0] * distance / focal) / 2), 0, width_mm * 0.6)
    aim = target_mm + rng.normal(0, 1, 3) * (0.6 * slack_mm, 0.3 * slack_mm, 0.06 * width_mm)
    position = aim + distance * away
    roll = rng.normal(0, 0.05) if rng.random() < 0.85 else rng.normal(0, 0.25)
    right = np.cross(-away, [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right)
    up = np.cos(roll) * np.cross(right, -away) + np.sin(roll) * right
    # A blur of two pixels at 20 % beyond the focus needs a lens of about a hundredth of the distance.
    aperture = distance * rng.uniform(0.002, 0.011) if rng.random() < FOCUS_BLUR else 0.0
    field_x = 2 * np.arctan(wh[0] / 2 / focal)
    return Phone(position, aim, up, float(field_x), wh, float(aperture), float(distance * rng.normal(1, 0.06)))


def develop(rng: np.random.Generator, linear_rgb: np.ndarray, faces: np.ndarray, tile_px: float) -> np.ndarray:
    """Convert linear light `(H, W, 3)` to a photo, BGR `(H, W, 3) uint8`: white balance, exposure, tone, lens, noise.

    `faces (H, W)`: mask of the tiles' faces; `tile_px`: width of a tile.
    """
    white = np.median(linear_rgb[faces], axis=0) if faces.any() else linear_rgb.mean(axis=(0, 1))
    white = np.maximum(white, 1e-4)
    share = rng.uniform(*WHITE_BALANCE) if rng.random() < 0.85 else rng.uniform(0, 0.4)
    tint = (white.mean() / white) ** share * (1 + rng.normal(0, 0.02, 3))
    balanced = linear_rgb * tint.astype(np.float32)
    gain = rng.uniform(*GREY) / max(float(np.minimum(balanced, 4 * white.mean()).mean()), 1e-4)
    level = float((white * tint).mean())
    gain = float(np.clip(gain * level, *FACE_LIGHT)) / level
    exposed = balanced * np.float32(gain)
    knee = 0.7  # a soft shoulder: highlights are compressed, not clipped
    over = np.maximum(exposed - knee, 0)
    toned = np.minimum(exposed, knee) + (1 - knee) * (1 - np.exp(-over / (1 - knee)))
    srgb = np.where(toned <= 0.0031308, toned * 12.92, 1.055 * np.maximum(toned, 1e-6) ** (1 / 2.4) - 0.055)
    y, x = np.mgrid[-1 : 1 : toned.shape[0] * 1j, -1 : 1 : toned.shape[1] * 1j]
    vignette = 1 - rng.uniform(0.05, 0.3) * (x**2 + y**2) / 4
    picture = np.ascontiguousarray((srgb * vignette[..., None] * 255)[..., ::-1], np.float32)
    return take(rng, picture, tile_px, SHARE_OF_BLUR)
