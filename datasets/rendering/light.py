"""Light of a room: an environment image and lamps or windows of a colour temperature."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

ROOM_WH = 64, 32
KELVIN = 2700.0, 6500.0
LAMP_SHARE = 0.4, 4.0
"""Light of all lamps on the table, relative to that of the room."""


@dataclass(frozen=True, slots=True)
class Lamp:
    """A square light: its middle (mm), its side (mm), the point that it faces, and its radiance, linear RGB."""

    position_mm: np.ndarray
    side_mm: float
    target_mm: np.ndarray
    radiance_rgb: np.ndarray


def kelvin_rgb(kelvin: float) -> np.ndarray:
    """Return the linear RGB `(3,)` of a black body, with luminance 1: Planck's law at 610, 550 and 465 nm.

    It is relative to 6500 K, which is white.
    """
    wave = np.array([610e-9, 550e-9, 465e-9])

    def planck(temperature: float) -> np.ndarray:
        radiance: np.ndarray = wave**-5 / (np.exp(0.014388 / (wave * temperature)) - 1)
        return radiance

    colour = planck(kelvin) / planck(6500.0)
    balanced: np.ndarray = colour / (colour @ [0.2126, 0.7152, 0.0722])
    return balanced


def draw_room(rng: np.random.Generator) -> np.ndarray:
    """Return an environment image `(32, 64, 3) float32`, linear RGB, ceiling at the top: walls, furniture, windows."""
    width, height = ROOM_WH
    tint = kelvin_rgb(rng.uniform(*KELVIN))
    ceiling, wall, floor = rng.uniform(0.5, 1.2), rng.uniform(0.25, 0.8), rng.uniform(0.05, 0.3)
    levels = np.interp(np.arange(height), [0, height * 0.35, height * 0.55, height], [ceiling, wall, wall * 0.7, floor])
    room = np.repeat(levels[:, None, None].astype(np.float32), width, axis=1) * tint.astype(np.float32)
    for _ in range(int(rng.integers(4, 14))):
        x, w, h = int(rng.integers(width)), int(rng.integers(2, 16)), int(rng.integers(2, 12))
        colour = np.clip(rng.uniform(0.05, 0.7) + rng.normal(0, 0.12, 3), 0.02, 1) * tint
        y = height // 2 + int(rng.integers(-2, 4)) - h
        room[max(y, 0) : y + h, x : x + w] = colour
    if rng.random() < 0.55:
        daylight = kelvin_rgb(rng.uniform(5000, 7500)) * rng.uniform(1.5, 8)
        x, w, h = int(rng.integers(width - 8)), int(rng.integers(3, 8)), int(rng.integers(3, 9))
        y = int(rng.integers(5, 11))
        room[y : y + h, x : x + w] = daylight
    big = cv2.resize(room, (width * 4, height * 4), interpolation=cv2.INTER_LINEAR)
    blurred: np.ndarray = cv2.GaussianBlur(big, (0, 0), rng.uniform(1.0, 3.0)) * np.float32(rng.uniform(0.5, 1.3))
    return blurred


def draw_lamps(rng: np.random.Generator, target_mm: np.ndarray) -> list[Lamp]:
    """Draw one to three lamps or windows around a point; each is small and sharp or large and soft."""
    count = int(rng.choice([1, 2, 3], p=[0.45, 0.35, 0.2]))
    lamps = []
    warm = rng.uniform(*KELVIN)
    for _ in range(count):
        kelvin = warm if rng.random() < 0.7 else rng.uniform(*KELVIN)
        distance, side = rng.uniform(900, 2600), float(np.exp(rng.uniform(np.log(80), np.log(900))))
        elevation, heading = np.radians(rng.uniform(25, 88)), rng.uniform(0, 2 * np.pi)
        away = np.array([np.cos(elevation) * np.cos(heading), np.cos(elevation) * np.sin(heading), np.sin(elevation)])
        aim = target_mm + rng.normal(0, 80, 3)
        light = rng.uniform(*LAMP_SHARE) / count * distance**2 / side**2
        lamps.append(Lamp(target_mm + distance * away, side, aim, kelvin_rgb(kelvin) * light))
    return lamps
