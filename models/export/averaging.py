"""Model soup: average the weights of networks with a common start; the mean makes fewer errors than each of them.

    python -m tilekeeper.models.export.averaging ONE.pt OTHER.pt ... --out MEAN.pt

After Wortsman and others, arXiv 2203.05482. The mean can be exported, and a new training can start from it; but no
training can be resumed from it, because it has no optimiser state.
"""

from __future__ import annotations

import argparse
import pathlib
from collections.abc import Sequence

import torch

Weights = dict[str, torch.Tensor]


def mean_of(networks: Sequence[Weights]) -> Weights:
    """Return the mean of each weight; integer counters are those of the first network.

    Raises `ValueError` if the networks differ in shape.
    """
    first = networks[0]
    shapes = {name: value.shape for name, value in first.items()}
    if any({name: value.shape for name, value in other.items()} != shapes for other in networks):
        raise ValueError("only networks of the same shape can be averaged")
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
        raise SystemExit("average: not a checkpoint of a training of this project") from None
    except (OSError, ValueError) as fault:
        raise SystemExit(f"average: {fault}") from None
    torch.save({"best": mean}, args.out)


def _weights(checkpoint: pathlib.Path) -> Weights:
    weights: Weights = torch.load(checkpoint, map_location="cpu", weights_only=True)["best"]
    return weights


if __name__ == "__main__":
    main()
