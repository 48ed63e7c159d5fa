"""The typefaces of digits, joker letters and wordmarks on rendered tiles, as an atlas of masks.

Tiles are drawn from the atlas (`glyphs.npz`), without fonts. `tilekeeper.datasets.synthesis.printings.typeface_atlas`
makes the atlas from the fonts in `typefaces.csv`.
"""

from __future__ import annotations

import functools
import importlib.resources

import cv2
import numpy as np

from tilekeeper.datasets.synthesis.printings.drawn_figures import GLYPH_PX, drawn_figures

CHARACTERS = "0123456789JOKER"
WORDMARK_PX = 36
WORDMARKS = ("tiles", "Original", "classic", "Rummy", "game")


@functools.cache
def atlas() -> dict[str, np.ndarray]:
    """Return all masks by key: `FACE/CHARACTER` `(GLYPH_PX, w) uint8`, wordmarks `FACE/*WORD` `(WORDMARK_PX, w)`."""
    path = importlib.resources.files("tilekeeper.datasets.synthesis.printings").joinpath("glyphs.npz")
    with path.open("rb") as stream, np.load(stream) as store:
        masks: dict[str, np.ndarray] = {}
        for kind in ("characters", "wordmarks"):
            line = store[kind] * np.uint8(17)  # stored in 16 levels
            ends = store[f"{kind}_ends"]
            starts = np.concatenate([[0], ends[:-1]])
            for key, start, end in zip(store[f"{kind}_keys"], starts, ends, strict=True):
                masks[str(key)] = line[:, start:end]
    return masks


def typefaces() -> tuple[str, ...]:
    """Return the names of all typefaces in the atlas, sorted."""
    return tuple(sorted({key.split("/")[0] for key in atlas()}))


SEVENS = ("plain", "hooked", "crossed", "deep")
"""Shapes of a 7: as in the typeface, with a hook at its left (`deep`: a longer one), or with a bar across it."""


@functools.cache
def _seven(face: str, kind: str) -> np.ndarray:
    mask = atlas()[f"{face}/7"].copy()
    height, width = mask.shape
    # In heavy typefaces the hook is thinner than other strokes, because a thick one would close to a 9.
    stroke = min(max(4, int((mask[: height // 3, width // 4] > 128).sum())), height // 7)
    if kind in ("hooked", "deep"):
        cv2.rectangle(
            mask, (0, 0), (stroke - 1, max(stroke, height // 4 if kind == "hooked" else height * 2 // 5)), 255, -1
        )
    elif kind == "crossed":
        middle = round(0.54 * height)
        stem = int(np.flatnonzero(mask[middle] > 128).mean()) if (mask[middle] > 128).any() else width // 2
        ends = (max(0, stem - width // 3), min(width - 1, stem + width // 3))
        cv2.rectangle(mask, (ends[0], middle - stroke // 3), (ends[1], middle + stroke // 3), 255, -1)
    return mask


def set_text(
    face: str, text: str, height_px: int, tracking: float = 0.06, seven: str = "plain", figures: int | None = None
) -> np.ndarray:
    """Return the mask `(height_px, w) uint8` of a text in a typeface; its characters must be in `CHARACTERS`.

    `tracking`: gap between characters, in heights; `seven`: one of `SEVENS`; `figures`: seed of procedural digits
    (`drawn_figures`), which replace the typeface, or None.
    """
    if figures is None:
        masks = [_seven(face, seven) if character == "7" else atlas()[f"{face}/{character}"] for character in text]
    else:
        masks = [drawn_figures(figures)[character] for character in text]
    gap = np.zeros((GLYPH_PX, max(1, round(tracking * GLYPH_PX))), np.uint8)
    parts: list[np.ndarray] = []
    for mask in masks:
        parts += [mask, gap]
    line = np.hstack(parts[:-1])
    width = max(1, round(line.shape[1] * height_px / GLYPH_PX))
    shrinking = height_px < GLYPH_PX
    return cv2.resize(line, (width, height_px), interpolation=cv2.INTER_AREA if shrinking else cv2.INTER_CUBIC)
