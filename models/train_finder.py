"""Trains the finder from start to end, resumably, on two cores without a GPU.

    python -m tilekeeper.models.train_finder --rendered DIR [--photos DIR --leave-out s1 background] \\
        --minutes 40 --out var/finder.pt [--start var/pretrained.pt]

Rendered tables alone make the pretrained network; `--photos` adds the annotated photos (but the sessions left out)
for tuning. The checkpoint is written every minute; the same command goes on where it was.
"""

from __future__ import annotations

import argparse
import math
import os
import pathlib
import time

# The matrix tiles (AMX) of some virtual machines die of an illegal instruction; plain AVX-512 bfloat16 does not.
os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_BF16")

import numpy as np
import torch

from tilekeeper.models.finder_samples import Feeder
from tilekeeper.models.network import FinderNet
from tilekeeper.models.sources import RENDERED, Source, photo_sources, rendered_sources


def loss_of(
    maps: torch.Tensor, heat: torch.Tensor, count: torch.Tensor, corners: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Focal loss of the heatmap (arXiv 1904.07850) and the corners' error in tile widths, each per tile."""
    logit = maps[:, 0]
    sure = heat > 0.99
    tiles = sure.sum().clamp(min=1)
    chance = torch.sigmoid(logit)
    at_tile = -torch.nn.functional.logsigmoid(logit) * (1 - chance) ** 2 * sure
    elsewhere = -torch.nn.functional.logsigmoid(-logit) * chance**2 * (1 - heat) ** 4 * ~sure
    focal = ((at_tile + elsewhere) * count).sum() / tiles
    weight = corners[:, 8:] * count[:, None]
    error = torch.nn.functional.smooth_l1_loss(maps[:, 1:], corners[:, :8], reduction="none", beta=0.05)
    share = (corners[:, 8:] > 0).float() * count[:, None]
    return focal, (error * weight).sum() / (8 * share.sum().clamp(min=1))


def weights_of(sources: list[Source], photo_share: float) -> np.ndarray:
    """How often each picture is drawn: photos `photo_share` of all, every session alike, rendered tables the rest."""
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
    sources = rendered_sources(args.rendered) if args.rendered else []
    if args.photos:
        sources += photo_sources(args.photos, frozenset(args.leave_out))
    if not sources:
        raise SystemExit("nothing to train on: give --rendered, --photos or both")
    net = FinderNet().to(memory_format=torch.channels_last)
    average = torch.optim.swa_utils.AveragedModel(
        net, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.998), use_buffers=True
    )
    optimiser = torch.optim.AdamW(net.parameters(), lr=args.rate, weight_decay=1e-3)
    spent, step = 0.0, 0
    if args.out.exists():
        kept = torch.load(args.out, weights_only=True)
        net.load_state_dict(kept["net"])
        average.load_state_dict(kept["average"])
        optimiser.load_state_dict(kept["optimiser"])
        spent, step = kept["spent_s"], kept["step"]
    elif args.start:
        net.load_state_dict(torch.load(args.start, weights_only=True)["best"])
        average.module.load_state_dict(net.state_dict())
    feeder = Feeder(sources, weights_of(sources, args.photo_share), args.batch, args.seed + step, args.feeders)
    budget, begun, saved, sums = args.minutes * 60, time.monotonic(), time.monotonic(), np.zeros(3)
    net.train()
    print(
        f"{len(sources)} pictures, {sum(p.numel() for p in net.parameters())} parameters, from step {step}", flush=True
    )
    try:
        while (now := spent + time.monotonic() - begun) < budget:
            rate = args.rate * min(1.0, (step + 1) / 100) * (0.5 + 0.5 * math.cos(math.pi * now / budget)) + 1e-5
            for group in optimiser.param_groups:
                group["lr"] = rate
            picture, heat, count, corners = (torch.from_numpy(part).float() for part in next(feeder))
            with torch.autocast("cpu", torch.bfloat16, enabled=args.bfloat16):
                maps = net(picture.contiguous(memory_format=torch.channels_last))
            focal, corner = loss_of(maps.float(), heat, count, corners)
            optimiser.zero_grad()
            (focal + 2 * corner).backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 5.0)
            optimiser.step()
            average.update_parameters(net)
            step += 1
            sums += (float(focal.detach()), float(corner.detach()), 1)
            if step % 50 == 0:
                print(
                    f"step {step} {now / 60:.1f} min heat {sums[0] / sums[2]:.4f} corners {sums[1] / sums[2]:.4f}",
                    flush=True,
                )
                sums[:] = 0
            if time.monotonic() - saved > 60:
                _save(args.out, net, average, optimiser, now, step)
                saved = time.monotonic()
    finally:
        feeder.close()
    _save(args.out, net, average, optimiser, budget, step)


def _save(
    path: pathlib.Path,
    net: FinderNet,
    average: torch.optim.swa_utils.AveragedModel,
    optimiser: torch.optim.Optimizer,
    spent_s: float,
    step: int,
) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    state = {"net": net.state_dict(), "average": average.state_dict(), "best": average.module.state_dict()}
    state |= {"optimiser": optimiser.state_dict(), "spent_s": spent_s, "step": step}
    torch.save(state, path.with_suffix(".new"))
    path.with_suffix(".new").replace(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rendered", type=pathlib.Path, help="folder of rendered tables (tilekeeper.datasets.tables)")
    parser.add_argument("--photos", type=pathlib.Path, help="folder of the annotated photos")
    parser.add_argument(
        "--leave-out", nargs="*", default=[], metavar="SESSION", help="sessions of photos that are not trained on"
    )
    parser.add_argument("--photo-share", type=float, default=0.7, help="share of the crops that come from photos")
    parser.add_argument("--start", type=pathlib.Path, help="checkpoint to start from")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--minutes", type=float, default=40)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--feeders", type=int, default=2)
    parser.add_argument(
        "--bfloat16", action="store_true", help="half the numbers' width: a third faster where the processor can"
    )
    parser.add_argument("--seed", type=int, default=1)
    train(parser.parse_args())


if __name__ == "__main__":
    main()
