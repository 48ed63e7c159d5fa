"""Trains the classifier from start to end, resumably.

    python -m tilekeeper.models.training.train_classifier --rendered DIR [--photos DIR --leave-out s1 background] \\
        --minutes 5 --out var/classifier.pt [--start models/pretrained/classifier.pt]
    python -m tilekeeper.models.training.train_classifier --rendered DIR --widen var/classifier.pt --unsure
    var/classifier.onnx \\
        --minutes 60 --out var/verifier.pt

The second trains the verifier, which is asked about what the classifier is less than sure of.

Crops of all tiles are cut out once and kept in memory, by a spawned process: torch and OpenCV 5 must not share one.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import time
from dataclasses import replace

# see train_detector
os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_BF16")

import numpy as np
import torch
from torch.nn import functional

from tilekeeper.models.training.checkpoint import Training
from tilekeeper.models.training.classifier_batches import Lessons, batches
from tilekeeper.models.training.feeding import Feeder
from tilekeeper.models.training.network import CLASSIFIER, VERIFIER, ClassifierNet, widened
from tilekeeper.models.training.options import training_parser
from tilekeeper.models.training.rounding import round_as_shipped

CORNERS = 10.0
"""What an error of the corners weighs, in tile widths, against the cross-entropies."""


def loss_of(
    logits: torch.Tensor, numbers: torch.Tensor, inks: torch.Tensor, turned: torch.Tensor, corners: torch.Tensor
) -> torch.Tensor:
    """Cross-entropies of number, ink and way up, and the corners' error; of an upside-down tile all but the number."""
    number = functional.cross_entropy(logits[:, :15], numbers, reduction="none", label_smoothing=0.01)
    number = (number * ~turned).sum() / (~turned).sum().clamp(min=1)
    inked = inks >= 0
    ink = (
        functional.cross_entropy(logits[inked, 15:19], inks[inked], label_smoothing=0.01)
        if inked.any()
        else logits.sum() * 0
    )
    tile = numbers != 14
    turn = functional.binary_cross_entropy_with_logits(logits[:, 19], turned.float(), reduction="none")
    turn = (turn * tile).sum() / tile.sum().clamp(min=1)
    off = functional.smooth_l1_loss(logits[:, 20:], corners, reduction="none", beta=0.03).mean(1)
    return number + ink + 0.5 * turn + CORNERS * (off * tile).sum() / tile.sum().clamp(min=1)


def train(args: argparse.Namespace) -> None:
    """Run or go on with one training."""
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    net = widened(_classifier(args.widen)) if args.widen else ClassifierNet(VERIFIER if args.verifier else CLASSIFIER)
    training = Training.begin(net, args.rate, args.out, args.start, args.device)
    net, optimiser = training.net, training.optimiser
    if args.rounded:
        round_as_shipped(net)
    if training.spent_s >= args.minutes * 60:
        print(f"{args.out} is done: step {training.step}", flush=True)
        return
    parameters = sum(p.numel() for p in net.parameters())
    print(f"{parameters} parameters, from step {training.step}; first all crops are cut out", flush=True)
    lessons = Lessons(
        batch=args.batch,
        rendered=tuple(args.rendered),
        most=args.tables,
        photos=args.photos,
        leave_out=frozenset(args.leave_out),
        photo_share=args.photo_share,
        detector=args.detector,
        clutter=tuple(args.clutter),
        scenes=args.scenes,
        unsure=args.unsure,
    )
    words = [
        (replace(lessons, part=(i, args.feeders)), args.seed + 100 * i + training.step) for i in range(args.feeders)
    ]
    feeder = Feeder(batches, words, ahead=max(8, args.feeders))
    first = None
    budget, sums = args.minutes * 60, np.zeros(4)
    net.train()
    saved = time.monotonic()
    try:
        for batch in feeder:
            crops, numbers, inks, turned, corners = (torch.from_numpy(part).to(args.device) for part in batch)
            first = first or time.monotonic()  # collecting the crops is not training
            now = training.spent_s + time.monotonic() - first
            if now >= budget:
                break
            training.set_rate(args.rate, now / budget)
            with torch.autocast(torch.device(args.device).type, torch.bfloat16, enabled=args.bfloat16):
                logits = net(crops.float().permute(0, 3, 1, 2).contiguous(memory_format=torch.channels_last))
            logits = logits.float()
            loss = loss_of(logits, numbers, inks, turned, corners)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            training.average.update_parameters(net)
            training.step += 1
            with torch.no_grad():
                right = (logits[:, :15].argmax(1) == numbers) & ((inks < 0) | (logits[:, 15:19].argmax(1) == inks))
                off = (logits[:, 20:] - corners)[numbers != 14].abs().mean()
                sums += (float(loss), float(right[~turned].float().mean()), float(off), 1)
            if training.step % 100 == 0:
                print(
                    f"{training.step} {now / 60:.1f} min loss {sums[0] / sums[3]:.4f} "
                    f"right {sums[1] / sums[3]:.4f} corners {sums[2] / sums[3]:.4f}",
                    flush=True,
                )
                sums[:] = 0
            if time.monotonic() - saved > 60:
                training.save(args.out, now)
                saved = time.monotonic()
    finally:
        feeder.close()
    training.save(args.out, budget)
    print(f"{args.out} is done: step {training.step}", flush=True)


def _classifier(checkpoint: pathlib.Path) -> ClassifierNet:
    """The classifier of a checkpoint, averaged."""
    classifier = ClassifierNet()
    classifier.load_state_dict(torch.load(checkpoint, map_location="cpu", weights_only=True)["best"])
    return classifier


def main() -> None:
    parser = training_parser(__doc__, photo_share=0.5, minutes=5, batch=128, rate=3e-3, feeders=1)
    parser.add_argument("--tables", type=int, default=700, help="at most so many of them (29 kB of memory a tile)")
    parser.add_argument(
        "--detector",
        type=pathlib.Path,
        help="ONNX file of a detector: what it takes for tiles and aren't is taught as such",
    )
    parser.add_argument(
        "--clutter", type=pathlib.Path, nargs="*", default=[], help="folders of rendered tables full of other things"
    )
    parser.add_argument(
        "--scenes", action="store_true", help="teach what the detector takes for tiles in scenes drawn without any, too"
    )
    parser.add_argument("--verifier", action="store_true", help="train the wider network that is asked second")
    parser.add_argument("--widen", type=pathlib.Path, help="checkpoint of a classifier that a verifier begins as")
    parser.add_argument(
        "--unsure", type=pathlib.Path, help="ONNX file of the classifier that a verifier is asked after: what it doubts"
    )
    args = parser.parse_args()
    if args.scenes and not args.detector:
        parser.error("--scenes teaches what a detector takes for tiles: name one with --detector")
    train(args)


if __name__ == "__main__":
    main()
