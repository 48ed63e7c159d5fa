"""Logistic regression of the last layer on the crops of one set, regularised towards the shipped layer.

The loss has three terms, all convex: cross-entropy of the own labels (number, ink, upside down); cross-entropy with the
shipped answers on crops of other printings ("Learning without Forgetting", arXiv 1606.09282); squared change of the
weights. Nesterov's accelerated gradient with restarts finds the minimum. The rows of the corner outputs stay.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tilekeeper.vision.arrays import Bools, Floats, Ints
from tilekeeper.vision.finetune.labelled_crops import NO_INK
from tilekeeper.vision.finetune.layer import INK, LABELS, NUMBER, TURN, LastLayer

# A guard crop, from another printing, weighs this many own crops; there the shipped answers are to stay.
GUARD_CROP_WEIGHT = 0.3
# The squared distance to the shipped weights, on standardized features, weighs this many own crops.
L2_PENALTY_WEIGHT = 0.3
# The fit has converged if the steepest gradient per own crop is below this.
MAX_CONVERGED_GRADIENT = 5e-4

ROUNDS = 400
"""Maximum number of gradient steps."""
BLOCK = 64
"""Rows per matrix product, too few for NumPy to use threads, which next to a running reader are 100 times slower."""


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """Features with target probabilities `targets (N, 20)`, head by head, and `weights (N, 3)`.

    The weights are for number, ink and upside down; 0 excludes a head.
    """

    features: Floats
    targets: Floats
    weights: Floats

    @classmethod
    def from_labels(cls, features: Floats, numbers: Ints, inks: Ints, turned: Bools) -> Task:
        """Return the task of a person's labels; jokers and non-tiles have no ink, non-tiles no direction.

        The number of an upside-down crop is excluded, because the reader turns such a tile and classifies it again.
        """
        targets = np.zeros((len(features), LABELS), np.float32)
        indices = np.arange(len(features))
        targets[indices, numbers] = 1
        has_ink = inks != NO_INK
        targets[indices[has_ink], INK.start + inks[has_ink]] = 1
        targets[:, TURN.start] = turned
        is_tile = numbers < NUMBER.stop - 1
        return cls(features, targets, np.stack([~turned, has_ink, is_tile], axis=1).astype(np.float32))

    @classmethod
    def from_shipped(cls, features: Floats, shipped: LastLayer) -> Task:
        """Return the task of the shipped layer's own answers."""
        return cls(features, _probabilities(shipped.logits(features)[:, :LABELS]), np.ones((len(features), 3)))


def fit(shipped: LastLayer, own: Task, guard: Task, *, views: int = 1) -> LastLayer:
    """Return the layer that minimises the loss on own crops, each with this number of `views`, and guard crops."""
    penalty = L2_PENALTY_WEIGHT
    features = np.concatenate([own.features, guard.features]).astype(np.float64)
    targets = _blocks(np.concatenate([own.targets, guard.targets]))
    counts = np.concatenate([np.full(len(own.features), 1 / views), np.full(len(guard.features), GUARD_CROP_WEIGHT)])
    weights = np.concatenate([own.weights, guard.weights]) * counts[:, None]
    by_logit = _blocks(np.repeat(weights, [15, 4, 1], axis=1))
    # Standardised features make all directions equally steep.
    middle, spread = guard.features.mean(axis=0, dtype=np.float64), guard.features.std(axis=0, dtype=np.float64) + 1e-3
    scaled = np.concatenate([(features - middle) / spread, np.ones((len(features), 1))], axis=1)
    start = np.concatenate(
        [shipped.weight[:LABELS] * spread, (shipped.weight[:LABELS] @ middle + shipped.bias[:LABELS])[:, None]], axis=1
    )
    step_bound = 0.5 * np.linalg.eigvalsh((scaled * weights.max(axis=1, keepdims=True)).T @ scaled)[-1] + penalty
    scaled = _blocks(scaled)
    transposed = np.ascontiguousarray(scaled.transpose(0, 2, 1))
    weights_now = lookahead = start
    momentum = 1.0
    for _ in range(ROUNDS):
        errors = (_probabilities(scaled @ lookahead.T) - targets) * by_logit
        slope = (transposed @ errors).sum(axis=0).T + penalty * (lookahead - start)
        next_weights = lookahead - slope / step_bound
        if float(((lookahead - next_weights) * (next_weights - weights_now)).sum()) > 0:
            momentum = 1.0  # adaptive restart: O'Donoghue and Candès, arXiv 1204.3982
        next_momentum = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        lookahead = next_weights + (momentum - 1) / next_momentum * (next_weights - weights_now)
        weights_now, momentum = next_weights, next_momentum
        if np.abs(slope).max() < MAX_CONVERGED_GRADIENT * len(own.features) / views:
            break
    weight, bias = shipped.weight.copy(), shipped.bias.copy()
    weight[:LABELS] = weights_now[:, :-1] / spread
    bias[:LABELS] = weights_now[:, -1] - weight[:LABELS] @ middle
    return LastLayer(weight, bias)


def _probabilities(logits: Floats) -> Floats:
    """Return probabilities `(..., 20)` of logits `(..., 20)`, head by head."""
    result = np.empty_like(logits)
    for head in (NUMBER, INK):
        exponentials = np.exp(logits[..., head] - logits[..., head].max(axis=-1, keepdims=True))
        result[..., head] = exponentials / exponentials.sum(axis=-1, keepdims=True)
    result[..., TURN] = 1 / (1 + np.exp(-np.clip(logits[..., TURN], -60, 60)))
    return result


def _blocks(rows: Floats) -> Floats:
    """Return rows `(N, K)` as blocks `(N / BLOCK, BLOCK, K) float64`, padded with zeros."""
    blocks = np.zeros((-(-len(rows) // BLOCK), BLOCK, rows.shape[1]))
    blocks.reshape(-1, rows.shape[1])[: len(rows)] = rows
    return blocks
