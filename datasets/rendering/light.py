"""Light of a room: an environment image, and lamps or windows with a colour temperature."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

ROOM_WH = 64, 32
KELVIN = 2700.0, 6500.0
LAMP_SHARE = 0.4, 4.0  # light of all lamps on the table, relative to the light of the room


@dataclass(frozen=True, slots=True)
class Lamp:
    """A square light: its centre (mm), its side (mm), the point that it faces (mm), and its radiance, linear RGB."""

    position_mm: np.ndarray
    side_mm: float
    target_mm: np.ndarray
    radiance_rgb: np.ndarray


@dataclass(frozen=True, slots=True)
class Light:
    """All light of a scene: an environment image `room_rgb (h, w, 3) float32`, linear, ceiling on top, and lamps."""

    room_rgb: np.ndarray
    lamps: Sequence[Lamp] = ()


def kelvin_rgb(kelvin: float) -> np.ndarray:
    """Return the colour of a black body (Planck's law) as linear RGB `(3,)` of luminance 1; 6500 K is white."""
    wave = np.array([610e-9, 550e-9, 465e-9])
    white, colour = (1 / (np.exp(0.014388 / (wave * temperature)) - 1) for temperature in (6500.0, kelvin))
    return np.asarray(colour / white / (colour / white @ [0.2126, 0.7152, 0.0722]))


def draw_room(rng: np.random.Generator) -> np.ndarray:
    """Return a random environment image `(128, 256, 3) float32`, linear RGB: walls, furniture, sometimes a window."""
    width, height = ROOM_WH
    tint = kelvin_rgb(rng.uniform(*KELVIN))
    ceiling, wall, floor = rng.uniform(0.5, 1.2), rng.uniform(0.25, 0.8), rng.uniform(0.05, 0.3)
    levels = np.interp(np.arange(height), [0, height * 0.35, height * 0.55, height], [ceiling, wall, wall * 0.7, floor])
    room = np.repeat(levels[:, None, None].astype(np.float32), width, axis=1) * tint.astype(np.float32)
    for _ in range(int(rng.integers(4, 14))):
        x, w, h = int(rng.integers(width)), int(rng.integers(2, 16)), int(rng.integers(2, 12))
        bottom = height // 2 + int(rng.integers(-2, 4))
        colour = np.clip(rng.uniform(0.05, 0.7) + rng.normal(0, 0.12, 3), 0.02, 1) * tint
        room[max(bottom - h, 0) : bottom, x : x + w] = colour
    if rng.random() < 0.55:
        y, w, h = int(rng.integers(5, 11)), int(rng.integers(3, 8)), int(rng.integers(3, 9))
        room[y : y + h, :w] = kelvin_rgb(rng.uniform(5000, 7500)) * rng.uniform(1.5, 8)
    room = np.roll(room, int(rng.integers(width)), axis=1)
    big = cv2.resize(room, (width * 4, height * 4), interpolation=cv2.INTER_LINEAR)
    return np.asarray(cv2.GaussianBlur(big, (0, 0), rng.uniform(1.0, 3.0)) * np.float32(rng.uniform(0.5, 1.3)))


def draw_light(rng: np.random.Generator, target_mm: np.ndarray) -> Light:
    """Sample a room and one to three lamps or windows around the point `target_mm (3,)`, small or large."""
    count = int(rng.choice([1, 2, 3], p=[0.45, 0.35, 0.2]))
    lamps = []
    warm = rng.uniform(*KELVIN)
    for _ in range(count):
        kelvin = warm if rng.random() < 0.7 else rng.uniform(*KELVIN)
        distance, side = rng.uniform(900, 2600), float(np.exp(rng.uniform(np.log(80), np.log(900))))
        elevation, heading = np.radians(rng.uniform(25, 88)), rng.uniform(0, 2 * np.pi)
        away = np.array([np.cos(elevation) * np.cos(heading), np.cos(elevation) * np.sin(heading), np.sin(elevation)])
        radiance = kelvin_rgb(kelvin) * rng.uniform(*LAMP_SHARE) / count * distance**2 / side**2
        lamps.append(Lamp(target_mm + distance * away, side, target_mm + rng.normal(0, 80, 3), radiance))
    return Light(draw_room(rng), lamps)
