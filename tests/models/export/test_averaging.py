"""Averaging the weights of networks. Needs PyTorch."""

import pytest

torch = pytest.importorskip("torch")
average = pytest.importorskip("tilekeeper.models.export.averaging")


def network(value: float) -> dict:
    """Return one weight, one variance and one counter."""
    return {
        "weight": torch.full((2, 3), value),
        "running_var": torch.full((3,), value),
        "num_batches_tracked": torch.tensor(int(10 * value)),
    }


def test_each_weight_is_averaged_and_counters_stay() -> None:
    """Counters come from the first network."""
    mean = average.mean_of([network(1.0), network(2.0), network(6.0)])
    assert mean["weight"].unique().tolist() == [3.0]
    assert int(mean["num_batches_tracked"]) == 10


def test_networks_of_different_shapes_are_refused() -> None:
    """Their weights have no mean."""
    with pytest.raises(ValueError, match="one shape"):
        average.mean_of([network(1.0), {**network(1.0), "weight": torch.zeros(3, 3)}])
