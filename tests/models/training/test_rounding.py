"""Learning with the rounding that ships: steps, ranges and slopes; runs where PyTorch is installed."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed; the extra `train` brings it")

from tilekeeper.models.training.network import DetectorNet  # noqa: E402, they need PyTorch
from tilekeeper.models.training.rounding import STEPS, WEIGHT_STEPS, round_as_shipped  # noqa: E402


@pytest.fixture
def net() -> torch.nn.Sequential:
    """Two convolutions, of which the second says the answers; its channels' weights are of very unlike sizes."""
    torch.manual_seed(3)
    layers = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.ReLU(), torch.nn.Conv2d(4, 2, 1))
    with torch.no_grad():
        layers[0].weight *= torch.tensor([0.01, 1.0, 5.0, 50.0])[:, None, None, None]
    return layers


def test_weights_are_rounded_channel_by_channel_and_answers_are_not(net: torch.nn.Sequential) -> None:
    """Each channel has 63 steps to either side; what says the answers keeps all its digits."""
    picture = torch.rand(2, 3, 8, 8)
    weight, plain = net[0].weight.detach(), net[:2](picture)
    last = net[2].weight.detach().clone()
    step = weight.abs().amax(dim=(1, 2, 3), keepdim=True) / WEIGHT_STEPS
    round_as_shipped(net, told=net[2])
    wanted = torch.relu(torch.nn.functional.conv2d(picture, (weight / step).round() * step, net[0].bias))
    assert torch.allclose(net[:2](picture), wanted, atol=1e-5)
    assert not torch.allclose(wanted, plain, atol=1e-4)
    handed: list[torch.Tensor] = []
    net[2].register_forward_pre_hook(lambda _, given: handed.append(given[0]))
    said = net(picture)
    assert torch.equal(said, torch.nn.functional.conv2d(handed[0], last, net[2].bias))


def test_what_a_layer_is_handed_has_so_many_steps_and_zero_is_one_of_them(net: torch.nn.Sequential) -> None:
    """Few far values are cut off, where a step for all of them would be too wide."""
    handed: list[torch.Tensor] = []
    round_as_shipped(net, told=net[2])
    net[2].register_forward_pre_hook(lambda _, given: handed.append(given[0].detach()))
    said = torch.rand(1, 4, 64, 64)
    said[:, :, :8] = 0
    said[0, 0, 9, 9] = 1000.0
    net[2](said)
    (rounded,) = handed
    assert len(torch.unique(rounded)) <= STEPS + 1
    assert rounded.max() < 2
    assert (rounded[:, :, :8] == 0).all()
    rounded[0, 0, 9, 9] = said[0, 0, 9, 9] = 0
    assert (rounded - said).abs().max() < 0.6 / STEPS


def test_slopes_pass_as_though_nothing_were_rounded() -> None:
    """Every weight of the detector learns, and its checkpoint has the names that it always had."""
    torch.manual_seed(1)
    net = DetectorNet()
    names = list(net.state_dict())
    round_as_shipped(net, told=net.maps)
    net(torch.rand(1, 3, 64, 64) * 255).square().mean().backward()
    assert list(net.state_dict()) == names
    assert all(parameter.grad is not None and parameter.grad.abs().sum() > 0 for parameter in net.parameters())
