"""What tests of the eye share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from tilekeeper.vision.config import config, configured


@pytest.fixture
def one_cut() -> Iterator[None]:
    """No other cuts of what is not sure: the stand-in is asked for the looks that a test is about, and no more."""
    limits = config()
    with configured(replace(limits, refinement=replace(limits.refinement, cuts_below=0.0))):
        yield
