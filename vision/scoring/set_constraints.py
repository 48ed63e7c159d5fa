"""What is known of a set, weighed with what is seen: it has no more than two tiles of each number and ink.

Where more are read, one of them is another tile: the one that loses least by being called what it looks like next.
"""

import numpy as np

from tilekeeper.vision.config import scoring_limits as limits
from tilekeeper.vision.recognition.ink_mixture import COPIES
from tilekeeper.vision.types import JOINT_JOKER, JOINT_NOT_A_TILE


def within_stock(log_probs: np.ndarray, copies: int = COPIES) -> tuple[np.ndarray, np.ndarray]:
    """Return a name for each of N tiles so that no name is given too often, and which tiles are in question for it.

    `log_probs (N, 54)` as in `TileNames.log_probs`. Returns indices into them, `(N,)`, none of them "no tile", and
    `(N,)` bool: all that look alike where there were too many, also those that are called something else for it.
    """
    chances = log_probs[:, :JOINT_NOT_A_TILE]
    names = chances.argmax(axis=1)
    counts = np.bincount(names, minlength=JOINT_NOT_A_TILE)[:JOINT_JOKER]
    crowded = list(np.flatnonzero(counts > copies))
    questioned = np.isin(names, crowded)
    while crowded:
        name = crowded[-1]
        alike = np.flatnonzero(names == name)
        free = np.append(counts < copies, True)  # jokers come in any number: editions differ
        others = np.where(free, chances[alike], -np.inf)
        losses = chances[alike, name] - others.max(axis=1)
        least = int(losses.argmin())
        if counts[name] <= copies or losses[least] > limits.too_unlikely:
            crowded.pop()
            continue
        names[alike[least]] = others[least].argmax()
        counts = np.bincount(names, minlength=JOINT_NOT_A_TILE)[:JOINT_JOKER]
    return names, questioned
