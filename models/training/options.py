"""The options that both trainings share: what to learn from, where to start, how long."""

from __future__ import annotations

import argparse
import pathlib


def training_parser(
    text: str | None, *, photo_share: float, minutes: float, batch: int, rate: float, feeders: int
) -> argparse.ArgumentParser:
    """Return a parser with the options of every training, with these defaults; `text` is its help."""
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rendered", type=pathlib.Path, nargs="*", default=[], help="folders of rendered tables")
    parser.add_argument("--photos", type=pathlib.Path, help="folder of the annotated photos")
    parser.add_argument(
        "--leave-out", nargs="*", default=[], metavar="SESSION", help="sessions of photos that are not trained on"
    )
    parser.add_argument(
        "--photo-share", type=float, default=photo_share, help="share of the crops that are from photos"
    )
    parser.add_argument("--start", type=pathlib.Path, help="checkpoint to start from")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="checkpoint to write, and to go on from")
    parser.add_argument("--minutes", type=float, default=minutes)
    parser.add_argument("--batch", type=int, default=batch)
    parser.add_argument("--rate", type=float, default=rate)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--feeders", type=int, default=feeders, help="processes that make samples")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--bfloat16", action="store_true", help="half the numbers' width: sooner where the processor has them"
    )
    parser.add_argument("--device", default="cpu", help="where the network learns, such as cuda; samples are made here")
    parser.add_argument("--rounded", action="store_true", help="learn with the rounding to 8 bits that ships")
    return parser
