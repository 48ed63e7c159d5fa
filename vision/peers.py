"""What tiles of one picture have in common: a knot in the wood is neither as large nor as white as they are."""

import warnings

import cv2
import numpy as np

from tilekeeper.vision.geometry import as_quads, centres_px

NEIGHBOURS = 6
"""With so many of the nearest sure tiles a tile is compared."""
FEWEST = 3
"""With fewer sure tiles than this only the size tells, and only where it is off by `FAR_SIZE`."""
FAR_SIZE = 1.2
"""More than three times as large or as small (a natural logarithm): no camera over a table shows that."""
SIZE, TINT, LIGHT = 0.75, 0.2, 0.35
"""No tile of the annotated photos is off its neighbours by more than 0.58 in size (a logarithm) or 0.10 in tint."""


def face_whites(image_bgr: np.ndarray, quads_px: np.ndarray) -> np.ndarray:
    """Return the light that each tile's face throws back, `(N, 3) float64` natural logarithms of B, G and R.

    It is the median of the brighter half of 12 × 16 samples spread over the quad: the face, not the print.
    """
    steps = np.stack(np.meshgrid((np.arange(12) + 0.5) / 12, (np.arange(16) + 0.5) / 16), axis=-1).reshape(-1, 2)
    u, v = steps[None, :, :1] * 0.84 + 0.08, steps[None, :, 1:] * 0.84 + 0.08
    a, b, c, d = (quads_px[:, None, k] for k in range(4))
    points = ((1 - u) * (1 - v) * a + u * (1 - v) * b + u * v * c + (1 - u) * v * d).astype(np.float32)
    samples = cv2.remap(image_bgr, points, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE).astype(np.float64)
    order = np.argsort(samples.sum(axis=2), axis=1)[:, samples.shape[1] // 2 :]
    brighter = np.take_along_axis(samples, order[..., None], axis=1)
    return np.log(np.maximum(np.median(brighter, axis=1), 1.0))


def against_peers(image_bgr: np.ndarray, quads_px: np.ndarray, sure: np.ndarray) -> np.ndarray:
    """Return how each tile differs from the sure ones near it: `(N, 3) float64`, log size, log light, colour.

    `sure (N,)` bool marks the tiles to compare with. The first two are signed natural logarithms of ratios, the third
    is the distance of `(log B/G, log R/G)`, 0 for the same tint. All are 0 where there are no others; light and colour
    also where there are not `FEWEST`.
    """
    quads_px = as_quads(quads_px)
    differences = np.zeros((len(quads_px), 3))
    peers = np.flatnonzero(sure)
    if not len(peers):
        return differences
    middles, whites = centres_px(quads_px), face_whites(image_bgr, quads_px)
    diagonals = quads_px[:, 2] - quads_px[:, 0], quads_px[:, 3] - quads_px[:, 1]
    areas = np.abs(diagonals[0][:, 0] * diagonals[1][:, 1] - diagonals[0][:, 1] * diagonals[1][:, 0]) / 2
    sizes, light = np.log(np.maximum(areas, 1.0)) / 2, whites.mean(axis=1)
    tint = np.column_stack([whites[:, 0] - whites[:, 1], whites[:, 2] - whites[:, 1]])
    apart = ((middles[:, None] - middles[peers][None]) ** 2).sum(axis=2)
    apart[np.arange(len(quads_px))[:, None] == peers[None]] = np.inf  # nobody is its own peer
    nearest = np.argsort(apart, axis=1)[:, :NEIGHBOURS]
    there = np.isfinite(np.take_along_axis(apart, nearest, axis=1))
    others = len(peers) - np.isin(np.arange(len(quads_px)), peers)

    def median_of_peers(values: np.ndarray) -> np.ndarray:
        if there.all():  # a full table; leaving gaps out takes ten times as long
            return np.median(values[peers][nearest], axis=1)
        with warnings.catch_warnings():  # a tile without peers has no median, and is not asked for one
            warnings.simplefilter("ignore", RuntimeWarning)
            return np.nanmedian(np.where(there, values[peers][nearest], np.nan), axis=1)

    some, enough = others > 0, others >= FEWEST
    differences[some, 0] = (sizes - median_of_peers(sizes))[some]
    differences[enough, 1] = (light - median_of_peers(light))[enough]
    off = np.column_stack([tint[:, k] - median_of_peers(tint[:, k]) for k in range(2)])
    differences[enough, 2] = np.linalg.norm(off, axis=1)[enough]
    return differences


def belongs(image_bgr: np.ndarray, quads_px: np.ndarray, sure: np.ndarray) -> np.ndarray:
    """Return, `(N,)` bool, whether each tile is about as large and as white as the sure ones near it.

    A shadow darkens and a lamp tints a little; what is both darker or brighter and of another tint is no tile's face.
    """
    size, light, tint = against_peers(image_bgr, quads_px, sure).T
    others = np.count_nonzero(sure) - sure
    most = np.where(others >= FEWEST, SIZE, np.where(sure, np.inf, FAR_SIZE))
    return (np.abs(size) <= most) & ((tint <= TINT) | (np.abs(light) <= LIGHT)) & (tint <= 2 * TINT)
