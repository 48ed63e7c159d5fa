"""The fit finds the one lowest point: it learns what people say, keeps what was known, and leaves the corners alone."""

from __future__ import annotations

import numpy as np
import pytest

from tilekeeper.vision.finetune.fit import GUARD_CROP_WEIGHT, L2_PENALTY_WEIGHT, Task, fit
from tilekeeper.vision.finetune.layer import FEATURES, INK, LABELS, LOGITS, NUMBER, LastLayer


def layer(seed: int = 0) -> LastLayer:
    """A last layer drawn by chance."""
    rng = np.random.default_rng(seed)
    weight = rng.normal(0, 0.3, (LOGITS, FEATURES)).astype(np.float32)
    return LastLayer(weight, rng.normal(0, 0.1, LOGITS).astype(np.float32))


def features(count: int, seed: int) -> np.ndarray:
    """Features as a network has them: none below 0, many of them 0."""
    drawn = np.random.default_rng(seed).normal(0, 0.5, (count, FEATURES))
    return np.maximum(drawn, 0).astype(np.float32)


def own_task(count: int = 12, seed: int = 1) -> Task:
    """Own crops that are all said to be red fours, upright."""
    numbers, inks = np.full(count, 3), np.full(count, 3)
    return Task.from_labels(features(count, seed), numbers, inks, np.zeros(count, bool))


def test_own_crops_are_named_as_people_say() -> None:
    """What the shipped layer names by chance is a red four afterwards, upright; and it was not before."""
    shipped, own = layer(), own_task()
    held = Task.from_shipped(features(80, 2), shipped)
    fitted = fit(shipped, own, held)
    before, after = shipped.logits(own.features), fitted.logits(own.features)
    assert (before[:, NUMBER].argmax(axis=1) == 3).mean() < 0.5
    assert (after[:, NUMBER].argmax(axis=1) == 3).all()
    assert (after[:, INK].argmax(axis=1) == 3).all()
    assert (after[:, 19] < 0).all()


def test_the_corners_stay_as_they_are() -> None:
    """The rows that mend corners are the shipped ones, number for number."""
    shipped = layer()
    fitted = fit(shipped, own_task(), Task.from_shipped(features(50, 2), shipped))
    assert np.array_equal(fitted.weight[LABELS:], shipped.weight[LABELS:])
    assert np.array_equal(fitted.bias[LABELS:], shipped.bias[LABELS:])
    assert not np.array_equal(fitted.weight[:LABELS], shipped.weight[:LABELS])


def test_the_more_is_held_the_less_the_shipped_answers_move(monkeypatch: pytest.MonkeyPatch) -> None:
    """Held crops keep their answers, the more so the more each counts."""
    shipped, own, seen = layer(), own_task(), features(200, 2)
    held = Task.from_shipped(seen, shipped)
    moves = []
    monkeypatch.setattr("tilekeeper.vision.finetune.fit.L2_PENALTY_WEIGHT", 0.01)
    for weight in (0.01, 0.3, 10.0):
        monkeypatch.setattr("tilekeeper.vision.finetune.fit.GUARD_CROP_WEIGHT", weight)
        fitted = fit(shipped, own, held)
        moves.append(np.abs(fitted.logits(seen)[:, :LABELS] - shipped.logits(seen)[:, :LABELS]).mean())
    assert moves[0] > 1.3 * moves[1] > 1.3**2 * moves[2]


def test_a_strong_pull_leaves_the_shipped_layer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where moving costs beyond measure, nothing moves."""
    shipped = layer()
    monkeypatch.setattr("tilekeeper.vision.finetune.fit.L2_PENALTY_WEIGHT", 1e7)
    fitted = fit(shipped, own_task(), Task.from_shipped(features(50, 2), shipped))
    assert fitted.weight == pytest.approx(shipped.weight, abs=1e-4)


def test_what_is_found_is_the_lowest_point() -> None:
    """No small step in any direction makes what is weighed smaller: it is convex, so this is the lowest of all."""
    shipped, own = layer(), own_task()
    held = Task.from_shipped(features(60, 2), shipped)
    spread, middle = held.features.std(axis=0) + 1e-3, held.features.mean(axis=0)

    def weighed(one: LastLayer) -> float:
        total = 0.0
        for task, count in ((own, 1.0), (held, GUARD_CROP_WEIGHT)):
            logits = one.logits(task.features).astype(np.float64)
            number = logits[:, NUMBER] - np.logaddexp.reduce(logits[:, NUMBER], axis=1, keepdims=True)
            ink = logits[:, INK] - np.logaddexp.reduce(logits[:, INK], axis=1, keepdims=True)
            turn = task.targets[:, 19] * np.logaddexp(0, -logits[:, 19])
            turn += (1 - task.targets[:, 19]) * np.logaddexp(0, logits[:, 19])
            losses = -(task.targets[:, NUMBER] * number).sum(axis=1), -(task.targets[:, INK] * ink).sum(axis=1), turn
            total += count * float((np.stack(losses, axis=1) * task.weights).sum())
        moved = (one.weight - shipped.weight)[:LABELS].astype(np.float64)
        shift = moved @ middle + (one.bias - shipped.bias)[:LABELS]
        return total + L2_PENALTY_WEIGHT / 2 * float(((moved * spread) ** 2).sum() + (shift**2).sum())

    fitted = fit(shipped, own, held)
    lowest = weighed(fitted)
    assert lowest < weighed(shipped) - 1
    rng = np.random.default_rng(7)
    for _ in range(30):
        step = rng.normal(0, 0.01, fitted.weight.shape).astype(np.float32)
        step[LABELS:] = 0
        assert weighed(LastLayer(fitted.weight + step, fitted.bias)) > lowest - 1e-3


def test_heads_with_nothing_to_learn_have_no_say() -> None:
    """A joker has no ink, what is no tile neither ink nor way up, and of a tile on its head the number is not asked."""
    task = Task.from_labels(
        features(3, 1), np.array([13, 14, 4]), np.array([-1, -1, 0]), np.array([False, False, True])
    )
    assert task.weights.tolist() == [[1, 0, 1], [1, 0, 0], [0, 1, 1]]
    assert task.targets[:, NUMBER].argmax(axis=1).tolist() == [13, 14, 4]
    assert task.targets[:, 19].tolist() == [0, 0, 1]
