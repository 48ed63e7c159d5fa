"""Shared fixtures of the vision tests."""

from __future__ import annotations

import pytest


@pytest.fixture
def first_crops_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Switch off test-time augmentation, so that the classifier gets no augmented crops of uncertain tiles."""
    monkeypatch.setattr("tilekeeper.vision.recognition.refinement.refine.MAX_AUGMENTED_LABEL_PROB", 0.0)
