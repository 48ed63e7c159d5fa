"""Writes `lamps.json`: what lamps of measured spectra make of a table's colours, for two cameras.

    python -m tilekeeper.models.training.lamp_spectra

Spectra, observers and cameras are those that the library colour-science has (of the CIE's illuminants, the NIST's
lamps and the NPL's cameras). Needed again only to add a lamp.
"""

from __future__ import annotations

import json

import colour
import numpy as np
from colour.recovery import MSDS_BASIS_FUNCTIONS_sRGB_MALLETT2019

from tilekeeper.models.training.lamps import LAMPS

FLUORESCENT = (
    *(f"FL{kind}" for kind in range(1, 13)),
    *(f"F32T8/TL{kind} (Triphosphor)" for kind in (830, 835, 841, 850)),
)
LEDS = (
    *(f"LED-B{kind}" for kind in range(1, 6)),
    "LED-BH1",
    "LED-RGB1",
    "LED-V1",
    "LED-V2",
    *(f"PHOS-{kind}" for kind in range(1, 5)),
    "Luxeon WW 2880",
    "Phosphor LED YAG",
)
CAMERAS = {
    "eye": colour.MSDS_CMFS["CIE 1931 2 Degree Standard Observer"],
    "Nikon 5100": colour.MSDS_CAMERA_SENSITIVITIES["Nikon 5100 (NPL)"],
}
"""What sees the table: a camera that sees as people do, and one as it was measured."""
SHAPE = colour.SpectralShape(380, 780, 5)


def sampled(spectra: colour.SpectralDistribution | colour.MultiSpectralDistributions) -> np.ndarray:
    """Values of one or more spectra at the wavelengths of `SHAPE`, `(81,)` or `(81, n)`."""
    values: np.ndarray = spectra.copy().align(SHAPE).values
    return values


def lamp_matrix_of(power: np.ndarray, sensitivities: np.ndarray) -> np.ndarray:
    """`(3, 3)` linear sRGB in daylight to linear sRGB under a lamp that the camera takes for daylight.

    `power (81,)` is the lamp's, `sensitivities (81, 3)` the camera's. A colour stands for the reflectance that three
    spectra make of it (Mallett and Yuksel, "Spectral Primary Decomposition for Rendering with sRGB Reflectance",
    EGSR 2019), so that what a camera says of it is linear in the colour.
    """
    reflectances = sampled(MSDS_BASIS_FUNCTIONS_sRGB_MALLETT2019)
    daylight = sampled(colour.SDS_ILLUMINANTS["D65"])
    under_lamp, in_daylight = ((sensitivities * light[:, None]).T @ reflectances for light in (power, daylight))
    matrix = np.linalg.inv(in_daylight) @ under_lamp
    lit: np.ndarray = matrix / (matrix @ np.ones(3)).max()
    return lit


def main() -> None:
    known = {**dict(colour.SDS_ILLUMINANTS), **dict(colour.SDS_LIGHT_SOURCES)}
    lines = []
    for lamp in (*FLUORESCENT, *LEDS):
        for camera, sensitivities in CAMERAS.items():
            matrix = lamp_matrix_of(sampled(known[lamp]), sampled(sensitivities))
            lines.append(json.dumps({"lamp": lamp, "camera": camera, "to_lamp": matrix.round(5).tolist()}))
    LAMPS.write_text("[\n" + ",\n".join(lines) + "\n]\n", "utf-8")
    print(f"{LAMPS}: {len(lines)} of {len(lines) // len(CAMERAS)} lamps")


if __name__ == "__main__":
    main()
