"""Write `lamps.json`: colour matrices of lamps with measured spectra, for two cameras.

    python -m tilekeeper.models.training.lamp_spectra

Spectra, observers and cameras come from the library colour-science (CIE illuminants, NIST lamps, NPL cameras). Run it
again to add a lamp.
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
"""Spectral sensitivities: of human eyes and of a measured camera."""
CORRECTED = (0.0, 0.5, 1.0)
"""How much of the lamp's colour the white balance removes, as exponents of the gains that remove all of it."""
WARM_K = 4000.0
"""Below this estimated colour temperature the camera uses its colour profile for illuminant A, else for daylight."""
SHAPE = colour.SpectralShape(380, 780, 5)


def sampled(spectra: colour.SpectralDistribution | colour.MultiSpectralDistributions) -> np.ndarray:
    """Return the values of one or more spectra at the wavelengths of `SHAPE`, `(81,)` or `(81, n)`."""
    values: np.ndarray = spectra.copy().align(SHAPE).values
    return values


DAYLIGHT, BULB = (sampled(colour.SDS_ILLUMINANTS[name]) for name in ("D65", "A"))


class Camera:
    """Linear camera model: white balance on the sensor's channels, then a matrix to sRGB.

    Three basis spectra turn an sRGB colour into a reflectance (Mallett and Yuksel, "Spectral Primary Decomposition for
    Rendering with sRGB Reflectance", EGSR 2019), so the whole model is linear in the colour.
    """

    def __init__(self, sensitivities: np.ndarray) -> None:
        """Make a camera with `sensitivities (81, 3)` of its channels at the wavelengths of `SHAPE`."""
        self._sensitivities = sensitivities
        self._reflectances = sampled(MSDS_BASIS_FUNCTIONS_sRGB_MALLETT2019)

    def matrix_under(self, power: np.ndarray, corrected: float, profile: np.ndarray) -> np.ndarray:
        """Return the matrix `(3, 3)` from linear sRGB in daylight to the camera's linear sRGB under a lamp.

        White has 1 in its brightest channel. `power (81,)`: spectrum of the lamp; `corrected`: share of its colour that
        the white balance removes, 0 to 1; `profile (81,)`: spectrum for which the camera's colour matrix is made.
        """
        profile_response, response = self._response(profile), self._response(power)
        # With full white balance, under the light of its profile, the camera reproduces all colours exactly.
        to_colours = np.linalg.inv(self._gains(profile_response)[:, None] * profile_response)
        matrix = to_colours @ (self._gains(response)[:, None] ** corrected * response)
        lit: np.ndarray = matrix / (matrix @ np.ones(3)).max()
        return lit

    def _response(self, power: np.ndarray) -> np.ndarray:
        """Return the matrix `(3, 3)` from linear sRGB to the sensor's channels under a light of this spectrum."""
        response: np.ndarray = (self._sensitivities * power[:, None]).T @ self._reflectances
        return response

    def _gains(self, response: np.ndarray) -> np.ndarray:
        """Return the white balance: gains of the channels, relative to green, that restore the white of daylight."""
        gains = (self._response(DAYLIGHT) @ np.ones(3)) / (response @ np.ones(3))
        relative: np.ndarray = gains / gains[1]
        return relative


def kelvin_of(power: np.ndarray) -> float:
    """Return the correlated colour temperature of a lamp (Ohno, "Practical use", Leukos 2013)."""
    xyz = sampled(CAMERAS["eye"]).T @ power
    return float(colour.temperature.uv_to_CCT_Ohno2013(colour.xy_to_UCS_uv(colour.XYZ_to_xy(xyz)))[0])


def main() -> None:
    spectra = {**dict(colour.SDS_ILLUMINANTS), **dict(colour.SDS_LIGHT_SOURCES)}
    lines = []
    for lamp in (*FLUORESCENT, *LEDS):
        power = sampled(spectra[lamp])
        for name, sensitivities in CAMERAS.items():
            camera = Camera(sampled(sensitivities))
            for corrected in CORRECTED:
                seems_warm = corrected * (1e6 / kelvin_of(power) - 1e6 / 6504) > 1e6 / WARM_K - 1e6 / 6504
                matrix = camera.matrix_under(power, corrected, BULB if seems_warm else DAYLIGHT)
                row = {"lamp": lamp, "camera": name, "mended": corrected, "to_lamp": matrix.round(5).tolist()}
                lines.append(json.dumps(row))
    LAMPS_FILE.write_text("[\n" + ",\n".join(lines) + "\n]\n", "utf-8")
    print(f"{LAMPS_FILE}: {len(lines)} matrices of {len(FLUORESCENT) + len(LEDS)} lamps")


if __name__ == "__main__":
    main()
