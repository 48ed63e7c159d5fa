"""Names the tiles of one table together: what is seen of each, weighed with what a set has and with its neighbours.

Most sets have no more than two tiles of each number and ink: where more are read, one of them is another tile, the one
that loses least by being called what it looks like next.
Knowledge only chooses among the names of a tile that is in doubt anyway, and it stays in doubt: a foul is never read
as a legal meld in silence.
"""

import functools

import numpy as np

from tilekeeper.vision.arrays import are_among
from tilekeeper.vision.recognition.ink_mixture import COPIES
from tilekeeper.vision.types import INKS, JOINT_JOKER, JOINT_NOT_A_TILE, Rows

# No tile gets a label this much less likely (natural log): its ink is wrong, or the set has extra tiles.
MAX_RELABEL_LOSS_LOG = 8.0
# A label gets this bonus (natural log) if it fits a meld with its neighbour; small, as melds may be illegal.
MELD_NEIGHBOUR_BONUS_LOG = 1.0


def decode(
    log_probs: np.ndarray, doubtful: np.ndarray, rows: Rows, copies: int = COPIES
) -> tuple[np.ndarray, np.ndarray]:
    """Return the names of N tiles, indices into `TileNames.log_probs`, none of them "no tile", and which are in doubt.

    `log_probs (N, 54)`, `doubtful (N,)` bool: whether each is in doubt seen by itself; `rows` are indices of tiles that
    lie side by side, in order. Where more of one name are read than the set has `copies`, all of them are in doubt.
    """
    weighed = beside_neighbours(log_probs, doubtful, rows)
    names, crowded = within_stock(weighed, copies)
    return names, doubtful | crowded


def beside_neighbours(log_probs: np.ndarray, doubtful: np.ndarray, rows: Rows) -> np.ndarray:
    """Return `log_probs (N, 54)`, those of doubtful tiles weighed with the tiles beside them in their rows."""
    weighed = log_probs.astype(np.float64)
    liking = _liking(MELD_NEIGHBOUR_BONUS_LOG)
    for row in rows if doubtful.any() else ():
        at = np.array(row)
        if len(at) < 2 or not doubtful[at].any():
            continue
        seen = np.exp(weighed[at, :JOINT_NOT_A_TILE])
        seen[~doubtful[at]] **= 4  # what is sure stays so, and tells the others
        before, after = np.ones((2, len(at), JOINT_NOT_A_TILE))
        for i in range(1, len(at)):
            before[i] = _shared(before[i - 1] * seen[i - 1]) @ liking
        for i in reversed(range(len(at) - 1)):
            after[i] = liking @ _shared(after[i + 1] * seen[i + 1])
        beside = np.log(before * after)
        asked = np.flatnonzero(doubtful[at])
        names = weighed[at[asked], :JOINT_NOT_A_TILE] + beside[asked]
        # what they have in common says nothing: "no tile" stays as likely as it was
        all_seen = np.logaddexp.reduce(weighed[at[asked], :JOINT_NOT_A_TILE], axis=1)
        names += (all_seen - np.logaddexp.reduce(names, axis=1))[:, None]
        weighed[at[asked], :JOINT_NOT_A_TILE] = names
    return weighed


@functools.cache
def _liking(likelier_in_meld: float) -> np.ndarray:
    """`(53, 53)`: how well names go beside one another, 1 for neighbours in a run or a group and for jokers."""
    number, ink = np.divmod(np.arange(JOINT_JOKER), len(INKS))
    run = (ink[:, None] == ink) & (np.abs(number[:, None] - number) == 1)
    group = (ink[:, None] != ink) & (number[:, None] == number)
    liking = np.ones((JOINT_NOT_A_TILE, JOINT_NOT_A_TILE))
    liking[:JOINT_JOKER, :JOINT_JOKER] = np.where(run | group, 1.0, np.exp(-likelier_in_meld))
    return liking


def _shared(chances: np.ndarray) -> np.ndarray:
    return chances / max(float(chances.sum()), 1e-300)


def within_stock(log_probs: np.ndarray, copies: int = COPIES) -> tuple[np.ndarray, np.ndarray]:
    """Return a name for each of N tiles so that no name is given too often, and which tiles are in question for it.

    `log_probs (N, 54)` as in `TileNames.log_probs`. Returns indices into them, `(N,)`, none of them "no tile", and
    `(N,)` bool: all that look alike where there were too many, also those that are called something else for it.
    """
    chances = log_probs[:, :JOINT_NOT_A_TILE]
    names = chances.argmax(axis=1)
    counts = np.bincount(names, minlength=JOINT_NOT_A_TILE)[:JOINT_JOKER]
    crowded: list[int] = np.flatnonzero(counts > copies).tolist()
    questioned = are_among(names, crowded)
    while crowded:
        name = crowded[-1]
        alike = np.flatnonzero(names == name)
        free = np.append(counts < copies, True)  # jokers come in any number: editions differ
        others = np.where(free, chances[alike], -np.inf)
        losses = chances[alike, name] - others.max(axis=1)
        least = int(losses.argmin())
        if counts[name] <= copies or losses[least] > MAX_RELABEL_LOSS_LOG:
            crowded.pop()
            continue
        names[alike[least]] = others[least].argmax()
        counts = np.bincount(names, minlength=JOINT_NOT_A_TILE)[:JOINT_JOKER]
    return names, questioned
