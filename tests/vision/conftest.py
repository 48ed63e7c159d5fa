"""What tests of the eye share."""

from __future__ import annotations

import pytest


@pytest.fixture
def one_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """Classify no further crops of uncertain tiles, so that the classifier sees only the crops that a test is about."""
    monkeypatch.setattr("tilekeeper.vision.recognition.refinement.refine.MAX_AUGMENTED_LABEL_PROB", 0.0)
