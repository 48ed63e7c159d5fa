"""Printings: the appearance of one set of tiles, sampled from the variety of sets on the market."""

from __future__ import annotations

import functools
import importlib.resources
import json
from dataclasses import dataclass, replace
from typing import Literal

import cv2
import numpy as np

from tilekeeper.datasets.synthesis.printings.typefaces import SEVENS, WORDMARKS, typefaces

Pool = Literal["train", "kept-out", "any"]
"""The printings to sample from: printings for training, held-out printings (`kept-out`), or all."""

JOKERS = ("smile", "grin", "star", "letter", "word", "butterfly", "hat", "sun", "moustache", "twins") + (
    "figure",
    "blob",
    "rosette",
) * 4
"""Named jokers, and random jokers with the same total share."""
MARKS = ("none", "dot", "bar", "bar-short")
SIGNS = ("none",) * 6 + ("disc", "triangle", "square", "heart", "diamond", "ring", "figure", "blob", "rosette")
OKEY_SIGNS = ("diamond", "figure", "blob", "rosette")
"""Signs below the numbers of a 101 Okey set: one that is held out from training, and random ones."""
OKEY_WARM_HUE = 30, 54
"""Range of hues of the warm ink of a 101 Okey set, in degrees: amber to yellow."""
BASES = {
    "ivory": (205, 228, 238),
    "cream": (188, 218, 234),
    "white": (240, 242, 243),
    "cool-white": (248, 242, 236),
    "aged": (160, 200, 222),
    "pearl": (224, 232, 234),
}
INKS = ("black", "blue", "orange", "red")
WIDE_INKS = 0.35
"""With wide inks, share of sets with a dark orange that is nearly brown, and share of sets with a teal blue."""
LEAST_INK_DISTANCE = 33.0
"""Smallest distance (CIE 1976) of a wide ink from all other inks; 95 of 100 sets without wide inks have more."""


@dataclass(frozen=True, slots=True)
class Printing:
    """The appearance of one set of tiles; lengths in mm, or as shares of a tile's width or height (`_of_width` …)."""

    typeface: str
    width_mm: float
    height_mm: float
    thickness_mm: float
    corner_of_width: float
    bevel_of_width: float
    base_bgr: tuple[int, int, int]
    inks_bgr: tuple[tuple[int, int, int], ...]
    """Black, blue, the warm ink (orange, amber or yellow) and red."""
    digit_height_of_height: float
    digit_centre_of_height: float
    digit_stretch: float
    tracking: float
    weight: float
    """Change of the stroke width, above 0 for bolder figures, in digit heights."""
    slant: float
    """Slant of the figures to the right, as a tangent."""
    seven: str
    """The shape of the 7, one of `typefaces.SEVENS`."""
    engraved: float
    """Depth of the print: 0 is flat, 1 deeply engraved."""
    dimple: Literal["none", "recess", "ring", "square"]
    dimple_strength: float
    wordmark: str
    wordmark_style: Literal["none", "embossed", "printed"]
    mark: str
    """The mark below a 6 or 9 that shows which of them it is, one of `MARKS`."""
    sign: str
    """The suit sign below the number, one of `SIGNS`."""
    sign_by_ink: bool
    joker: str
    joker_inks: tuple[int, int]
    joker_seed: int
    """Seed of a joker or random sign."""
    joker_scale: float
    frame: float
    """Opacity of a thin line along the edge, 0 for none."""
    gloss: float
    figures: int | None = None
    """Seed of procedural figures (`drawn_figures`) that replace the typeface; None for the typeface."""
    joker_lines: bool = False
    """Whether only the outlines of the joker are printed, in thin lines."""


def as_okey(printing: Printing, rng: np.random.Generator) -> Printing:
    """Return the printing in the style of 101 Okey: a sign below each number, no wordmark, two equal jokers."""
    black, blue, _, red = printing.inks_bgr
    return replace(
        printing,
        inks_bgr=(black, blue, _ink(rng, OKEY_WARM_HUE, (0.7, 1.0), (0.82, 1.0)), red),
        wordmark_style="none",
        mark="none",
        sign=OKEY_SIGNS[int(rng.integers(len(OKEY_SIGNS)))],
        joker_inks=(printing.joker_inks[0],) * 2,
    )


@functools.cache
def kept_out() -> dict[str, list[str]]:
    """Return the names of the held-out choices by kind, from `kept_out.json`."""
    file = importlib.resources.files("tilekeeper.datasets.synthesis.printings").joinpath("kept_out.json")
    names: dict[str, list[str]] = json.loads(file.read_text("utf-8"))
    return names


def choices(kind: str, everything: tuple[str, ...], pool: Pool) -> tuple[str, ...]:
    """Return the members of `everything` in a pool: for `kept-out` the held-out ones, for `train` all others."""
    out = set(kept_out()[kind])
    if pool == "train":
        return tuple(e for e in everything if e not in out)
    if pool == "kept-out":
        return tuple(e for e in everything if e in out)
    return everything


def _ink(
    rng: np.random.Generator, hue: tuple[float, float], saturation: tuple[float, float], value: tuple[float, float]
) -> tuple[int, int, int]:
    """Sample an ink from ranges of hue (degrees), saturation and value (0 to 1); return BGR."""
    hsv = np.array([[[rng.uniform(*hue) % 360, rng.uniform(*saturation), rng.uniform(*value)]]], np.float32)
    b, g, r = (cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)[0, 0] * 255).round()
    return int(b), int(g), int(r)


def draw_inks(rng: np.random.Generator) -> tuple[tuple[int, int, int], ...]:
    """Sample the black, blue, warm and red ink of one set, BGR; the warm ink always differs from the red one."""
    black = _ink(rng, (0, 360), (0.0, 0.35), (0.04, 0.26))
    blue = _ink(rng, (168, 200) if rng.random() < 0.2 else (200, 236), (0.65, 1.0), (0.45, 0.95))
    red_hue = rng.uniform(-24, 8)
    warm_hue = rng.uniform(max(20, red_hue + 20), 52)
    red = _ink(rng, (red_hue, red_hue), (0.68, 1.0), (0.55, 0.95))
    warm = _ink(rng, (warm_hue, warm_hue), (0.7, 1.0), (0.82, 1.0))
    return black, blue, warm, red


def ink_distance(first_bgr: tuple[int, int, int], second_bgr: tuple[int, int, int]) -> float:
    """Return the perceptual difference of two inks (CIE 1976)."""
    lab = cv2.cvtColor(np.array([[first_bgr, second_bgr]], np.float32) / 255, cv2.COLOR_BGR2LAB)[0]
    return float(np.linalg.norm(lab[0] - lab[1]))


def widen_inks(inks_bgr: tuple[tuple[int, int, int], ...], seed: int) -> tuple[tuple[int, int, int], ...]:
    """Return the inks of a set; with probability `WIDE_INKS` each, warm becomes dark orange, and blue becomes teal."""
    rng = np.random.default_rng([seed, 1])
    inks = list(inks_bgr)
    for place, hue, saturation, value in (
        (2, (16, 36), (0.75, 1.0), (0.45, 0.8)),
        (1, (176, 200), (0.5, 1), (0.4, 0.8)),
    ):
        drawn = _ink(rng, hue, saturation, value)
        is_apart = all(ink_distance(drawn, ink) > LEAST_INK_DISTANCE for at, ink in enumerate(inks) if at != place)
        if rng.random() < WIDE_INKS and is_apart:
            inks[place] = drawn
    return tuple(inks)


def draw_printing(rng: np.random.Generator, pool: Pool = "train", wide_inks: bool = False) -> Printing:
    """Sample a printing; in the pool `kept-out` every choice is a held-out one.

    `wide_inks`: whether some sets get dark or teal inks (`widen_inks`), which changes neither other choices nor `rng`.
    """

    def pick(items: tuple[str, ...]) -> str:
        return items[int(rng.integers(len(items)))]

    width = rng.uniform(20, 32)
    aspect = rng.uniform(1.28, 1.48) if rng.random() < 0.75 else rng.uniform(1.18, 1.65)
    tint = np.array(BASES[pick(choices("base_tints", tuple(BASES), pool))], np.float64)
    base = np.clip(tint * rng.uniform(0.92, 1.04) + rng.normal(0, 4, 3), 90, 254)
    joker_ink = int(rng.integers(4))
    signs = choices("signs", SIGNS, pool)
    printing = Printing(
        typeface=pick(choices("typefaces", typefaces(), pool)),
        width_mm=width,
        height_mm=width * aspect,
        thickness_mm=rng.uniform(2.0, 5.0) if rng.random() < 0.4 else rng.uniform(5.0, 11.0),
        corner_of_width=rng.uniform(0.03, 0.16),
        bevel_of_width=rng.uniform(0.0, 0.09),
        base_bgr=(int(base[0]), int(base[1]), int(base[2])),
        inks_bgr=draw_inks(rng),
        digit_height_of_height=rng.uniform(0.27, 0.5),
        digit_centre_of_height=rng.uniform(0.30, 0.42),
        digit_stretch=rng.uniform(0.82, 1.18),
        tracking=rng.uniform(0.02, 0.14),
        weight=float(np.clip(rng.normal(0, 0.018), -0.035, 0.05)),
        slant=0.0 if rng.random() < 0.6 else float(np.clip(rng.normal(0.06, 0.1), -0.15, 0.28)),
        seven=SEVENS[int(rng.choice(4, p=[0.74, 0.09, 0.12, 0.05]))],
        engraved=rng.uniform(0.0, 1.0) if rng.random() < 0.6 else 0.0,
        dimple=("none", "recess", "ring", "square")[int(rng.choice(4, p=[0.45, 0.35, 0.14, 0.06]))],
        dimple_strength=rng.uniform(0.3, 1.0),
        wordmark=pick(choices("wordmarks", WORDMARKS, pool)),
        wordmark_style=("none", "embossed", "printed")[int(rng.choice(3, p=[0.5, 0.36, 0.14]))],
        mark="none" if rng.random() < 0.5 else pick(choices("marks", MARKS, pool)),
        sign=pick(signs) if rng.random() < 0.5 or (pool == "kept-out" and rng.random() < 0.3) else "none",
        sign_by_ink=bool(rng.random() < 0.5),
        joker=pick(choices("jokers", JOKERS, pool)),
        joker_inks=(joker_ink, joker_ink) if rng.random() < 0.4 else (int(rng.integers(4)), int(rng.integers(4))),
        joker_seed=int(rng.integers(2**31)),
        joker_scale=rng.uniform(0.55, 0.88),
        frame=rng.uniform(0.15, 0.7) if rng.random() < 0.12 else 0.0,
        gloss=rng.uniform(0.0, 1.0),
    )
    return replace(printing, inks_bgr=widen_inks(printing.inks_bgr, printing.joker_seed)) if wide_inks else printing
