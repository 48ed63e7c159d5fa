"""Chromatic adaptation: change the colours of an image to those under a black body or a lamp of measured spectrum.

All changes are made in linear light. Black bodies have smooth spectra, so von Kries' law in the Bradford cone space is
enough. LEDs and fluorescent tubes also change the distance of red and orange, even if white looks the same, so they
need a camera's response to the spectrum (`lamp_spectra`). Colours outside sRGB are clipped, as in a camera.
"""

from __future__ import annotations

import functools
import json
import pathlib

import cv2
import numpy as np

DAYLIGHT_XY = (0.3127, 0.3290)
"""The chromaticity (CIE 1931) of D65, the white of sRGB."""
_TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
"""Linear sRGB to XYZ."""
_TO_CONES = np.array([[0.8951, 0.2664, -0.1614], [-0.7502, 1.7135, 0.0367], [0.0389, -0.0685, 1.0296]])
"""XYZ to the Bradford cone space, in which von Kries' law is most accurate."""
GAMMA = 2.2
"""Exponent from sRGB levels, 0 to 1, to linear light; close enough to the sRGB curve for training."""
LAMPS_FILE = pathlib.Path(__file__).with_name("lamps.json")


def chromaticity(kelvin: float) -> tuple[float, float]:
    """Return the CIE 1931 x and y of a black body of 1667 to 25,000 K (Kim and others, US patent 7,024,034)."""
    t = 1000 / kelvin
    if kelvin < 4000:
        x = -0.2661239 * t**3 - 0.2343589 * t**2 + 0.8776956 * t + 0.179910
    else:
        x = -3.0258469 * t**3 + 2.1070379 * t**2 + 0.2226347 * t + 0.240390
    if kelvin < 2222:
        y = -1.1063814 * x**3 - 1.34811020 * x**2 + 2.18555832 * x - 0.20219683
    elif kelvin < 4000:
        y = -0.9549476 * x**3 - 1.37418593 * x**2 + 2.09137015 * x - 0.16748867
    else:
        y = 3.0817580 * x**3 - 5.87338670 * x**2 + 3.75112997 * x - 0.37001483
    return x, y


def lamp_matrix(lamp_xy: tuple[float, float]) -> np.ndarray:
    """Return the matrix `(3, 3)`, linear sRGB to linear sRGB, that gives daylight white the colour of a lamp."""
    daylight, lamp_white = (np.array([x / y, 1.0, (1 - x - y) / y]) for x, y in (DAYLIGHT_XY, lamp_xy))
    gains = (_TO_CONES @ lamp_white) / (_TO_CONES @ daylight)
    adapt = np.linalg.inv(_TO_CONES) @ np.diag(gains) @ _TO_CONES
    matrix: np.ndarray = np.linalg.inv(_TO_XYZ) @ adapt @ _TO_XYZ
    return matrix


@functools.cache
def measured_lamps() -> np.ndarray:
    """Return the matrices `(N, 3, 3)`, linear sRGB to linear sRGB, of lamps with measured spectra, for two cameras.

    The white balance of the camera removes none, half or all of the lamp's colour.
    """
    return np.array([lamp["to_lamp"] for lamp in json.loads(LAMPS_FILE.read_text("utf-8"))])


def measured_lamp(rng: np.random.Generator) -> np.ndarray:
    """Return the matrix `(3, 3)` of a random measured lamp, linear sRGB to linear sRGB."""
    lamp: np.ndarray = rng.choice(measured_lamps())
    return lamp


def black_body(kelvin: float) -> np.ndarray:
    """Return the matrix `(3, 3)`, linear sRGB to linear sRGB, of a black body without white balance."""
    return lamp_matrix(chromaticity(kelvin))


def relight(image: np.ndarray, to_lamp: np.ndarray) -> np.ndarray:
    """Return an image `(H, W, 3) float32` BGR, 0 to 255, under a lamp; white keeps its brightest channel.

    `to_lamp (3, 3)`: linear sRGB to linear sRGB, channels in the order RGB.
    """
    to_lamp = (to_lamp / (to_lamp @ np.ones(3)).max())[::-1, ::-1]
    linear = cv2.transform(cv2.pow(np.clip(image, 0, 300) * np.float32(1 / 255), GAMMA), to_lamp)
    lit: np.ndarray = cv2.pow(np.maximum(linear, 0), 1 / GAMMA) * np.float32(255)
    return lit
