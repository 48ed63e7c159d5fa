"""The inks of one table, seen together: its red is the red of all its red tiles, whatever the lamp makes of it.

A tile alone is named by what inks look like in general. On one table there are four inks and no more, so that each tile
is compared with the others too: a mixture of four colours is fitted to the tiles (expectation and maximisation), begun
at what the namer says of each and held near what inks usually are, and a tile's ink is what both together say.
"""

import numpy as np

USUAL = np.array([[1.0, 1.0, 1.0], [0.95, 0.55, 0.25], [0.1, 0.5, 0.95], [0.3, 0.95, 0.9]])
"""What each ink (black, blue, warm, red) takes from red, green and blue light; only the ratios count."""
USUAL_COUNTS = 0.5
"""What is usual counts as so many tiles of each ink."""
SPREAD, SPREAD_COUNTS, LEAST_SPREAD = 0.15, 4.0, 0.05
"""How far tiles of one ink lie apart (a chord of the unit sphere), before any is seen; how many tiles that counts as;
and how close to one another they may be taken to lie at best."""
OUTLIER = 0.02
"""The density of colours that no ink has: under a stain, a glare."""
ROUNDS = 8
FEWEST = 6
"""With fewer tiles than this on the table each is left as the namer named it."""


def absorbed(crops: np.ndarray) -> np.ndarray:
    """Return what the ink of each crop takes from red, green and blue light, `(N, 3) float32` of length 1.

    `crops (N, H, W, 3) float32` RGB, 1 = white (the namer's). Thin strokes are mixed with white, which changes how much
    they take and not what: the fifth of the pixels that take most tells, each by how much it takes.
    """
    height, width = crops.shape[1:3]
    inside = crops[:, height // 6 : height * 2 // 3 : 2, width // 6 : -width // 6 : 2].reshape(len(crops), -1, 3)
    taken = np.clip(1 - inside, 0, 1)
    most = taken.max(axis=2)
    top = np.argpartition(most, most.shape[1] * 4 // 5, axis=1)[:, most.shape[1] * 4 // 5 :]
    weight = np.take_along_axis(most, top, axis=1)[..., None] ** 2
    mean = (np.take_along_axis(taken, top[..., None], axis=1) * weight).sum(axis=1)
    return (mean / np.maximum(np.linalg.norm(mean, axis=1, keepdims=True), 1e-6)).astype(np.float32)


def joint_inks(ink_log_probs: np.ndarray, colours: np.ndarray, numbered: np.ndarray) -> np.ndarray:
    """Return `ink_log_probs (N, 4)` of the tiles of one table after each has been compared with the others.

    `colours (N, 3)` is what `absorbed` says of them, `numbered (N,)` how sure it is, 0 to 1, that a tile has a number:
    jokers come in any ink and say nothing.
    """
    if numbered.sum() < FEWEST:
        return ink_log_probs
    usual = USUAL / np.linalg.norm(USUAL, axis=1, keepdims=True)
    joint = ink_log_probs.astype(np.float64)
    for _ in range(ROUNDS):
        share = np.exp(joint) * numbered[:, None]
        counts = share.sum(axis=0)
        means = (share.T @ colours + USUAL_COUNTS * usual) / (counts + USUAL_COUNTS)[:, None]
        apart = ((colours[:, None] - means[None]) ** 2).sum(axis=2)
        spread = ((share * apart).sum(axis=0) + 2 * SPREAD_COUNTS * SPREAD**2) / (2 * (counts + SPREAD_COUNTS))
        spread = np.maximum(spread, LEAST_SPREAD**2)
        likely = np.logaddexp(-apart / (2 * spread) - np.log(spread), np.log(OUTLIER))
        joint = ink_log_probs + likely
        joint -= np.logaddexp.reduce(joint, axis=1, keepdims=True)
    return joint.astype(np.float32)
