"""Averages networks that began alike, weight by weight: the mean errs less often than each of them.

    python -m tilekeeper.models.export.averaging ONE.pt OTHER.pt ... --out MEAN.pt

After model soups (arXiv 2203.05482). The mean is a checkpoint that a training may start from and that can be exported;
a training can't go on with it.
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoints", type=pathlib.Path, nargs="+")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    args = parser.parse_args()
    try:
        mean = mean_of([_weights(path) for path in args.checkpoints])
    except KeyError:
        raise SystemExit("average: these are no checkpoints of this project's trainings") from None
    except (OSError, ValueError) as fault:
        raise SystemExit(f"average: {fault}") from None
    torch.save({"best": mean}, args.out)


def _weights(checkpoint: pathlib.Path) -> Weights:
    weights: Weights = torch.load(checkpoint, map_location="cpu", weights_only=True)["best"]
    return weights


if __name__ == "__main__":
    main()
