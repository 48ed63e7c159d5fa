"""Quantisation-aware training: round weights and layer inputs during training, as in the shipped 8-bit networks.

After Jacob and others (arXiv 1712.05877): the forward pass rounds, the backward pass ignores the rounding
(straight-through estimator). Ranges follow the layer inputs, as in `models.export.quantisation`.
"""

from __future__ import annotations

import torch
from torch import nn

STEPS, WEIGHT_STEPS = 255, 63
"""Steps of layer inputs, and of weights on either side of 0 (`models.export.quantisation`: 8 and 7 bits)."""
SAMPLED_VALUES, BATCH_INTERVAL, UPDATE_RATE = 1 << 16, 10, 0.1
"""A range is measured on 65,536 values of every tenth batch, and moves a tenth of the way to the measurement."""
OUTLIERS = 3
"""The range starts at the third smallest and ends at the third largest value: outliers would make all steps wide."""


class _Rounded(torch.autograd.Function):
    """Straight-through estimator: round to multiples of `step` in the forward pass, pass the gradient unchanged."""

    @staticmethod
    def forward(_: object, x: torch.Tensor, step: torch.Tensor | float, low: float, high: float) -> torch.Tensor:
        return (x / step).clamp_(low, high).round_().mul_(step)

    @staticmethod
    def backward(_: object, gradient: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        return gradient, None, None, None


class _Rounding:
    """Forward pre-hook that rounds the inputs of a layer to `STEPS` steps over their range; 0 is one of the values."""

    def __init__(self) -> None:
        self.low = self.high = 0.0
        self.calls = 0

    def __call__(self, _: nn.Module, inputs: tuple[torch.Tensor]) -> tuple[torch.Tensor]:
        if self.calls % BATCH_INTERVAL == 0:
            self._update_range(inputs[0])
        self.calls += 1
        step = max(self.high - self.low, 1e-6) / STEPS
        zero = round(-self.low / step)
        return (_Rounded.apply(inputs[0], step, -zero, STEPS - zero),)

    @torch.no_grad()
    def _update_range(self, x: torch.Tensor) -> None:
        values = x.flatten()[:: max(1, x.numel() // SAMPLED_VALUES)].float()
        low = min(0.0, float(values.kthvalue(min(OUTLIERS, len(values))).values))
        high = max(0.0, -float((-values).kthvalue(min(OUTLIERS, len(values))).values))
        rate = UPDATE_RATE if self.calls else 1.0
        self.low += rate * (low - self.low)
        self.high += rate * (high - self.high)


class _RoundedWeights:
    """Replacement of a layer's `_conv_forward` that rounds the weights to `WEIGHT_STEPS`, channel by channel."""

    def __init__(self, layer: nn.Conv2d) -> None:
        self._convolve = layer._conv_forward

    def __call__(self, x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
        step = weight.detach().abs().amax(dim=(1, 2, 3), keepdim=True).clamp(min=1e-9) / WEIGHT_STEPS
        return self._convolve(x, _Rounded.apply(weight, step, -WEIGHT_STEPS, WEIGHT_STEPS), bias)


def round_as_shipped(net: nn.Module, output: nn.Module | None = None) -> None:
    """Round weights and inputs of all convolutions of `net` from now on, except the weights of the `output` layer.

    This changes the network in this process only: weights and their names in checkpoints stay the same. The scales of
    batch normalisation need not be folded into the rounded weights, because each channel has its own step. A sum of
    layers is rounded once, after the addition.
    """
    layers = [part for part in net.modules() if isinstance(part, nn.Conv2d)]
    for layer in layers:
        if layer is not output:
            vars(layer)["_conv_forward"] = _RoundedWeights(layer)  # on the instance, not on the class
    for layer in layers[1:]:  # the input of the first layer is bytes already
        layer.register_forward_pre_hook(_Rounding())
