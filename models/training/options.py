"""Command-line options of both training scripts: data, start and length of the training."""

from __future__ import annotations

import argparse
import pathlib


def training_parser(
    text: str | None, *, photo_share: float, minutes: float, batch: int, rate: float, feeders: int
) -> argparse.ArgumentParser:
    """Return a parser with the options of both training scripts; `text` is its description, the others are defaults."""
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rendered", type=pathlib.Path, nargs="*", default=[], help="folders of rendered tables")
    parser.add_argument("--photos", type=pathlib.Path, help="folder of the annotated photos")
    parser.add_argument("--leave-out", nargs="*", default=[], metavar="SESSION", help="sessions of photos to hold out")
    parser.add_argument(
        "--photo-share", type=float, default=photo_share, help="share of the crops that come from photos"
    )
    parser.add_argument("--start", type=pathlib.Path, help="checkpoint to start from")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="checkpoint to write and to resume from")
    parser.add_argument("--minutes", type=float, default=minutes)
    parser.add_argument("--batch", type=int, default=batch)
    parser.add_argument("--rate", type=float, default=rate)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--feeders", type=int, default=feeders, help="processes that make samples")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--bfloat16", action="store_true", help="compute in bfloat16: faster where the processor supports it"
    )
    parser.add_argument("--device", default="cpu", help="device of the network, such as cuda")
    parser.add_argument("--rounded", action="store_true", help="train with rounding to 8 bits, as shipped")
    return parser
