"""Ridge logistic regression whose weights may be constrained to be positive or negative."""

from __future__ import annotations

import numpy as np

from tilekeeper.vision.scoring.calibration import chances

FOLDS = 10
RIDGE = 1.0
"""Regularisation strength, in units of samples."""


def logistic(
    features: np.ndarray, true: np.ndarray, ways: np.ndarray, among: np.ndarray | None = None
) -> tuple[np.ndarray, float]:
    """Return weights `(S,)` and bias of a logistic regression of `true (N,) bool` on `features (N, S)`.

    Newton's method with a ridge. `ways (S,)` is the direction of each feature: 1 if the probability grows with it, -1
    if it falls, 0 for no constraint. The feature with the largest weight against its direction is dropped, and the
    others are fitted again. `among (S,) bool` selects the features to use, None all; the others have weight 0.
    """
    middle, spread = features.mean(axis=0), np.maximum(features.std(axis=0), 1e-6)
    scaled = np.column_stack([(features - middle) / spread, np.ones(len(features))])
    used = np.ones(features.shape[1], bool) if among is None else among.copy()
    while True:
        columns = np.append(used, True)
        solution = _newton(scaled[:, columns], true.astype(np.float64))
        weights = np.zeros(features.shape[1])
        weights[used] = solution[:-1]
        against = used & (weights * ways < 0)
        if not against.any():
            break
        used[np.argmax(np.where(against, np.abs(weights), -1))] = False
    weights /= spread
    return weights, float(solution[-1] - weights @ middle)


def left_out(
    features: np.ndarray, true: np.ndarray, tables: np.ndarray, ways: np.ndarray, among: np.ndarray | None = None
) -> np.ndarray:
    """Cross-validation by tables: return the probability `(N,)` of each sample by a fit to the other folds."""
    held_out = np.zeros(len(true))
    for fold in range(FOLDS):
        in_fold = tables % FOLDS == fold
        held_out[in_fold] = chances(features[in_fold], *logistic(features[~in_fold], true[~in_fold], ways, among))
    return held_out


def _newton(columns: np.ndarray, true: np.ndarray) -> np.ndarray:
    ridge = np.full(columns.shape[1], RIDGE)
    ridge[-1] = 1e-3
    solution = np.zeros(columns.shape[1])
    for _ in range(100):
        predicted = 1 / (1 + np.exp(-np.clip(columns @ solution, -40, 40)))
        gradient = columns.T @ (predicted - true) + ridge * solution
        hessian = (columns * (predicted * (1 - predicted))[:, None]).T @ columns + np.diag(ridge)
        step = np.linalg.solve(hessian, gradient)
        step *= min(1.0, 4.0 / max(float(np.abs(step).max()), 1e-9))  # Newton steps are too long far from the optimum
        solution -= step
        if np.abs(step).max() < 1e-8:
            break
    return solution
