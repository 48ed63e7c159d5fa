"""Train the classifier or the verifier: samples, network, loss and loop. The script can be resumed.

    python -m tilekeeper.models.training.train_classifier --rendered DIR [--photos DIR --leave-out s1 background] \\
        --minutes 5 --out var/classifier.pt [--start models/pretrained/classifier.pt]
    python -m tilekeeper.models.training.train_classifier --rendered DIR --widen var/classifier.pt \\
        --unsure var/classifier.onnx --minutes 60 --out var/verifier.pt

The second command trains the verifier, which reads the crops of which the classifier is uncertain.

Worker processes cut out all crops once and keep them in memory, because PyTorch and OpenCV 5 must not share a process.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import time
from dataclasses import replace

# AMX instructions crash on some virtual machines; `train_detector` says more.
os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_BF16")

import numpy as np
import torch
from torch.nn import functional

from tilekeeper.models.training.checkpoint import Training
from tilekeeper.models.training.classifier_batches import SampleOptions, batches
from tilekeeper.models.training.feeding import Feeder
from tilekeeper.models.training.network import CLASSIFIER, VERIFIER, ClassifierNet, widened
from tilekeeper.models.training.options import training_parser
from tilekeeper.models.training.rounding import round_as_shipped

CORNER_WEIGHT = 10.0
"""Weight of the corner loss, in tile widths, beside the cross-entropies."""


def loss_of(
    logits: torch.Tensor, numbers: torch.Tensor, inks: torch.Tensor, turned: torch.Tensor, corners: torch.Tensor
) -> torch.Tensor:
    """Return the loss: the weighted sum of the cross-entropies of number, ink and direction, and of the corner loss.

    An upside-down tile has no loss for its number; a non-tile has none for direction and corners.
    """
    number = functional.cross_entropy(logits[:, :15], numbers, reduction="none", label_smoothing=0.01)
    number = (number * ~turned).sum() / (~turned).sum().clamp(min=1)
    has_ink = inks >= 0
    ink = (
        functional.cross_entropy(logits[has_ink, 15:19], inks[has_ink], label_smoothing=0.01)
        if has_ink.any()
        else logits.sum() * 0
    )
    is_tile = numbers != 14
    turn = functional.binary_cross_entropy_with_logits(logits[:, 19], turned.float(), reduction="none")
    turn = (turn * is_tile).sum() / is_tile.sum().clamp(min=1)
    corner = functional.smooth_l1_loss(logits[:, 20:], corners, reduction="none", beta=0.03).mean(1)
    return number + ink + 0.5 * turn + CORNER_WEIGHT * (corner * is_tile).sum() / is_tile.sum().clamp(min=1)


def train(args: argparse.Namespace) -> None:
    """Run or resume the training that the command-line arguments describe."""
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
    print(f"{parameters} parameters, from step {training.step}; cutting out all crops first", flush=True)
    samples = SampleOptions(
        batch=args.batch,
        rendered=tuple(args.rendered),
        max_tables=args.tables,
        photos=args.photos,
        leave_out=frozenset(args.leave_out),
        photo_share=args.photo_share,
        detector=args.detector,
        clutter=tuple(args.clutter),
        scenes=args.scenes,
        unsure=args.unsure,
    )
    feeder_arguments = [
        (replace(samples, part=(i, args.feeders)), args.seed + 100 * i + training.step) for i in range(args.feeders)
    ]
    feeder = Feeder(batches, feeder_arguments, ahead=max(8, args.feeders))
    started = None
    budget_s, sums = args.minutes * 60, np.zeros(4)
    net.train()
    saved = time.monotonic()
    try:
        for batch in feeder:
            crops, numbers, inks, turned, corners = (torch.from_numpy(part).to(args.device) for part in batch)
            started = started or time.monotonic()  # the time for cutting out the crops does not count
            spent_s = training.spent_s + time.monotonic() - started
            if spent_s >= budget_s:
                break
            training.set_rate(args.rate, spent_s / budget_s)
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
                corner_error = (logits[:, 20:] - corners)[numbers != 14].abs().mean()
                sums += (float(loss), float(right[~turned].float().mean()), float(corner_error), 1)
            if training.step % 100 == 0:
                print(
                    f"{training.step} {spent_s / 60:.1f} min loss {sums[0] / sums[3]:.4f} "
                    f"right {sums[1] / sums[3]:.4f} corners {sums[2] / sums[3]:.4f}",
                    flush=True,
                )
                sums[:] = 0
            if time.monotonic() - saved > 60:
                training.save(args.out, spent_s)
                saved = time.monotonic()
    finally:
        feeder.close()
    training.save(args.out, budget_s)
    print(f"{args.out} is done: step {training.step}", flush=True)


def _classifier(checkpoint: pathlib.Path) -> ClassifierNet:
    """Load the classifier of a checkpoint, with its averaged weights."""
    classifier = ClassifierNet()
    classifier.load_state_dict(torch.load(checkpoint, map_location="cpu", weights_only=True)["best"])
    return classifier


def main() -> None:
    parser = training_parser(__doc__, photo_share=0.5, minutes=5, batch=128, rate=3e-3, feeders=1)
    parser.add_argument(
        "--tables", type=int, default=700, help="maximum number of rendered tables (29 kB of memory for each tile)"
    )
    parser.add_argument(
        "--detector",
        type=pathlib.Path,
        help="ONNX file of a detector: its false detections become samples of non-tiles",
    )
    parser.add_argument(
        "--clutter", type=pathlib.Path, nargs="*", default=[], help="folders of cluttered rendered tables"
    )
    parser.add_argument(
        "--scenes", action="store_true", help="draw scenes without tiles and add the detector's false detections there"
    )
    parser.add_argument("--verifier", action="store_true", help="train the verifier, the wider network")
    parser.add_argument("--widen", type=pathlib.Path, help="checkpoint of a classifier to widen into a verifier")
    parser.add_argument(
        "--unsure",
        type=pathlib.Path,
        help="ONNX file of the classifier: the verifier learns from the crops it is least sure of",
    )
    args = parser.parse_args()
    if args.scenes and not args.detector:
        parser.error("--scenes needs a detector: name one with --detector")
    train(args)


if __name__ == "__main__":
    main()
