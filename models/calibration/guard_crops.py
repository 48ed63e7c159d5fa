"""Make the guard crops of fine-tuning from rendered tables: they keep a new last layer close to the shipped one.

    python -m tilekeeper.models.calibration.guard_crops --trained var/train --kept-out var/kept-out

writes `adapt-check.npz` into the folder of the networks. Crops to fit against come from tables in trained printings,
crops to measure on from held-out printings. `tilekeeper.vision.finetune.labelled_crops` loads them.
"""

from __future__ import annotations

import argparse
import itertools
import pathlib

import cv2
import numpy as np

from tilekeeper.models.training.classifier_samples import random_quad
from tilekeeper.models.training.sources import Source, rendered_sources, widths_px
from tilekeeper.vision.finetune.labelled_crops import FILE, LabelledCrops, pack_sheet
from tilekeeper.vision.recognition.classifier import crop_tiles
from tilekeeper.vision.types import NO_TILE_LABEL, NOT_A_TILE

QUALITY = 84
TURNED, NO_TILE = 0.12, 0.06
"""Shares of upside-down crops and of non-tiles."""
MIN_WIDTH_PX = 16
"""Narrower tiles are dropped: guard crops must be readable."""
CORNER_NOISE, QUAD_NOISE = 0.012, 0.03
"""Standard deviations of the errors of single corners and of whole quads, in tile widths, as in refined detections."""


def crops_of(sources: list[Source], count: int, rng: np.random.Generator) -> LabelledCrops:
    """Return `count` crops, spread evenly over the tables; some are upside down, some are non-tiles.

    Raises `SystemExit` if the tables have too few readable tiles.
    """
    crops: list[np.ndarray] = []
    labels: list[str] = []
    turned: list[bool] = []
    each = -(-count // len(sources))
    for source in itertools.islice(itertools.cycle(sources), 3 * len(sources)):
        image, widths = source.image(), widths_px(source.quads_px)
        sure = np.flatnonzero(source.sure & (widths >= MIN_WIDTH_PX))
        for at in rng.permutation(sure)[:each]:
            if len(crops) < count:
                upside_down = rng.random() < TURNED
                quad = (
                    source.quads_px[at]
                    + (rng.normal(0, CORNER_NOISE, (4, 2)) + rng.normal(0, QUAD_NOISE, 2)) * widths[at]
                )
                crops.append(_crop(image, np.roll(quad, 2, axis=0) if upside_down else quad))
                labels.append(source.labels[at])
                turned.append(upside_down)
        if len(sure) and len(crops) < count and rng.random() < NO_TILE * each:
            quad = random_quad(rng, source, float(np.median(widths)), image.shape[1::-1])
            distances = np.linalg.norm(source.quads_px.mean(axis=1) - quad.mean(axis=0), axis=1)
            if distances.min() > 0.42 * np.median(widths) and not source.hidden_px.size:
                crops.append(_crop(image, quad))
                labels.append(NO_TILE_LABEL)
                turned.append(False)
        if len(crops) == count:
            break
    else:
        raise SystemExit(f"the tables hold {len(crops)} readable tiles; {count} are needed")
    upright = LabelledCrops.from_labels(crops, labels)
    return LabelledCrops(upright.crops, upright.numbers, upright.inks, np.array(turned))


def _crop(image: np.ndarray, quad_px: np.ndarray) -> np.ndarray:
    crop: np.ndarray = crop_tiles(image, quad_px[None].astype(np.float32))[0][0].astype(np.uint8)
    return crop


def write(target: pathlib.Path, parts: dict[str, LabelledCrops]) -> None:
    """Write all parts into one file, the crops of each part as one WebP image."""
    coding = [cv2.IMWRITE_WEBP_QUALITY, QUALITY]
    arrays: dict[str, np.ndarray] = {}
    for name, lessons in parts.items():
        arrays[f"{name}_webp"] = cv2.imencode(".webp", pack_sheet(lessons.crops), coding)[1].ravel()
        arrays[f"{name}_numbers"] = lessons.numbers.astype(np.int8)
        arrays[f"{name}_inks"] = lessons.inks.astype(np.int8)
        arrays[f"{name}_turned"] = lessons.turned
    with target.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trained", type=pathlib.Path, required=True, help="tables in trained printings")
    parser.add_argument("--kept-out", type=pathlib.Path, required=True, help="tables in held-out printings")
    parser.add_argument("--held", type=int, default=600, help="how many crops to fit against")
    parser.add_argument("--check", type=int, default=720, help="how many crops to measure on")
    parser.add_argument(
        "--to", type=pathlib.Path, default=pathlib.Path(__file__).parents[1], help="the folder to write to"
    )
    parser.add_argument("--seed", type=int, default=11)
    args = parser.parse_args()
    rng = np.random.default_rng(args.seed)
    parts = {}
    for name, folder, count in (("held", args.trained, args.held), ("check", args.kept_out, args.check)):
        sources = [source for source in rendered_sources(folder) if len(source.quads_px)]
        order = rng.permutation(len(sources))[:count]
        parts[name] = crops_of([sources[i] for i in order], count, rng)
    write(args.to / FILE, parts)
    no_tile = sum(int((part.numbers == NOT_A_TILE).sum()) for part in parts.values())
    size = (args.to / FILE).stat().st_size
    print(f"{args.to / FILE}: {args.held} + {args.check} crops, {no_tile} of them no tile, {size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
