"""Trains the namer from start to end, resumably.

    python -m tilekeeper.models.train_namer --rendered DIR [--photos DIR --leave-out s1 background] \\
        --minutes 5 --out var/namer.pt [--start var/namer-pretrained.pt]

Crops of all tiles are cut out once and kept in memory, by a spawned process: torch and OpenCV 5 must not share one.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import pathlib
import queue
import time
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from tilekeeper.models.network import NamerNet
from tilekeeper.models.sources import photo_sources, rendered_sources


def _produce(
    rendered: pathlib.Path | None,
    photos: pathlib.Path | None,
    leave_out: frozenset[str],
    photo_share: float,
    most: int,
    batch: int,
    seed: int,
    out: Any,
) -> None:
    import cv2

    from tilekeeper.models.namer_samples import collect, draw_crop

    cv2.setNumThreads(1)
    cv2.setRNGSeed(seed)
    rng = np.random.default_rng(seed)
    stores: list[tuple[float, tuple[np.ndarray, np.ndarray, np.ndarray]]] = []
    if rendered:
        tables = rendered_sources(rendered)
        order = rng.permutation(len(tables))[:most]
        stores.append((1 - photo_share if photos else 1.0, collect([tables[i] for i in order], rng)))
    if photos:
        stores.append((photo_share if rendered else 1.0, collect(photo_sources(photos, leave_out), rng, negatives=0.5)))
    shares = np.array([share for share, _ in stores])
    while True:
        crops, numbers, inks, turned = [], [], [], []
        for _ in range(batch):
            store = stores[int(rng.choice(len(stores), p=shares / shares.sum()))][1]
            i = int(rng.integers(len(store[0])))
            upside_down = store[1][i] != 14 and rng.random() < 0.2
            crops.append(draw_crop(rng, store[0][i], bool(upside_down)))
            numbers.append(store[1][i])
            inks.append(store[2][i])
            turned.append(upside_down)
        out.put((np.stack(crops).astype(np.float16), np.array(numbers), np.array(inks), np.array(turned)))


def loss_of(logits: torch.Tensor, numbers: torch.Tensor, inks: torch.Tensor, turned: torch.Tensor) -> torch.Tensor:
    """Cross-entropies of number, ink and way up; of an upside-down tile only the last two count."""
    number = functional.cross_entropy(logits[:, :15], numbers, reduction="none", label_smoothing=0.01)
    number = (number * ~turned).sum() / (~turned).sum().clamp(min=1)
    inked = inks >= 0
    ink = (
        functional.cross_entropy(logits[inked, 15:19], inks[inked], label_smoothing=0.01)
        if inked.any()
        else logits.sum() * 0
    )
    tile = numbers != 14
    turn = functional.binary_cross_entropy_with_logits(logits[tile, 19], turned[tile].float())
    return number + ink + 0.5 * turn


def train(args: argparse.Namespace) -> None:
    """Run or go on with one training."""
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    net = NamerNet().to(memory_format=torch.channels_last)
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
    context = multiprocessing.get_context("spawn")
    samples = context.Queue(maxsize=8)
    feeders = [
        context.Process(
            target=_produce, daemon=True,
            args=(
                args.rendered, args.photos, frozenset(args.leave_out), args.photo_share, args.tables,
                args.batch, args.seed + 100 * i + step, samples,
            ),
        )
        for i in range(args.feeders)
    ]  # fmt: skip
    for feeder in feeders:
        feeder.start()
    first = None
    budget, sums = args.minutes * 60, np.zeros(3)
    net.train()
    saved = time.monotonic()
    try:
        while True:
            try:
                crops, numbers, inks, turned = (torch.from_numpy(part) for part in samples.get(timeout=30))
            except queue.Empty:
                if not any(feeder.is_alive() for feeder in feeders):
                    raise RuntimeError("the processes that make samples have ended; see their message above") from None
                continue
            first = first or time.monotonic()  # collecting the crops is not training
            now = spent + time.monotonic() - first
            if now >= budget:
                break
            rate = args.rate * min(1.0, (step + 1) / 100) * (0.5 + 0.5 * math.cos(math.pi * now / budget)) + 1e-5
            for group in optimiser.param_groups:
                group["lr"] = rate
            logits = net(crops.float().permute(0, 3, 1, 2).contiguous(memory_format=torch.channels_last))
            loss = loss_of(logits, numbers, inks, turned)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            average.update_parameters(net)
            step += 1
            with torch.no_grad():
                right = (logits[:, :15].argmax(1) == numbers) & ((inks < 0) | (logits[:, 15:19].argmax(1) == inks))
                sums += (float(loss), float(right[~turned].float().mean()), 1)
            if step % 100 == 0:
                print(
                    f"step {step} {now / 60:.1f} min loss {sums[0] / sums[2]:.4f} right {sums[1] / sums[2]:.4f}",
                    flush=True,
                )
                sums[:] = 0
            if time.monotonic() - saved > 60:
                _save(args.out, net, average, optimiser, now, step)
                saved = time.monotonic()
    finally:
        for feeder in feeders:
            feeder.terminate()
            feeder.join(5)
    _save(args.out, net, average, optimiser, budget, step)


def _save(
    path: pathlib.Path,
    net: NamerNet,
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
    parser.add_argument("--tables", type=int, default=700, help="at most so many of them (29 kB of memory a tile)")
    parser.add_argument("--photos", type=pathlib.Path, help="folder of the annotated photos")
    parser.add_argument(
        "--leave-out", nargs="*", default=[], metavar="SESSION", help="sessions of photos that are not trained on"
    )
    parser.add_argument("--photo-share", type=float, default=0.5, help="share of the crops that come from photos")
    parser.add_argument("--start", type=pathlib.Path, help="checkpoint to start from")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--rate", type=float, default=3e-3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--feeders", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    train(parser.parse_args())


if __name__ == "__main__":
    main()
