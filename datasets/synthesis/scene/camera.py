"""A pinhole camera over the table: projects points in millimetres to pixels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Camera:
    """A pinhole camera: `projection (3, 4) float64` maps `(x, y, z, 1)` in mm, z up, to homogeneous pixels."""

    projection: np.ndarray
    wh: tuple[int, int]

    def project(self, points_mm: np.ndarray) -> np.ndarray:
        """Project `(N, 3)` mm to `(N, 2) float64` pixels."""
        homogeneous = np.column_stack([points_mm, np.ones(len(points_mm))]) @ self.projection.T
        pixels: np.ndarray = homogeneous[:, :2] / homogeneous[:, 2:]
        return pixels

    def plane(self, z_mm: float = 0.0) -> np.ndarray:
        """Return the homography `(3, 3)` from the plane at height `z_mm` (mm) to pixels."""
        p = self.projection
        return np.column_stack([p[:, 0], p[:, 1], p[:, 2] * z_mm + p[:, 3]])


def look_at(
    wh: tuple[int, int],
    centre_mm: tuple[float, float],
    px_per_mm: float,
    tilt: float,
    heading: float,
    roll: float,
    field: float,
) -> Camera:
    """Return a camera whose axis meets the table at `centre_mm`, where 1 mm is `px_per_mm` pixels.

    All angles are in radians. `tilt`: angle from the vertical, in the direction `heading`; `roll`: rotation of the
    image; `field`: horizontal field of view. At zero angles the table's x points right and y down in the image.
    """
    focal = wh[0] / 2 / np.tan(field / 2)
    distance = focal / px_per_mm
    away = np.array([np.sin(tilt) * np.sin(heading), np.sin(tilt) * np.cos(heading), np.cos(tilt)])
    position = np.array([*centre_mm, 0.0]) + distance * away
    forward = -away
    down = np.array([np.sin(roll), np.cos(roll), 0.0])
    down = down - forward * (down @ forward)
    down /= np.linalg.norm(down)
    right = np.cross(down, forward)
    if right @ np.array([np.cos(roll), -np.sin(roll), 0.0]) < 0:
        right = -right
    rotation = np.stack([right, down, forward])
    intrinsic = np.array([[focal, 0, wh[0] / 2], [0, focal, wh[1] / 2], [0, 0, 1]])
    return Camera(intrinsic @ np.column_stack([rotation, -rotation @ position]), wh)
