"""Lets a network learn with the rounding that it ships with, so that what it says hangs less on it. PyTorch.

After Jacob and others (arXiv 1712.05877): what each layer is handed and its weights are rounded on the way forward, and
pass as they are on the way back. Ranges follow what the layers are handed, as `models.export.quantisation` will take
them.
"""

from __future__ import annotations

import torch
from torch import nn

STEPS, WEIGHT_STEPS = 255, 63
"""Steps of what layers say, and of their weights to either side of 0 (`models.export.quantisation`: 8 and 7 bits)."""
LOOKED_AT, EVERY, FOLLOWED = 1 << 16, 10, 0.1
"""A range is taken from so many values of every so manyth batch, and moves towards it by this share."""
BEYOND = 3
"""So many of the values looked at may lie beyond a range: a few far ones would make all steps wide."""


class _Rounded(torch.autograd.Function):
    """Rounds to steps on the way forward; the way back is as though nothing had been done."""

    @staticmethod
    def forward(_: object, x: torch.Tensor, step: torch.Tensor | float, low: float, high: float) -> torch.Tensor:
        return (x / step).clamp_(low, high).round_().mul_(step)

    @staticmethod
    def backward(_: object, slope: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        return slope, None, None, None


class _Rounding:
    """Rounds what a layer is handed to `STEPS` steps between its range's ends, of which one is exactly 0."""

    def __init__(self) -> None:
        self.low = self.high = 0.0
        self.calls = 0

    def __call__(self, _: nn.Module, handed: tuple[torch.Tensor]) -> tuple[torch.Tensor]:
        if self.calls % EVERY == 0:
            self._follow(handed[0])
        self.calls += 1
        step = max(self.high - self.low, 1e-6) / STEPS
        zero = round(-self.low / step)
        return (_Rounded.apply(handed[0], step, -zero, STEPS - zero),)

    @torch.no_grad()
    def _follow(self, x: torch.Tensor) -> None:
        some = x.flatten()[:: max(1, x.numel() // LOOKED_AT)].float()
        low = min(0.0, float(some.kthvalue(min(BEYOND, len(some))).values))
        high = max(0.0, -float((-some).kthvalue(min(BEYOND, len(some))).values))
        share = FOLLOWED if self.calls else 1.0
        self.low += share * (low - self.low)
        self.high += share * (high - self.high)


class _RoundedWeights:
    """Stands in for a convolution's way of working: its weights, channel by channel, in `WEIGHT_STEPS`."""

    def __init__(self, layer: nn.Conv2d) -> None:
        self._work = layer._conv_forward

    def __call__(self, x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
        step = weight.detach().abs().amax(dim=(1, 2, 3), keepdim=True).clamp(min=1e-9) / WEIGHT_STEPS
        return self._work(x, _Rounded.apply(weight, step, -WEIGHT_STEPS, WEIGHT_STEPS), bias)


def round_as_shipped(net: nn.Module, told: nn.Module | None = None) -> None:
    """Let all convolutions of `net` but `told`, where one says the answers, work as in 8 bits from now on.

    Only in this process: weights and their names in checkpoints stay as they are. Scales of batch normalisation need
    not be in the weights that are rounded, as each channel has a step of its own; what is added up after a convolution
    is rounded once, as a sum.
    """
    layers = [part for part in net.modules() if isinstance(part, nn.Conv2d)]
    for layer in layers:
        if layer is not told:
            vars(layer)["_conv_forward"] = _RoundedWeights(layer)  # of this layer alone, not of its class
    for layer in layers[1:]:  # the first one is handed bytes, the last what the one before says in 8 bits
        layer.register_forward_pre_hook(_Rounding())
