"""The count of steps: how many are left, and when they are at an end."""

import pytest

from tilekeeper.engine.provenance.budget import MOST_STEPS, OutOfSteps, Steps


def test_steps_are_counted_down() -> None:
    """The last one may still be taken, the one after it not; below none there is nothing."""
    steps = Steps(5)
    steps.take(3)
    assert steps.left == 2
    steps.take(2)
    assert steps.left == 0
    steps.take(0)
    with pytest.raises(OutOfSteps):
        steps.take(1)
    assert steps.left == 0


def test_all_may_be_taken_at_once() -> None:
    """Then none is left, and that by itself is no reason to end."""
    steps = Steps()
    assert steps.left == MOST_STEPS == 20_000
    steps.take_all()
    assert steps.left == 0
    steps.take(0)
    with pytest.raises(OutOfSteps):
        steps.take(1)
