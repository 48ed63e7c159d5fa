"""The kinds of arrays that vision hands from function to function; a docstring states each one's shape and unit."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Image: TypeAlias = NDArray[np.uint8]
"""A picture `(H, W, 3)`, channels in the order blue, green, red; of one channel `(H, W)`. Also many crops."""
Quads: TypeAlias = NDArray[np.float32]
"""Four corners of each of N tiles, `(N, 4, 2)` in pixels, clockwise from the tile's own top left."""
Floats: TypeAlias = NDArray[np.floating]
"""Numbers in single or double precision: points, quads that are still computed with, probabilities."""
Ints: TypeAlias = NDArray[np.integer]
"""Indices or counts."""
Bools: TypeAlias = NDArray[np.bool_]
"""A mask."""
