"""Averages networks that began alike, weight by weight: the mean errs less often than each of them.

    python -m tilekeeper.models.average ONE.pt OTHER.pt ... [--moved BEFORE.pt AFTER.pt] --out MEAN.pt

After model soups (arXiv 2203.05482). `--moved` adds what a training did to another network that began alike (task
arithmetic, arXiv 2212.04089): what those learnt that saw no photo, those that did learn with it. `docs/vision-log.md`
has what it came to. The mean is a checkpoint that a training may start from and that can be exported; a training can't
go on with it.
"""

from __future__ import annotations

import argparse
import pathlib
from collections.abc import Sequence

import torch

Weights = dict[str, torch.Tensor]


def mean_of(networks: Sequence[Weights]) -> Weights:
    """Return the mean of each weight; counts, which are no numbers to be averaged, as the first has them.

    Raises `ValueError` where the networks aren't of one shape.
    """
    first = networks[0]
    shapes = {name: value.shape for name, value in first.items()}
    if any({name: value.shape for name, value in other.items()} != shapes for other in networks):
        raise ValueError("only networks of one shape can be averaged")
    return {
        name: torch.stack([one[name] for one in networks]).mean(0) if value.is_floating_point() else value
        for name, value in first.items()
    }


def moved(network: Weights, before: Weights, after: Weights) -> Weights:
    """Return `network` with each weight moved as far as another network's was from `before` to `after`.

    Variances stay what they can be. Raises `ValueError` where the networks aren't of one shape.
    """
    mean_of([network, before, after])  # of one shape
    way = {
        name: value + after[name] - before[name] if value.is_floating_point() else value
        for name, value in network.items()
    }
    return {name: value.clamp(min=1e-6) if name.endswith("running_var") else value for name, value in way.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoints", type=pathlib.Path, nargs="+")
    parser.add_argument("--moved", type=pathlib.Path, nargs=2, metavar=("BEFORE", "AFTER"))
    parser.add_argument("--out", type=pathlib.Path, required=True)
    args = parser.parse_args()
    try:
        mean = mean_of([_weights(path) for path in args.checkpoints])
        if args.moved:
            mean = moved(mean, *map(_weights, args.moved))
    except KeyError:
        raise SystemExit("average: these are no checkpoints of this project's trainings") from None
    except (OSError, ValueError) as fault:
        raise SystemExit(f"average: {fault}") from None
    torch.save({"best": mean}, args.out)


def _weights(checkpoint: pathlib.Path) -> Weights:
    return torch.load(checkpoint, weights_only=True)["best"]


if __name__ == "__main__":
    main()
