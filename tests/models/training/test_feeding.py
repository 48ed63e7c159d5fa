"""Worker processes that feed a training: batches arrive, and the end of all workers is an error."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest

from tilekeeper.models.training.detector_samples import CROP_PX, batches
from tilekeeper.models.training.feeding import Feeder
from tilekeeper.models.training.sources import RENDERED, Source


def test_batches_come_from_other_processes_until_closed(tmp_path: Path) -> None:
    """Two worker processes with different seeds give different samples."""
    path = tmp_path / "a.png"
    cv2.imwrite(str(path), np.random.default_rng(1).integers(0, 255, (200, 300, 3), np.uint8))
    quads = np.array([[[100, 50], [150, 50], [150, 120], [100, 120]]], np.float32)
    source = Source(path, RENDERED, quads, ("joker",), np.ones(1, bool), np.zeros((0, 4), np.float32))
    feeder = Feeder(batches, [([source], np.ones(1), 2, seed) for seed in (1, 2)], ahead=2)
    try:
        first = next(feeder)
        assert first[0].shape == (2, 3, CROP_PX, CROP_PX)
        assert any(not np.array_equal(first[0], next(feeder)[0]) for _ in range(3))
    finally:
        feeder.close()


def test_dead_workers_raise_an_error(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The training stops with a message and does not wait forever."""
    feeder = Feeder(iter_nothing, [(1,)], ahead=1)
    get = feeder._batches.get
    monkeypatch.setattr(feeder._batches, "get", lambda timeout: get(timeout=0.5))
    try:
        with pytest.raises(RuntimeError, match="have ended"):
            next(feeder)
    finally:
        feeder.close()


def iter_nothing(count: int) -> Iterator[tuple[np.ndarray, ...]]:
    """Yield no batch."""
    return iter(())
