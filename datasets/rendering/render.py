"""Render a folder of racks or tables with ground truth, in parallel processes; a stopped run can be resumed.

    python -m tilekeeper.datasets.rendering.render OUT --count 300 --pool kept-out --seed 7 --jobs 2

writes `images/NNNNN.jpg`, the masks of tile faces `masks/NNNNN.png`, the ground truth of each image
`truth/NNNNN.json` and, last of all, `photos.json` in the format of the annotated photos. Image k depends only on the
seed and k.
"""

from __future__ import annotations

import argparse
import functools
import json
import multiprocessing
import os
import pathlib
import sys
import time
from collections.abc import Iterable
from typing import Any

import cv2
import drjit
import numpy as np

from tilekeeper.datasets.rendering.raytracer import choose_variant
from tilekeeper.datasets.rendering.scene import Layout, render_picture
from tilekeeper.datasets.synthesis.printings.printing import Pool

REPORT_S = 20.0  # time between two lines of progress


def render_one(index: int, out: pathlib.Path, seed: int, options: dict[str, Any]) -> float:
    """Render one image and its mask into the folder `out`, and its ground truth last; return the time in seconds."""
    start, name = time.monotonic(), f"{index:05d}"
    picture = render_picture(np.random.default_rng([seed, index]), name=f"{name}.jpg", **options)
    cv2.imwrite(str(out / "images" / f"{name}.jpg"), picture.image_bgr, [cv2.IMWRITE_JPEG_QUALITY, 94])
    cv2.imwrite(str(out / "masks" / f"{name}.png"), picture.mask)
    unfinished = out / "truth" / f"{name}.part"
    unfinished.write_text(json.dumps(picture.entry), encoding="utf-8")
    os.replace(unfinished, out / "truth" / f"{name}.json")
    return time.monotonic() - start


def _start_worker() -> None:
    """Limit a worker process to one thread, because images are rendered in parallel processes."""
    choose_variant()
    cv2.setNumThreads(1)
    drjit.set_thread_count(1)


def _report(durations_s: Iterable[float], count: int, jobs: int) -> None:
    """Print the seconds per image and the remaining time to standard error, every `REPORT_S` seconds."""
    total_s, last = 0.0, 0.0
    for done, seconds in enumerate(durations_s, start=1):
        total_s += seconds
        if time.monotonic() - last > REPORT_S or done == count:
            last = time.monotonic()
            each, remaining_min = total_s / done, total_s / done * (count - done) / jobs / 60
            print(f"{done} of {count} pictures, {each:.1f} s each, {remaining_min:.0f} min remain", file=sys.stderr)


def render_folder(
    out: pathlib.Path, count: int, pool: Pool, seed: int, jobs: int = 2, layout: Layout = "rack", **options: Any
) -> None:
    """Render `count` images into the folder `out`, except finished ones; `photos.json` is written last."""
    for folder in ("images", "masks", "truth"):
        (out / folder).mkdir(parents=True, exist_ok=True)
    missing = [k for k in range(count) if not (out / "truth" / f"{k:05d}.json").is_file()]
    render = functools.partial(render_one, out=out, seed=seed, options={"pool": pool, "layout": layout, **options})
    if jobs > 1 and missing:
        with multiprocessing.get_context("spawn").Pool(jobs, _start_worker) as workers:
            _report(workers.imap_unordered(render, missing), len(missing), jobs)
    elif missing:
        _start_worker()
        _report(map(render, missing), len(missing), 1)
    entries = [json.loads((out / "truth" / f"{k:05d}.json").read_text("utf-8")) for k in range(count)]
    (out / "photos.json").write_text(json.dumps({"photos": entries}), encoding="utf-8")


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", metavar="OUT", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--pool", choices=("train", "kept-out", "any"), default="train")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--layout", choices=("rack", "melds"), default="rack")
    parser.add_argument("--samples", type=int, help="samples of light per pixel")
    render_folder(**vars(parser.parse_args()))


if __name__ == "__main__":
    main()
