"""Other cuts of a tile's print: a little turned, larger or shifted.

The namer is misled by one cut of a print and not by the next: the mean of several is right more often, and above all
less sure where it is wrong.
"""

from __future__ import annotations

import numpy as np

from tilekeeper.vision.arrays import Floats, Ints
from tilekeeper.vision.geometry.quads import axes_px

CUTS = 4
"""So many cuts of a tile make one look."""
TURNED, GROWN, SHIFTED = np.radians(5.0), 0.06, 0.05
"""Cuts are turned, made larger or smaller (a logarithm) and shifted (in tile widths) by up to so much."""
ROUNDS = 6
"""After so many looks the cuts begin anew."""


def _cuts() -> Floats:
    """Return turn, growth and shifts of every cut, `(ROUNDS * CUTS, 4)`, spread evenly (Roberts' R4 sequence)."""
    root = 1.1673039782614187  # of x ** 5 = x + 1
    steps = root ** -np.arange(1.0, 5.0)
    spread = (0.5 + np.arange(1, ROUNDS * CUTS + 1)[:, None] * steps) % 1.0
    cuts: Floats = (2 * spread - 1) * (TURNED, GROWN, SHIFTED, SHIFTED)
    return cuts


_CUTS = _cuts()


def cuts_of(quads_px: Floats, looks: Ints) -> Floats:
    """Return the cuts for the next look at tiles `(N, 4, 2)` that had so many `looks (N,)`: `(N, CUTS, 4, 2)`."""
    at = (np.asarray(looks)[:, None] % ROUNDS) * CUTS + np.arange(CUTS)
    turn, growth, right, low = np.moveaxis(_CUTS[at], -1, 0)
    middles = quads_px.mean(axis=1)[:, None, None]
    across, down = (axis[:, None] for axis in axes_px(quads_px))
    width = np.linalg.norm(across, axis=2)
    down = down * (width / np.maximum(np.linalg.norm(down, axis=2), 1e-6))[..., None]
    cos, sin = np.cos(turn) * np.exp(growth), np.sin(turn) * np.exp(growth)
    turned = np.stack([np.stack([cos, -sin], -1), np.stack([sin, cos], -1)], -2)
    off = (quads_px[:, None] - middles) @ turned.swapaxes(-1, -2)
    shift = right[..., None] * across + low[..., None] * down
    cuts: Floats = (middles + off + shift[:, :, None]).astype(np.float32)
    return cuts


def mean_of_cuts(values: Floats) -> Floats:
    """Return the mean over each tile's cuts of what was said of them, `(N * CUTS, ...)` to `(N, ...)`."""
    means: Floats = values.reshape(len(values) // CUTS, CUTS, *values.shape[1:]).mean(axis=1)
    return means
