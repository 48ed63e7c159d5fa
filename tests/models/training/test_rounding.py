"""Quantisation-aware training: steps, ranges and gradients. Needs PyTorch."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed; the extra `train` brings it")

from tilekeeper.models.training.network import DetectorNet  # noqa: E402, they need PyTorch
from tilekeeper.models.training.rounding import STEPS, WEIGHT_STEPS, round_as_shipped  # noqa: E402


@pytest.fixture
def net() -> torch.nn.Sequential:
    """Return two convolutions; the second is the output layer, and the first has very different channels."""
    torch.manual_seed(3)
    layers = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.ReLU(), torch.nn.Conv2d(4, 2, 1))
    with torch.no_grad():
        layers[0].weight *= torch.tensor([0.01, 1.0, 5.0, 50.0])[:, None, None, None]
    return layers


def test_hidden_weights_are_rounded_by_channel_and_output_weights_stay(net: torch.nn.Sequential) -> None:
    """Each channel has 63 steps on either side of 0; the output layer keeps all digits."""
    picture = torch.rand(2, 3, 8, 8)
    weight, plain = net[0].weight.detach(), net[:2](picture)
    last = net[2].weight.detach().clone()
    step = weight.abs().amax(dim=(1, 2, 3), keepdim=True) / WEIGHT_STEPS
    round_as_shipped(net, output=net[2])
    wanted = torch.relu(torch.nn.functional.conv2d(picture, (weight / step).round() * step, net[0].bias))
    assert torch.allclose(net[:2](picture), wanted, atol=1e-5)
    assert not torch.allclose(wanted, plain, atol=1e-4)
    inputs: list[torch.Tensor] = []
    net[2].register_forward_pre_hook(lambda _, arguments: inputs.append(arguments[0]))
    output = net(picture)
    assert torch.equal(output, torch.nn.functional.conv2d(inputs[0], last, net[2].bias))


def test_layer_inputs_are_rounded_to_steps_and_zero_is_one_of_them(net: torch.nn.Sequential) -> None:
    """A single outlier is clipped, because a range that includes it would make all steps too wide."""
    inputs: list[torch.Tensor] = []
    round_as_shipped(net, output=net[2])
    net[2].register_forward_pre_hook(lambda _, arguments: inputs.append(arguments[0].detach()))
    exact = torch.rand(1, 4, 64, 64)
    exact[:, :, :8] = 0
    exact[0, 0, 9, 9] = 1000.0
    net[2](exact)
    (rounded,) = inputs
    assert len(torch.unique(rounded)) <= STEPS + 1
    assert rounded.max() < 2
    assert (rounded[:, :, :8] == 0).all()
    rounded[0, 0, 9, 9] = exact[0, 0, 9, 9] = 0
    assert (rounded - exact).abs().max() < 0.6 / STEPS


def test_gradients_pass_the_rounding_unchanged() -> None:
    """Every weight of the detector gets a gradient, and the names in its checkpoint stay the same."""
    torch.manual_seed(1)
    net = DetectorNet()
    names = list(net.state_dict())
    round_as_shipped(net, output=net.maps)
    net(torch.rand(1, 3, 64, 64) * 255).square().mean().backward()
    assert list(net.state_dict()) == names
    assert all(parameter.grad is not None and parameter.grad.abs().sum() > 0 for parameter in net.parameters())
