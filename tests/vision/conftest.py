"""What tests of the eye share."""

from __future__ import annotations

import pytest


@pytest.fixture
def one_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """No other cuts of what is not sure: the stand-in is asked for the looks that a test is about, and no more."""
    monkeypatch.setattr("tilekeeper.vision.recognition.refinement.refine.CLOSER", 0.0)
