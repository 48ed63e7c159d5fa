"""Fits the last layer to a few crops of one set of tiles and holds it where the shipped layer knows better.

Three things are weighed, all of them convex in the layer: how likely the own crops' labels are (cross-entropy of
number, ink and upside down), how far the answers for crops of many other printings move from the shipped ones
(cross-entropy with the shipped answers as the truth, as in "Learning without Forgetting", arXiv 1606.09282), and how
far the weights move (their squares). Nesterov's accelerated descent with restarts finds the one lowest point; the
corners' rows stay as they are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tilekeeper.vision.arrays import Bools, Floats, Ints
from tilekeeper.vision.finetune.labelled_crops import NO_INK
from tilekeeper.vision.finetune.layer import INK, NAMING, NUMBER, TURN, LastLayer

# A guard crop, from another printing, weighs this many own crops; there the shipped answers are to stay.
GUARD_CROP_WEIGHT = 0.3
# The squared distance to the shipped weights, on standardized features, weighs this many own crops.
L2_PENALTY_WEIGHT = 0.3
# The fit has converged if the steepest gradient per own crop is below this.
MAX_CONVERGED_GRADIENT = 5e-4


ROUNDS = 400
"""Steps of the descent at most."""
BLOCK = 64
"""Rows are multiplied so many at a time, too few for NumPy's linear algebra to use threads: on a machine that reads
frames at the same time, threads that wait for one another made a fit a hundred times slower."""


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """Features with what they should be named: `targets (N, 20)`, probabilities head by head; `weights (N, 3)`.

    The weights are those of number, ink and upside down: 0 where a head has nothing to learn.
    """

    features: Floats
    targets: Floats
    weights: Floats

    @classmethod
    def own(cls, features: Floats, numbers: Ints, inks: Ints, turned: Bools) -> Task:
        """What a person said: jokers and what is no tile have no ink, the latter no way up.

        The classifier tells no numbers of tiles on their heads, only that they are (the reader turns them and asks
        again).
        """
        targets = np.zeros((len(features), NAMING), np.float32)
        rows = np.arange(len(features))
        targets[rows, numbers] = 1
        inked = inks != NO_INK
        targets[rows[inked], INK.start + inks[inked]] = 1
        targets[:, TURN.start] = turned
        real = numbers < NUMBER.stop - 1
        return cls(features, targets, np.stack([~turned, inked, real], axis=1).astype(np.float32))

    @classmethod
    def held(cls, features: Floats, shipped: LastLayer) -> Task:
        """What the shipped layer says, however sure or unsure it is."""
        return cls(features, _probabilities(shipped.logits(features)[:, :NAMING]), np.ones((len(features), 3)))


def fit(shipped: LastLayer, own: Task, held: Task, *, views: int = 1) -> LastLayer:
    """The last layer that weighs the own crops, of each of which there are `views`, against the held ones best."""
    pull = L2_PENALTY_WEIGHT
    features = np.concatenate([own.features, held.features]).astype(np.float64)
    targets = _blocks(np.concatenate([own.targets, held.targets]))
    counts = np.concatenate([np.full(len(own.features), 1 / views), np.full(len(held.features), GUARD_CROP_WEIGHT)])
    weights = np.concatenate([own.weights, held.weights]) * counts[:, None]
    by_logit = _blocks(np.repeat(weights, [15, 4, 1], axis=1))
    # In the coordinates in which the features have a spread of one, all directions are as steep as one another.
    middle, spread = held.features.mean(axis=0, dtype=np.float64), held.features.std(axis=0, dtype=np.float64) + 1e-3
    scaled = np.concatenate([(features - middle) / spread, np.ones((len(features), 1))], axis=1)
    start = np.concatenate(
        [shipped.weight[:NAMING] * spread, (shipped.weight[:NAMING] @ middle + shipped.bias[:NAMING])[:, None]], axis=1
    )
    steepest = 0.5 * np.linalg.eigvalsh((scaled * weights.max(axis=1, keepdims=True)).T @ scaled)[-1] + pull
    scaled = _blocks(scaled)
    across = np.ascontiguousarray(scaled.transpose(0, 2, 1))
    layer = ahead = start
    momentum = 1.0
    for _ in range(ROUNDS):
        off = (_probabilities(scaled @ ahead.T) - targets) * by_logit
        slope = (across @ off).sum(axis=0).T + pull * (ahead - start)
        onward = ahead - slope / steepest
        if float(((ahead - onward) * (onward - layer)).sum()) > 0:
            momentum = 1.0  # it has overshot: O'Donoghue and Candès, arXiv 1204.3982
        following = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        ahead = onward + (momentum - 1) / following * (onward - layer)
        layer, momentum = onward, following
        if np.abs(slope).max() < MAX_CONVERGED_GRADIENT * len(own.features) / views:
            break
    weight, bias = shipped.weight.copy(), shipped.bias.copy()
    weight[:NAMING] = layer[:, :-1] / spread
    bias[:NAMING] = layer[:, -1] - weight[:NAMING] @ middle
    return LastLayer(weight, bias)


def _probabilities(logits: Floats) -> Floats:
    """Probabilities `(..., 20)`, head by head, of logits `(..., 20)`."""
    result = np.empty_like(logits)
    for head in (NUMBER, INK):
        raised = np.exp(logits[..., head] - logits[..., head].max(axis=-1, keepdims=True))
        result[..., head] = raised / raised.sum(axis=-1, keepdims=True)
    result[..., TURN] = 1 / (1 + np.exp(-np.clip(logits[..., TURN], -60, 60)))
    return result


def _blocks(rows: Floats) -> Floats:
    """Rows `(N, K)` as blocks `(N / BLOCK, BLOCK, K) float64`, the last one filled up with zeros."""
    blocks = np.zeros((-(-len(rows) // BLOCK), BLOCK, rows.shape[1]))
    blocks.reshape(-1, rows.shape[1])[: len(rows)] = rows
    return blocks
