"""Joint decoding of the labels of one table: class probabilities, neighbours in a row, and the copies in the set.

Most sets have at most two tiles of each number and ink. If more are read, one of them is misread: the tile whose next
label is hardly less likely gets that label. Only labels of doubtful tiles change, and these stay doubtful, so that an
illegal meld is never read as a legal one without a question.
"""

import functools

import numpy as np

from tilekeeper.vision.arrays import Bools, Floats, Ints, are_among
from tilekeeper.vision.recognition.ink_mixture import COPIES
from tilekeeper.vision.types import INKS, JOINT_JOKER, JOINT_NOT_A_TILE, Rows

MAX_RELABEL_LOSS_LOG = 8.0  # a label is not given if it is less likely by more: the set may have extra tiles
MELD_NEIGHBOUR_BONUS_LOG = 1.0  # bonus of a label that fits a meld with its neighbour; small, as melds may be illegal


def decode(log_probs: Floats, is_doubtful: Bools, rows: Rows, copies: int = COPIES) -> tuple[Ints, Bools]:
    """Return the labels `(N,)` of the tiles, never "not a tile", and a mask `(N,)` of the doubtful tiles.

    `log_probs (N, 54)`; `is_doubtful (N,)`: mask before the decoding; `rows`: indices of adjacent tiles, in order. If a
    label is read more often than the set has `copies`, all its tiles are doubtful.
    """
    labels, is_crowded = within_stock(beside_neighbours(log_probs, is_doubtful, rows), copies)
    return labels, is_doubtful | is_crowded


def beside_neighbours(log_probs: Floats, is_doubtful: Bools, rows: Rows) -> Floats:
    """Forward-backward algorithm: return `log_probs (N, 54)`, for doubtful tiles updated by their row neighbours.

    The states are the labels. "Not a tile" stays as likely as it was.
    """
    weighed = log_probs.astype(np.float64)
    compatibility = _compatibility()
    for row in rows if is_doubtful.any() else ():
        tiles = np.array(row)
        if len(tiles) < 2 or not is_doubtful[tiles].any():
            continue
        probs = np.exp(weighed[tiles, :JOINT_NOT_A_TILE])
        probs[~is_doubtful[tiles]] **= 4  # makes certain tiles more certain, so that they decide
        before, after = np.ones((2, len(tiles), JOINT_NOT_A_TILE))
        for i in range(1, len(tiles)):
            before[i] = _normalise(before[i - 1] * probs[i - 1]) @ compatibility
        for i in reversed(range(len(tiles) - 1)):
            after[i] = compatibility @ _normalise(after[i + 1] * probs[i + 1])
        changed = np.flatnonzero(is_doubtful[tiles])
        old = weighed[tiles[changed], :JOINT_NOT_A_TILE]
        new = old + np.log(before * after)[changed]
        new += (np.logaddexp.reduce(old, axis=1) - np.logaddexp.reduce(new, axis=1))[:, None]
        weighed[tiles[changed], :JOINT_NOT_A_TILE] = new
    return weighed


@functools.cache
def _compatibility() -> Floats:
    """Return how well labels fit side by side, `(53, 53)`: 1 if in a run or group, or with a joker, else less."""
    number, ink = np.divmod(np.arange(JOINT_JOKER), len(INKS))
    run = (ink[:, None] == ink) & (np.abs(number[:, None] - number) == 1)
    group = (ink[:, None] != ink) & (number[:, None] == number)
    compatibility = np.ones((JOINT_NOT_A_TILE, JOINT_NOT_A_TILE))
    compatibility[:JOINT_JOKER, :JOINT_JOKER] = np.where(run | group, 1.0, np.exp(-MELD_NEIGHBOUR_BONUS_LOG))
    return compatibility


def _normalise(probs: Floats) -> Floats:
    return probs / max(float(probs.sum()), 1e-300)


def within_stock(log_probs: Floats, copies: int = COPIES) -> tuple[Ints, Bools]:
    """Return labels `(N,)` of which few occur more often than `copies`, and a mask `(N,)` of questioned tiles.

    If a number in one ink occurs too often, all its tiles are questioned, and the surplus ones get their next label,
    unless that is much less likely. Jokers are not limited, and no tile becomes "not a tile".
    """
    probs = log_probs[:, :JOINT_NOT_A_TILE]
    labels = probs.argmax(axis=1)
    counts = np.bincount(labels, minlength=JOINT_NOT_A_TILE)[:JOINT_JOKER]
    crowded: list[int] = np.flatnonzero(counts > copies).tolist()
    is_questioned = are_among(labels, crowded)
    while crowded:
        label = crowded[-1]
        alike = np.flatnonzero(labels == label)
        is_free = np.append(counts < copies, True)  # the number of jokers differs by edition
        alternatives = np.where(is_free, probs[alike], -np.inf)
        losses = probs[alike, label] - alternatives.max(axis=1)
        least = int(losses.argmin())
        if counts[label] <= copies or losses[least] > MAX_RELABEL_LOSS_LOG:
            crowded.pop()
            continue
        labels[alike[least]] = alternatives[least].argmax()
        counts = np.bincount(labels, minlength=JOINT_NOT_A_TILE)[:JOINT_JOKER]
    return labels, is_questioned
