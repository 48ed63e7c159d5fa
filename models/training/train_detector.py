"""Trains the detector from start to end, resumably, on two cores without a GPU.

    python -m tilekeeper.models.training.train_detector --rendered DIR [--photos DIR --leave-out s1 background] \\
        --minutes 40 --out var/detector.pt [--start models/pretrained/detector.pt]

Rendered tables alone make the pretrained network; `--photos` adds the annotated photos (but the sessions left out)
for tuning. The checkpoint is written every minute; the same command goes on where it was.
"""

from __future__ import annotations

import argparse
import os
import time

# The matrix tiles (AMX) of some virtual machines die of an illegal instruction; plain AVX-512 bfloat16 does not. Where
# they work, AVX512_CORE_AMX in its place takes less than half the time.
os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_BF16")

import numpy as np
import torch

from tilekeeper.models.training.checkpoint import Training
from tilekeeper.models.training.detector_samples import batches
from tilekeeper.models.training.feeding import Feeder
from tilekeeper.models.training.network import DetectorNet
from tilekeeper.models.training.options import training_parser
from tilekeeper.models.training.rounding import round_as_shipped
from tilekeeper.models.training.sources import RENDERED, Source, photo_sources, rendered_sources

EITHER_END = 0.75
"""The share of the corners' error that counts whichever end is up."""


def loss_of(
    maps: torch.Tensor, heat: torch.Tensor, count: torch.Tensor, corners: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Focal loss of the heatmap (arXiv 1904.07850) and the corners' error in tile widths, each per tile.

    Every crop weighs the same: the few large tiles of one are worth as much as the many small ones of another. Of the
    corners' error most counts whichever end of the tile is up: a network that can't tell would else put all corners
    near the middle, right on the average of both. The classifier sees which end is up.
    """
    logit = maps[:, 0]
    sure = heat > 0.99
    tiles = sure.sum((1, 2)).clamp(min=1)
    chance = torch.sigmoid(logit)
    at_tile = -torch.nn.functional.logsigmoid(logit) * (1 - chance) ** 2 * sure
    elsewhere = -torch.nn.functional.logsigmoid(-logit) * chance**2 * (1 - heat) ** 4 * ~sure
    focal = (((at_tile + elsewhere) * count).sum((1, 2)) / tiles).mean()
    weight = corners[:, 8:] * count[:, None]
    ways = corners[:, :8], corners[:, :8].roll(4, dims=1)
    upright, on_head = (
        torch.nn.functional.smooth_l1_loss(maps[:, 1:], way, reduction="none", beta=0.05).mean(1, keepdim=True)
        for way in ways
    )
    error = (1 - EITHER_END) * upright + EITHER_END * torch.minimum(upright, on_head)
    cells = ((corners[:, 8:] > 0) * count[:, None]).sum((1, 2, 3)).clamp(min=1)
    return focal, ((error * weight).sum((1, 2, 3)) / cells).mean()


def weights_of(sources: list[Source], photo_share: float) -> np.ndarray:
    """How often each picture is drawn: photos `photo_share` of all, rendered tables the rest.

    A session counts by the root of its photos, so that a large one leads without drowning the small.
    """
    sessions = [s.session for s in sources]
    counts = {name: sessions.count(name) for name in set(sessions)}
    real = [name for name in counts if name not in (RENDERED, "background")]
    if RENDERED not in counts:
        photo_share = 1.0
    each = {name: photo_share / max(len(real), 1) * np.sqrt(counts[name]) for name in real}
    total = sum(each.values()) or 1.0
    shares = {name: photo_share * value / total for name, value in each.items()}
    shares |= {RENDERED: 1 - photo_share if real else 1.0, "background": 0.04 * photo_share}
    return np.array([shares[s] / counts[s] for s in sessions])


def train(args: argparse.Namespace) -> None:
    """Run or go on with one training."""
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    sources = [source for folder in args.rendered for source in rendered_sources(folder)]
    if args.photos:
        sources += photo_sources(args.photos, frozenset(args.leave_out))
    if not sources:
        raise SystemExit("nothing to train on: give --rendered, --photos or both")
    training = Training.begin(DetectorNet(), args.rate, args.out, args.start, args.device)
    net, optimiser = training.net, training.optimiser
    if args.rounded:
        round_as_shipped(net, told=net.maps)
    weights = weights_of(sources, args.photo_share)
    words = [
        (sources, weights / weights.sum(), args.batch, 1000 * (args.seed + training.step) + i)
        for i in range(args.feeders)
    ]
    feeder = Feeder(batches, words, ahead=max(6, args.feeders))
    budget, begun, saved, sums = args.minutes * 60, time.monotonic(), time.monotonic(), np.zeros(3)
    net.train()
    print(
        f"{len(sources)} pictures, {sum(p.numel() for p in net.parameters())} parameters, from step {training.step}",
        flush=True,
    )
    try:
        while (now := training.spent_s + time.monotonic() - begun) < budget:
            training.set_rate(args.rate, now / budget)
            picture, heat, count, corners = (torch.from_numpy(part).to(args.device).float() for part in next(feeder))
            with torch.autocast(torch.device(args.device).type, torch.bfloat16, enabled=args.bfloat16):
                maps = net(picture.contiguous(memory_format=torch.channels_last))
            focal, corner = loss_of(maps.float(), heat, count, corners)
            optimiser.zero_grad()
            (focal + 8 * corner).backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 10.0)
            optimiser.step()
            training.average.update_parameters(net)
            training.step += 1
            sums += (float(focal.detach()), float(corner.detach()), 1)
            if training.step % 50 == 0:
                print(
                    f"{training.step} {now / 60:.1f} min heat {sums[0] / sums[2]:.4f} corners {sums[1] / sums[2]:.4f}",
                    flush=True,
                )
                sums[:] = 0
            if time.monotonic() - saved > 60:
                training.save(args.out, now)
                saved = time.monotonic()
    finally:
        feeder.close()
    training.save(args.out, budget)


def main() -> None:
    train(training_parser(__doc__, photo_share=0.7, minutes=40, batch=16, rate=2e-3, feeders=2).parse_args())


if __name__ == "__main__":
    main()
