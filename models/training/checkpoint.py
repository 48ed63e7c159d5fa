"""A training's state on disk, so that the same command goes on where it stopped."""

from __future__ import annotations

import math
import pathlib
from dataclasses import dataclass

import torch
from torch.optim.swa_utils import AveragedModel


@torch.no_grad()
def _average(averages: list[torch.Tensor], values: list[torch.Tensor], count: torch.Tensor | int) -> None:
    """Move each average towards its value: by a tenth at first, by a hundredth from step 900 on.

    A slower average still holds the untrained beginning after a training of a few minutes.
    """
    share = max(0.01, 9 / (10 + int(count)))
    for average, value in zip(averages, values, strict=True):
        if average.is_floating_point():
            average.lerp_(value.to(average.dtype), share)
        else:
            average.copy_(value)


@dataclass(slots=True)
class Training:
    """A network being trained; `average` (over the last steps, about 100) is what is exported."""

    net: torch.nn.Module
    average: AveragedModel
    optimiser: torch.optim.Optimizer
    spent_s: float = 0.0
    step: int = 0

    @classmethod
    def begin(
        cls, net: torch.nn.Module, rate: float, out: pathlib.Path, start: pathlib.Path | None, device: str = "cpu"
    ) -> Training:
        """Go on from the checkpoint `out` if it is there, else from the weights of `start`, else from nothing.

        `device` is where the network learns; checkpoints are read wherever it was.
        """
        net = net.to(device, memory_format=torch.channels_last)
        average = AveragedModel(net, multi_avg_fn=_average, use_buffers=True)
        optimiser = torch.optim.AdamW(net.parameters(), lr=rate, weight_decay=1e-3)
        training = cls(net, average, optimiser)
        if out.exists():
            kept = torch.load(out, map_location=device, weights_only=True)
            net.load_state_dict(kept["net"])
            average.load_state_dict(kept["average"])
            optimiser.load_state_dict(kept["optimiser"])
            training.spent_s, training.step = kept["spent_s"], kept["step"]
        elif start:
            net.load_state_dict(torch.load(start, map_location=device, weights_only=True)["best"])
            average.module.load_state_dict(net.state_dict())
        return training

    def set_rate(self, rate: float, share: float) -> None:
        """Warm up over 100 steps, then follow half a cosine to nothing; `share` of the time is spent (0 to 1)."""
        now = rate * min(1.0, (self.step + 1) / 100) * (0.5 + 0.5 * math.cos(math.pi * share)) + 1e-5
        for group in self.optimiser.param_groups:
            group["lr"] = now

    def save(self, path: pathlib.Path, spent_s: float) -> None:
        """Write the state, whole or not at all."""
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
