"""The fit minimises its loss: it learns people's labels, keeps the shipped answers, and leaves the corners."""

from __future__ import annotations

import numpy as np
import pytest

from tilekeeper.vision.finetune.own_sets import FEATURES, INK, LABELS, LOGITS, NUMBER, LastLayer
from tilekeeper.vision.finetune.procedure import GUARD_CROP_WEIGHT, L2_PENALTY_WEIGHT, Task, fit


def layer(seed: int = 0) -> LastLayer:
    """Return a random last layer."""
    rng = np.random.default_rng(seed)
    weight = rng.normal(0, 0.3, (LOGITS, FEATURES)).astype(np.float32)
    return LastLayer(weight, rng.normal(0, 0.1, LOGITS).astype(np.float32))


def features(count: int, seed: int) -> np.ndarray:
    """Return features after a ReLU, of which about half are 0."""
    drawn = np.random.default_rng(seed).normal(0, 0.5, (count, FEATURES))
    return np.maximum(drawn, 0).astype(np.float32)


def own_task(count: int = 12, seed: int = 1) -> Task:
    """Return own crops that are all labelled as upright red fours."""
    numbers, inks = np.full(count, 3), np.full(count, 3)
    return Task.from_labels(features(count, seed), numbers, inks, np.zeros(count, bool))


def test_random_layer_learns_the_own_labels() -> None:
    shipped, task = layer(), own_task()
    held = Task.from_shipped(features(80, 2), shipped)
    fitted = fit(shipped, task, held)
    before, after = shipped.logits(task.features), fitted.logits(task.features)
    assert (before[:, NUMBER].argmax(axis=1) == 3).mean() < 0.5
    assert (after[:, NUMBER].argmax(axis=1) == 3).all()
    assert (after[:, INK].argmax(axis=1) == 3).all()
    assert (after[:, 19] < 0).all()


def test_corner_rows_stay() -> None:
    shipped = layer()
    fitted = fit(shipped, own_task(), Task.from_shipped(features(50, 2), shipped))
    assert np.array_equal(fitted.weight[LABELS:], shipped.weight[LABELS:])
    assert np.array_equal(fitted.bias[LABELS:], shipped.bias[LABELS:])
    assert not np.array_equal(fitted.weight[:LABELS], shipped.weight[:LABELS])


def test_higher_guard_weight_keeps_more_shipped_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    shipped, task, guard_features = layer(), own_task(), features(200, 2)
    held = Task.from_shipped(guard_features, shipped)
    moves = []
    monkeypatch.setattr("tilekeeper.vision.finetune.procedure.L2_PENALTY_WEIGHT", 0.01)
    for weight in (0.01, 0.3, 10.0):
        monkeypatch.setattr("tilekeeper.vision.finetune.procedure.GUARD_CROP_WEIGHT", weight)
        fitted = fit(shipped, task, held)
        moves.append(
            np.abs(fitted.logits(guard_features)[:, :LABELS] - shipped.logits(guard_features)[:, :LABELS]).mean()
        )
    assert moves[0] > 1.3 * moves[1] > 1.3**2 * moves[2]


def test_huge_penalty_keeps_the_shipped_layer(monkeypatch: pytest.MonkeyPatch) -> None:
    shipped = layer()
    monkeypatch.setattr("tilekeeper.vision.finetune.procedure.L2_PENALTY_WEIGHT", 1e7)
    fitted = fit(shipped, own_task(), Task.from_shipped(features(50, 2), shipped))
    assert fitted.weight == pytest.approx(shipped.weight, abs=1e-4)


def test_no_small_step_from_the_fit_lowers_the_loss() -> None:
    """The loss is convex, so this is its minimum."""
    shipped, labelled = layer(), own_task()
    held = Task.from_shipped(features(60, 2), shipped)
    spread, middle = held.features.std(axis=0) + 1e-3, held.features.mean(axis=0)

    def loss(candidate: LastLayer) -> float:
        total = 0.0
        for task, count in ((labelled, 1.0), (held, GUARD_CROP_WEIGHT)):
            logits = candidate.logits(task.features).astype(np.float64)
            number = logits[:, NUMBER] - np.logaddexp.reduce(logits[:, NUMBER], axis=1, keepdims=True)
            ink = logits[:, INK] - np.logaddexp.reduce(logits[:, INK], axis=1, keepdims=True)
            turn = task.targets[:, 19] * np.logaddexp(0, -logits[:, 19])
            turn += (1 - task.targets[:, 19]) * np.logaddexp(0, logits[:, 19])
            losses = -(task.targets[:, NUMBER] * number).sum(axis=1), -(task.targets[:, INK] * ink).sum(axis=1), turn
            total += count * float((np.stack(losses, axis=1) * task.weights).sum())
        changed = (candidate.weight - shipped.weight)[:LABELS].astype(np.float64)
        shift = changed @ middle + (candidate.bias - shipped.bias)[:LABELS]
        return total + L2_PENALTY_WEIGHT / 2 * float(((changed * spread) ** 2).sum() + (shift**2).sum())

    fitted = fit(shipped, labelled, held)
    lowest = loss(fitted)
    assert lowest < loss(shipped) - 1
    rng = np.random.default_rng(7)
    for _ in range(30):
        step = rng.normal(0, 0.01, fitted.weight.shape).astype(np.float32)
        step[LABELS:] = 0
        assert loss(LastLayer(fitted.weight + step, fitted.bias)) > lowest - 1e-3


def test_heads_without_a_label_have_weight_zero() -> None:
    task = Task.from_labels(
        features(3, 1), np.array([13, 14, 4]), np.array([-1, -1, 0]), np.array([False, False, True])
    )
    assert task.weights.tolist() == [[1, 0, 1], [1, 0, 0], [0, 1, 1]]
    assert task.targets[:, NUMBER].argmax(axis=1).tolist() == [13, 14, 4]
    assert task.targets[:, 19].tolist() == [0, 0, 1]
