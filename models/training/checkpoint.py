"""Checkpoints: the state of a training on disk, so that the same command resumes it."""

from __future__ import annotations

import math
import pathlib
from dataclasses import dataclass

import torch
from torch.optim.swa_utils import AveragedModel


@torch.no_grad()
def _average(averages: list[torch.Tensor], values: list[torch.Tensor], count: torch.Tensor | int) -> None:
    """Exponential moving average of the weights: the update rate falls to 0.01 until step 890.

    With that rate from the start, the average would still contain untrained weights after a training of a few minutes.
    """
    share = max(0.01, 9 / (10 + int(count)))
    for average, value in zip(averages, values, strict=True):
        if average.is_floating_point():
            average.lerp_(value.to(average.dtype), share)
        else:
            average.copy_(value)


@dataclass(slots=True)
class Training:
    """A network in training, its optimiser, and the average of its weights over about the last 100 steps.

    The average is exported. `spent_s`: time trained so far, in seconds; `step`: number of steps so far.
    """

    net: torch.nn.Module
    average: AveragedModel
    optimiser: torch.optim.Optimizer
    spent_s: float = 0.0
    step: int = 0

    @classmethod
    def begin(
        cls, net: torch.nn.Module, rate: float, out: pathlib.Path, start: pathlib.Path | None, device: str = "cpu"
    ) -> Training:
        """Resume from the checkpoint `out` if it exists, else start from the weights of `start` or random weights.

        `device` is the device of the network; checkpoints of any device can be read.
        """
        net = net.to(device, memory_format=torch.channels_last)
        average = AveragedModel(net, multi_avg_fn=_average, use_buffers=True)
        optimiser = torch.optim.AdamW(net.parameters(), lr=rate, weight_decay=1e-3)
        training = cls(net, average, optimiser)
        if out.exists():
            state = torch.load(out, map_location=device, weights_only=True)
            net.load_state_dict(state["net"])
            average.load_state_dict(state["average"])
            optimiser.load_state_dict(state["optimiser"])
            training.spent_s, training.step = state["spent_s"], state["step"]
        elif start:
            net.load_state_dict(torch.load(start, map_location=device, weights_only=True)["best"])
            average.module.load_state_dict(net.state_dict())
        return training

    def set_rate(self, rate: float, share: float) -> None:
        """Set the learning rate: warm-up over 100 steps, and cosine decay over the time, of which `share` is spent."""
        current_rate = rate * min(1.0, (self.step + 1) / 100) * (0.5 + 0.5 * math.cos(math.pi * share)) + 1e-5
        for group in self.optimiser.param_groups:
            group["lr"] = current_rate

    def save(self, path: pathlib.Path, spent_s: float) -> None:
        """Write the checkpoint atomically; `spent_s` is the time trained so far, in seconds."""
        path.parent.mkdir(parents=True, exist_ok=True)
        state = {
            "net": self.net.state_dict(),
            "average": self.average.state_dict(),
            "best": self.average.module.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "spent_s": spent_s,
            "step": self.step,
        }
        torch.save(state, path.with_suffix(".new"))
        path.with_suffix(".new").replace(path)
