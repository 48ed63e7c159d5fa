"""All table tops of rendered images, by name: `SURFACES[name](rng, wh, px_per_mm)`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import cv2
import numpy as np

from tilekeeper.datasets.synthesis.noise import any_colour, fractal
from tilekeeper.datasets.synthesis.printings.printing import kept_out
from tilekeeper.datasets.synthesis.surfaces import cloth, made, stone, wood

Surface = Callable[[np.random.Generator, tuple[int, int], float], np.ndarray]
"""Function f(rng, wh, px_per_mm) that draws a surface from straight above: BGR `(h, w, 3) uint8`."""

_WHOLE: dict[str, Surface] = {
    "walnut": wood.walnut,
    "oak": wood.oak,
    "pine-planks": wood.pine_planks,
    "dark-planks": wood.dark_planks,
    "painted-planks": wood.painted_planks,
    "laminate": wood.laminate,
    "butcher-block": wood.butcher_block,
    "herringbone": wood.herringbone,
    "cork": wood.cork,
    "white-marble": stone.white_marble,
    "dark-marble": stone.dark_marble,
    "granite": stone.granite,
    "slate": stone.slate,
    "concrete": stone.concrete,
    "terrazzo": stone.terrazzo,
    "mosaic": stone.mosaic,
    "tile-sized-stones": stone.tile_sized_stones,
    "ceramic": stone.ceramic,
    "weave": cloth.weave,
    "linen": cloth.linen,
    "felt": cloth.felt,
    "striped-rug": cloth.striped_rug,
    "persian": cloth.persian,
    "checked": cloth.checked,
    "patterned": cloth.patterned,
    "shag": cloth.shag,
    "quilted": cloth.quilted,
    "painted-desk": made.painted_desk,
    "glass": made.glass,
    "chessboard": made.chessboard,
    "newspaper": made.newspaper,
    "leather": made.leather,
    "play-mat": made.play_mat,
    "foam-mat": made.foam_mat,
    "cutting-mat": made.cutting_mat,
    "cardboard": made.cardboard,
    "metal": made.metal,
}


def _distance_from_cut(rng: np.random.Generator, wh: tuple[int, int], share: tuple[float, float]) -> np.ndarray:
    """Return the signed distance `(h, w) float32` of every pixel from a random straight line across the image.

    `share`: range of the line's position, 0 to 1 from one side to the other.
    """
    w, h = wh
    angle = rng.uniform(0, 2 * np.pi) if rng.random() < 0.5 else rng.integers(4) * np.pi / 2 + rng.normal(0, 0.06)
    normal = np.array([np.cos(angle), np.sin(angle)])
    reach = (abs(normal[0]) * w + abs(normal[1]) * h) / 2
    shift = reach * (2 * rng.uniform(*share) - 1)
    x = (np.arange(w, dtype=np.float32) - np.float32(w / 2)) * np.float32(normal[0])
    y = (np.arange(h, dtype=np.float32) - np.float32(h / 2)) * np.float32(normal[1])
    return x[None, :] + y[:, None] - np.float32(shift)


def joinable() -> tuple[str, ...]:
    """Return the names of the surfaces that `table-edge` and `runner` combine: all except the held-out ones."""
    out = set(kept_out()["surfaces"])
    return tuple(name for name in _WHOLE if name not in out)


def _two(rng: np.random.Generator, wh: tuple[int, int], px_per_mm: float) -> tuple[np.ndarray, np.ndarray]:
    names = joinable()
    first, second = (names[int(i)] for i in rng.choice(len(names), 2, replace=False))
    return _WHOLE[first](rng, wh, px_per_mm), _WHOLE[second](rng, wh, px_per_mm)


def table_edge(rng: np.random.Generator, wh: tuple[int, int], px_per_mm: float) -> np.ndarray:
    """Return a table whose edge is in the image, with a lit rim, a shadow below it and the floor beyond."""
    top, floor = _two(rng, wh, px_per_mm)
    distance = _distance_from_cut(rng, wh, (0.72, 0.97))
    rim = max(1.0, rng.uniform(1, 25) * px_per_mm)
    shade = 1.0 - rng.uniform(0.2, 0.8) * np.exp(-np.clip(distance, 0, None) / (rng.uniform(20, 150) * px_per_mm))
    image = _dimmed(cv2.GaussianBlur(floor, (0, 0), rng.uniform(0.5, 4.0)), shade * rng.uniform(0.4, 1.0))
    mask = np.clip(0.5 - distance, 0, 1).astype(np.float32)
    image[(distance > 0) & (distance < rim)] = np.rint(any_colour(rng, (0, 0.4), (0.1, 1.0)))
    return cv2.blendLinear(top, image, mask, 1 - mask)


def _dimmed(image: np.ndarray, gain: np.ndarray) -> np.ndarray:
    grey = np.clip(gain * 255.0, 0, 255).astype(np.uint8)
    return cv2.multiply(image, cv2.merge([grey, grey, grey]), scale=1.0 / 255.0)


def runner(rng: np.random.Generator, wh: tuple[int, int], px_per_mm: float) -> np.ndarray:
    """Return a surface with a strip of another surface on it, with a thin shadow along the strip."""
    ground, strip = _two(rng, wh, px_per_mm)
    distance = _distance_from_cut(rng, wh, (0.2, 0.8))
    half = rng.uniform(0.12, 0.35) * max(wh)
    outside = np.abs(distance + 1.5 * px_per_mm * fractal(rng, wh, 150 * px_per_mm, 2)) - np.float32(half)
    shade = 1.0 - rng.uniform(0.1, 0.6) * np.exp(-np.clip(outside, 0, None) / max(1.0, rng.uniform(1, 8) * px_per_mm))
    mask = np.clip(0.5 - outside, 0, 1).astype(np.float32)
    return cv2.blendLinear(strip, _dimmed(ground, shade), mask, 1 - mask)


SURFACES: Mapping[str, Surface] = MappingProxyType({**_WHOLE, "table-edge": table_edge, "runner": runner})
"""All surfaces by name; `table-edge` and `runner` combine two others and take the time of both."""
