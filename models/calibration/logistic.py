"""Fits a logistic function whose signs weigh nothing against their meaning."""

from __future__ import annotations

import numpy as np

from tilekeeper.vision.scoring.logistic import chances

FOLDS = 10
RIDGE = 1.0
"""Holds weights small where the samples say little; in units of samples."""


def logistic(
    signs: np.ndarray, true: np.ndarray, ways: np.ndarray, among: np.ndarray | None = None
) -> tuple[np.ndarray, float]:
    """Weights `(S,)` and bias of a logistic function of signs `(N, S)` that says what is `true (N,) bool`.

    It is found by Newton's method, with a ridge. `ways (S,)` is 1 for signs that grow with the chance, -1 for those
    that fall with it, 0 for either: a sign that would weigh against its meaning is left out, and the others are fitted
    again. Signs not `among (S,) bool` those to use weigh 0; None uses all.
    """
    middle, spread = signs.mean(axis=0), np.maximum(signs.std(axis=0), 1e-6)
    scaled = np.column_stack([(signs - middle) / spread, np.ones(len(signs))])
    used = np.ones(signs.shape[1], bool) if among is None else among.copy()
    while True:
        columns = np.append(used, True)
        found = _newton(scaled[:, columns], true.astype(np.float64))
        weights = np.zeros(signs.shape[1])
        weights[used] = found[:-1]
        against = used & (weights * ways < 0)
        if not against.any():
            break
        used[np.argmax(np.where(against, np.abs(weights), -1))] = False
    weights /= spread
    return weights, float(found[-1] - weights @ middle)


def left_out(
    signs: np.ndarray, true: np.ndarray, tables: np.ndarray, ways: np.ndarray, among: np.ndarray | None = None
) -> np.ndarray:
    """The chance of each of N by a fit, as `logistic` makes it, that saw nothing of its table, `(N,)`."""
    held_out = np.zeros(len(true))
    for fold in range(FOLDS):
        mine = tables % FOLDS == fold
        held_out[mine] = chances(signs[mine], *logistic(signs[~mine], true[~mine], ways, among))
    return held_out


def _newton(columns: np.ndarray, true: np.ndarray) -> np.ndarray:
    ridge = np.full(columns.shape[1], RIDGE)
    ridge[-1] = 1e-3
    found = np.zeros(columns.shape[1])
    for _ in range(100):
        likely = 1 / (1 + np.exp(-np.clip(columns @ found, -40, 40)))
        slope = columns.T @ (likely - true) + ridge * found
        curve = (columns * (likely * (1 - likely))[:, None]).T @ columns + np.diag(ridge)
        step = np.linalg.solve(curve, slope)
        step *= min(1.0, 4.0 / max(float(np.abs(step).max()), 1e-9))  # far off, Newton's steps are too long
        found -= step
        if np.abs(step).max() < 1e-8:
            break
    return found
