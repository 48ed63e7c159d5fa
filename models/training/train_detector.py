"""Train the detector: samples, network, loss and loop. The script can be resumed and needs no GPU.

    python -m tilekeeper.models.training.train_detector --rendered DIR [--photos DIR --leave-out s1 background] \\
        --minutes 40 --out var/detector.pt [--start models/pretrained/detector.pt]

The shipped network learns from rendered tables only. `--photos` adds annotated photos, except the held-out sessions.
The checkpoint is written every minute; the same command resumes it.
"""

from __future__ import annotations

import argparse
import os
import time

# AMX instructions crash on some virtual machines ("illegal instruction"); AVX-512 with bfloat16 works on all. If AMX
# works, a training with AVX512_CORE_AMX takes less than half the time.
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
"""Share of the corner loss that is computed for the better of both directions of a tile."""


def loss_of(
    maps: torch.Tensor, heat: torch.Tensor, count: torch.Tensor, corners: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the focal loss of the heatmap (arXiv 1904.07850) and the corner loss in tile widths, both per tile.

    Every crop has the same weight, whether it has few large tiles or many small ones. Most of the corner loss ignores
    which end of the tile is up. Otherwise a detector that cannot see the upper end would put all corners near the
    centre, the average of both directions. The classifier decides which end is up.
    """
    logit = maps[:, 0]
    is_centre = heat > 0.99
    tiles = is_centre.sum((1, 2)).clamp(min=1)
    probability = torch.sigmoid(logit)
    at_tile = -torch.nn.functional.logsigmoid(logit) * (1 - probability) ** 2 * is_centre
    elsewhere = -torch.nn.functional.logsigmoid(-logit) * probability**2 * (1 - heat) ** 4 * ~is_centre
    focal = (((at_tile + elsewhere) * count).sum((1, 2)) / tiles).mean()
    weight = corners[:, 8:] * count[:, None]
    upright, upside_down = (
        torch.nn.functional.smooth_l1_loss(maps[:, 1:], target, reduction="none", beta=0.05).mean(1, keepdim=True)
        for target in (corners[:, :8], corners[:, :8].roll(4, dims=1))
    )
    error = (1 - EITHER_END) * upright + EITHER_END * torch.minimum(upright, upside_down)
    cells = ((corners[:, 8:] > 0) * count[:, None]).sum((1, 2, 3)).clamp(min=1)
    return focal, ((error * weight).sum((1, 2, 3)) / cells).mean()


def weights_of(sources: list[Source], photo_share: float) -> np.ndarray:
    """Return the sampling weights `(N,)` of the images: photos get `photo_share` of the samples, renders get the rest.

    The share of a session grows with the square root of its number of photos, so that small sessions count, too.
    """
    sessions = [source.session for source in sources]
    counts = {name: sessions.count(name) for name in set(sessions)}
    real = [name for name in counts if name not in (RENDERED, "background")]
    if RENDERED not in counts:
        photo_share = 1.0
    session_weights = {name: photo_share / max(len(real), 1) * np.sqrt(counts[name]) for name in real}
    total = sum(session_weights.values()) or 1.0
    shares = {name: photo_share * weight / total for name, weight in session_weights.items()}
    shares |= {RENDERED: 1 - photo_share if real else 1.0, "background": 0.04 * photo_share}
    return np.array([shares[session] / counts[session] for session in sessions])


def train(args: argparse.Namespace) -> None:
    """Run or resume the training that the command-line arguments describe."""
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
        round_as_shipped(net, output=net.maps)
    weights = weights_of(sources, args.photo_share)
    feeder_arguments = [
        (sources, weights / weights.sum(), args.batch, 1000 * (args.seed + training.step) + i)
        for i in range(args.feeders)
    ]
    feeder = Feeder(batches, feeder_arguments, ahead=max(6, args.feeders))
    budget_s, started, saved, sums = args.minutes * 60, time.monotonic(), time.monotonic(), np.zeros(3)
    net.train()
    print(
        f"{len(sources)} pictures, {sum(p.numel() for p in net.parameters())} parameters, from step {training.step}",
        flush=True,
    )
    try:
        while (spent_s := training.spent_s + time.monotonic() - started) < budget_s:
            training.set_rate(args.rate, spent_s / budget_s)
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
                mean_focal, mean_corner = sums[:2] / sums[2]
                print(
                    f"{training.step} {spent_s / 60:.1f} min heat {mean_focal:.4f} corners {mean_corner:.4f}",
                    flush=True,
                )
                sums[:] = 0
            if time.monotonic() - saved > 60:
                training.save(args.out, spent_s)
                saved = time.monotonic()
    finally:
        feeder.close()
    training.save(args.out, budget_s)


def main() -> None:
    train(training_parser(__doc__, photo_share=0.7, minutes=40, batch=16, rate=2e-3, feeders=2).parse_args())


if __name__ == "__main__":
    main()
