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

from tilekeeper.models.training.lamps import LAMPS_FILE

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
MENDED = (0.0, 0.5, 1.0)
"""How much of a lamp's colour the camera's white balance takes away, as powers of the gains that take all of it."""
WARM_K = 4000.0
"""A camera that takes a lamp for warmer than this makes colours of what it sees as under illuminant A, else as in
daylight."""
SHAPE = colour.SpectralShape(380, 780, 5)


def sampled(spectra: colour.SpectralDistribution | colour.MultiSpectralDistributions) -> np.ndarray:
    """Values of one or more spectra at the wavelengths of `SHAPE`, `(81,)` or `(81, n)`."""
    values: np.ndarray = spectra.copy().align(SHAPE).values
    return values


DAYLIGHT, BULB = (sampled(colour.SDS_ILLUMINANTS[name]) for name in ("D65", "A"))


class Camera:
    """Makes sRGB of what its sensor sees: mends white on the sensor's channels, then turns these into colours.

    A colour stands for the reflectance that three spectra make of it (Mallett and Yuksel, "Spectral Primary
    Decomposition for Rendering with sRGB Reflectance", EGSR 2019), so that all of it is linear in the colour.
    """

    def __init__(self, sensitivities: np.ndarray) -> None:
        """`sensitivities (81, 3)` of its channels at the wavelengths of `SHAPE`."""
        self._sensitivities = sensitivities
        self._reflectances = sampled(MSDS_BASIS_FUNCTIONS_sRGB_MALLETT2019)

    def matrix_under(self, power: np.ndarray, mended: float, like: np.ndarray) -> np.ndarray:
        """`(3, 3)` linear sRGB in daylight to what the camera makes of it under a lamp; the brightest of white is 1.

        `power (81,)` is the lamp's; `mended`, 0 to 1, how much of its colour is taken away; `like (81,)` the light for
        which the colours are made.
        """
        known, seen = self._sees(like), self._sees(power)
        # under the light that it is made for, and with white mended, colours come out as they are
        to_colours = np.linalg.inv(self._gains(known)[:, None] * known)
        matrix = to_colours @ (self._gains(seen)[:, None] ** mended * seen)
        lit: np.ndarray = matrix / (matrix @ np.ones(3)).max()
        return lit

    def _sees(self, power: np.ndarray) -> np.ndarray:
        """`(3, 3)` linear sRGB to the sensor's channels."""
        seen: np.ndarray = (self._sensitivities * power[:, None]).T @ self._reflectances
        return seen

    def _gains(self, seen: np.ndarray) -> np.ndarray:
        """What makes white of this light as strong in each channel as white in daylight is, beside green."""
        gains = (self._sees(DAYLIGHT) @ np.ones(3)) / (seen @ np.ones(3))
        beside_green: np.ndarray = gains / gains[1]
        return beside_green


def kelvin_of(power: np.ndarray) -> float:
    """The temperature of the black body whose colour a lamp's is most like (Ohno, "Practical use", Leukos 2013)."""
    xyz = sampled(CAMERAS["eye"]).T @ power
    return float(colour.temperature.uv_to_CCT_Ohno2013(colour.xy_to_UCS_uv(colour.XYZ_to_xy(xyz)))[0])


def main() -> None:
    known = {**dict(colour.SDS_ILLUMINANTS), **dict(colour.SDS_LIGHT_SOURCES)}
    lines = []
    for lamp in (*FLUORESCENT, *LEDS):
        power = sampled(known[lamp])
        for name, sensitivities in CAMERAS.items():
            camera = Camera(sampled(sensitivities))
            for mended in MENDED:
                taken_for_warm = mended * (1e6 / kelvin_of(power) - 1e6 / 6504) > 1e6 / WARM_K - 1e6 / 6504
                matrix = camera.matrix_under(power, mended, BULB if taken_for_warm else DAYLIGHT)
                row = {"lamp": lamp, "camera": name, "mended": mended, "to_lamp": matrix.round(5).tolist()}
                lines.append(json.dumps(row))
    LAMPS_FILE.write_text("[\n" + ",\n".join(lines) + "\n]\n", "utf-8")
    print(f"{LAMPS_FILE}: {len(lines)} ways to see {len(FLUORESCENT) + len(LEDS)} lamps")


if __name__ == "__main__":
    main()
