"""Calibrate the confidence of the networks and choose the threshold for flagging: `vision/scoring/calibration.py`.

    python -m tilekeeper.models.calibration.calibrate [--tables FOLDER] [--few FOLDER] [--networks FOLDER]

reads rendered tables and racks and writes weights and threshold into the manifest of the networks. A missing folder is
rendered first, from the training pool and with other seeds than the training data. Many tables have one to three tiles,
like the start of a game; every other image is made harder by `models/evaluation/harder.py`. Before the confidence, the
command fits the embedding space of glyphs (`models/calibration/figure_space.py`); afterwards, also on cluttered tables,
the regression that separates tiles from non-tiles (`models/calibration/tileness.py`). It never reads held-out data.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import pathlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any

import cv2
import numpy as np

from tilekeeper.models.calibration.figure_space import features_of, fit_space, write_space
from tilekeeper.models.calibration.logistic import left_out, logistic
from tilekeeper.models.calibration.tileness import WAYS as TILE_WAYS
from tilekeeper.models.calibration.tileness import fit_tile_or_not, tileness_features_on, with_lamps, write_tile_or_not
from tilekeeper.models.evaluation.harder import Harder
from tilekeeper.models.evaluation.measure import Pictured, predictions_of, racks_in, scored_tiles, tables_in
from tilekeeper.models.evaluation.reliability import (
    Threshold,
    bins_of,
    calibration_error,
    thresholds_of,
)
from tilekeeper.models.evaluation.score import Truth, match
from tilekeeper.models.export.atomic_write import write_manifest
from tilekeeper.vision.detection.detector import TileDetector
from tilekeeper.vision.finetune.own_sets import build_classifier
from tilekeeper.vision.manifest import digests_of, load_sessions
from tilekeeper.vision.pipeline import Reader
from tilekeeper.vision.scoring.calibration import FEATURES, Calibration, ReaderLimits, confidence_features
from tilekeeper.vision.scoring.membership import MIN_ISOLATED_TILE_PROB
from tilekeeper.vision.scoring.tileness import FEATURES as TILENESS_FEATURES
from tilekeeper.vision.tile_table import NONE, TileTable
from tilekeeper.vision.types import JOINT_NOT_A_TILE, LabelProbabilities, ReadTile, label_of

SEED, COUNT = 4242, 500
FEW_SEED, FEW_COUNT = 6161, 600
CLUTTERED_SEED, CLUTTERED_COUNT, THINGS = 9292, 600, 7
RACKS_SEED, RACKS_COUNT = 4747, 60
SILENT_PER_10000 = 1.0
"""Target: at most one silent error in 10,000 tiles."""
MOST_DOUBTED = 0.04
"""Limit: at most 4 % of the right tiles are flagged. Half the tables are harder than real ones, where about half as
many are flagged. A needless question is less bad than a silent error."""
ALWAYS, LEAST_GAIN = frozenset({"name_log_odds", "few"}), 0.003
"""Features that are always used, and the relative decrease of the loss that adds another one. Tables with few
tiles are a small part of the samples, but every game starts with one, so each tile is also a sample as if alone."""
WAYS = np.ones(len(FEATURES))
"""Direction of each feature: the probability grows with all of them."""
CHOICES = 1 - np.geomspace(0.5, 1e-4, 200)
"""Candidate thresholds for `doubtful_below`."""


@dataclass(frozen=True, slots=True)
class Samples:
    """N classified tiles as samples of the fit.

    `features (N, S)`: as in `FEATURES`; `right (N,)`: mask of right labels; `flagged (N,)`: mask of tiles flagged for
    another reason than confidence; `table (N,)`: index of the image; `plain (N,)`: confidence without a fit; `alone
    (N,)`: mask of tiles classified as if alone on the table, which count for the fit, but not for the threshold.
    """

    features: np.ndarray
    right: np.ndarray
    flagged: np.ndarray
    table: np.ndarray
    plain: np.ndarray
    alone: np.ndarray


@dataclass(frozen=True, slots=True)
class Fit:
    """A fitted confidence: weights of `FEATURES`, a bias, and the threshold for flagging.

    `point`: the threshold and its effect in cross-validation.
    """

    weights: np.ndarray
    bias: float
    point: Threshold
    error: float
    """The calibration error in cross-validation."""


class ConfidenceRecorder:
    """Replacement of the reader's confidence that records each tile's features, keyed by its label probabilities."""

    def __init__(self) -> None:
        self._recorded: dict[bytes, tuple[np.ndarray, LabelProbabilities]] = {}

    def __call__(self, tiles: TileTable) -> np.ndarray:
        """Record the features; return the probability of each tile's most likely label as the confidence."""
        alone = map(LabelProbabilities, tiles.own_number_log_probs, tiles.own_ink_log_probs)
        names = map(LabelProbabilities, tiles.joint_number_log_probs, tiles.joint_ink_log_probs)
        features = confidence_features(tiles.joint_log_probs, tiles.person_label != NONE)
        for name, row, own_features in zip(names, features, alone, strict=True):
            self._recorded[_key(name)] = row, own_features
        confidence: np.ndarray = np.exp(tiles.joint_log_probs[:, :JOINT_NOT_A_TILE].max(axis=1))
        return confidence

    def features(self, tile: ReadTile) -> np.ndarray | None:
        """Return the features of a tile; None for a tile that was added unlabelled and therefore not recorded."""
        recorded = self._recorded.get(_key(tile.sighting.names))
        return None if recorded is None else recorded[0]

    def alone(self, tile: ReadTile) -> tuple[np.ndarray, LabelProbabilities]:
        """Return the features and label probabilities of a tile as if it were the only one on the table."""
        names = self._recorded[_key(tile.sighting.names)][1]
        return confidence_features(names.log_probs[None], np.zeros(1, bool))[0], names


def _key(names: LabelProbabilities) -> bytes:
    """Return a key for the label probabilities of one tile."""
    return names.log_probs.tobytes()


HARDER = ("small", "lamp", "dark", "shaken", "aslant")
"""The ways to make every other table harder, in turn. A new way requires a new fit for all networks."""


def made_harder(
    pictures: Iterable[Pictured], usual_px: float = 40.0, first: int = 0
) -> Iterator[tuple[np.ndarray, Truth]]:
    """Yield images with ground truth, every second image made harder; `first` is the index of the first image."""
    for index, pictured in enumerate(pictures, first):
        if index % 2:
            yield Harder(HARDER[index // 2 % len(HARDER)], usual_px, SEED).apply(index, pictured)
        else:
            yield np.asarray(pictured.load()), pictured.truth


def gather(
    pictures: Iterable[Pictured], networks: pathlib.Path | None, usual_px: float = 40.0, first: int = 0
) -> Samples:
    """Read images, every second image made harder; return two samples of each scored tile, one as if it lay alone.

    False detections are dropped: confidence is about the label of a tile, and `tileness` is fitted separately.
    """
    sessions = load_sessions(2, folder=networks)
    recorder, limits = ConfidenceRecorder(), ReaderLimits.of_manifest(sessions.manifest)
    fits = Calibration(limits, recorder, sessions.figures)
    reader = Reader(TileDetector(sessions.detector), build_classifier(sessions), fits)
    rows: list[tuple[np.ndarray, bool, bool, int, float, bool]] = []
    for index, (image, truth) in enumerate(made_harder(pictures, usual_px, first), first):
        reading = reader.read(image)
        for one in scored_tiles(truth, reading, match(truth, predictions_of(reading))):
            row = recorder.features(one.tile)
            if one.true_label is None or row is None:
                continue
            names = one.tile.sighting.names
            # The decoder may have changed the label of a flagged tile, but the features are those of its likeliest one.
            label = label_of(int(names.log_probs[:JOINT_NOT_A_TILE].argmax()))
            plain = one.tile.confidence
            is_flagged = one.tile.doubtful and plain >= limits.doubtful_below
            rows.append((row, label == one.true_label, is_flagged, index, plain, False))
            features, names = recorder.alone(one.tile)
            label = label_of(int(names.log_probs[:JOINT_NOT_A_TILE].argmax()))
            rows.append((features, label == one.true_label, False, index, plain, True))
    return Samples(
        np.array([row[0] for row in rows]).reshape(-1, len(FEATURES)),
        np.array([row[1] for row in rows], bool),
        np.array([row[2] for row in rows], bool),
        np.array([row[3] for row in rows], int),
        np.array([row[4] for row in rows], float),
        np.array([row[5] for row in rows], bool),
    )


def fit(samples: Samples, tables: int | None = None) -> Fit:
    """Fit the weights on all images, and choose the threshold by cross-validation on the first `tables` images.

    Racks come last and are left out of that choice, because they have many more hard tiles. With racks, the threshold
    would let more errors pass on tables.
    """
    used = helpful(samples)
    fitted, right, table = _left_out(samples, used), samples.right, ~samples.alone
    if tables is not None:
        table &= samples.table < tables
    point = choose(thresholds_of(fitted[table], right[table], samples.flagged[table], CHOICES.tolist()))
    weights, bias = logistic(samples.features, right, WAYS, _among(used))
    return Fit(weights, bias, point, calibration_error(bins_of(fitted[table], right[table])))


def helpful(samples: Samples) -> frozenset[str]:
    """Forward selection: return the features to use, adding the feature that lowers the validation loss most each time.

    A feature that helps only on the fitted tables would make confidence worse on other tables.
    """
    used = ALWAYS
    loss = _loss(samples, used)
    while len(used) < len(FEATURES):
        losses = {feature: _loss(samples, used | {feature}) for feature in FEATURES if feature not in used}
        best = min(losses, key=losses.__getitem__)
        if losses[best] > loss * (1 - LEAST_GAIN):
            break
        used, loss = used | {best}, losses[best]
    return used


def _among(used: frozenset[str]) -> np.ndarray:
    return np.array([feature in used for feature in FEATURES])


def _loss(samples: Samples, used: frozenset[str]) -> float:
    """Return the mean log loss in cross-validation of a fit with the features `used`."""
    fitted = np.clip(_left_out(samples, used), 1e-9, 1 - 1e-9)
    return float(-np.log(np.where(samples.right, fitted, 1 - fitted)).mean())


def _left_out(samples: Samples, used: frozenset[str]) -> np.ndarray:
    """Return the confidence `(N,)` of each tile by a fit to the other tables (cross-validation)."""
    return left_out(samples.features, samples.right, samples.table, WAYS, _among(used))


def choose(thresholds: Sequence[Threshold]) -> Threshold:
    """Return the lowest threshold that meets the target of silent errors, or else the highest that keeps the limit."""
    allowed = [one for one in thresholds if one.doubted <= MOST_DOUBTED] or [thresholds[0]]
    return next((one for one in allowed if one.silent_per_10000 <= SILENT_PER_10000), allowed[-1])


def record(fitted: Fit, samples: Samples, manifest_path: pathlib.Path, about: str) -> None:
    """Write the fit into a manifest, under `reader`."""
    manifest = json.loads(manifest_path.read_text("utf-8"))
    manifest["reader"] = manifest.get("reader", {}) | {
        "doubtful_below": round(fitted.point.at, 5),
        "confidence": {
            "weights": {feature: round(float(w), 5) for feature, w in zip(FEATURES, fitted.weights, strict=True)},
            "bias": round(fitted.bias, 5),
            "fitted_on": about,
            "networks": digests_of(manifest),
            "tiles": int(np.count_nonzero(~samples.alone)),
            "silent_per_10000": fitted.point.silent_per_10000,
            "doubted": fitted.point.doubted,
            "calibration_error": fitted.error,
        },
    }
    write_manifest(manifest, manifest_path)


PART = 24
"""Number of images that a worker process reads at once."""
_Step = Callable[[Sequence[Pictured], pathlib.Path | None, int], tuple[np.ndarray, ...]]


def _figures_of_part(pictures: Sequence[Pictured], networks: pathlib.Path | None, first: int) -> tuple[np.ndarray, ...]:
    return features_of(made_harder(pictures, first=first), networks, first)


def _samples_of_part(pictures: Sequence[Pictured], networks: pathlib.Path | None, first: int) -> tuple[np.ndarray, ...]:
    samples = gather(pictures, networks, first=first)
    return tuple(getattr(samples, column.name) for column in fields(samples))


def _tileness_features_of_part(
    pictures: Sequence[Pictured], networks: pathlib.Path | None, first: int
) -> tuple[np.ndarray, ...]:
    return tileness_features_on(with_lamps(made_harder(pictures, first=first), first), networks, first)


def _parts(what: _Step, pictures: Sequence[Pictured], networks: pathlib.Path | None) -> list[tuple[Any, ...]]:
    return [(what, pictures[at : at + PART], networks, at) for at in range(0, len(pictures), PART)]


def _read_part(part: tuple[_Step, Sequence[Pictured], pathlib.Path | None, int]) -> tuple[np.ndarray, ...]:
    what, pictures, networks, first = part
    cv2.setNumThreads(1)
    return what(pictures, networks, first)


def main(arguments: list[str] | None = None) -> int:
    """Run the command."""
    from rich.console import Console
    from rich.progress import track

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--tables",
        type=pathlib.Path,
        default=pathlib.Path("var/calibration"),
        help=f"tables of all layouts; {COUNT} are rendered where the folder is missing",
    )
    parser.add_argument(
        "--share", type=float, default=1.0, help="share of all these tables to render where folders are missing"
    )
    parser.add_argument(
        "--few",
        type=pathlib.Path,
        default=pathlib.Path("var/calibration-few"),
        help=f"tables with one to three tiles; {FEW_COUNT} are rendered where the folder is missing",
    )
    parser.add_argument(
        "--cluttered",
        type=pathlib.Path,
        default=pathlib.Path("var/calibration-things"),
        help=f"tables with {THINGS} other objects on each; {CLUTTERED_COUNT} are rendered where the folder is missing",
    )
    parser.add_argument(
        "--racks",
        type=pathlib.Path,
        default=pathlib.Path("var/calibration-racks"),
        help=f"racks; {RACKS_COUNT} are rendered where the folder is missing",
    )
    parser.add_argument("--networks", type=pathlib.Path, help="a folder with networks (default: the shipped ones)")
    parser.add_argument("--jobs", type=int, default=1, help="number of worker processes (default: %(default)s)")
    parser.add_argument("--dry-run", action="store_true", help="print the fit without writing the manifest")
    args = parser.parse_args(arguments)
    counts = [max(8, round(args.share * count)) for count in (COUNT, FEW_COUNT, CLUTTERED_COUNT, RACKS_COUNT)]
    pictures = tables_in(args.tables, counts[0], "train", SEED)
    few = tables_in(args.few, counts[1], "train", FEW_SEED, layout="few")
    racks = racks_in(args.racks, counts[3], RACKS_SEED, "train")
    cluttered: list[Pictured] = []
    if not args.dry_run:
        cluttered = tables_in(args.cluttered, counts[2], "train", CLUTTERED_SEED, things=THINGS)
    folder = args.networks or pathlib.Path(__file__).parents[1]
    manifest_path, console = folder / "manifest.json", Console(stderr=True)
    about = f"{len(pictures)} tables of the pool train (seed {SEED}), every other one made harder"
    with_few = f"{about}, and {len(few)} with one to three tiles (seed {FEW_SEED}) and {len(racks)} racks"
    with_few += f" (seed {RACKS_SEED}), likewise"

    def read(what: _Step, pictures: Sequence[Pictured], words: str) -> tuple[np.ndarray, ...]:
        parts = _parts(what, pictures, args.networks)
        with multiprocessing.get_context("spawn").Pool(args.jobs) as workers:
            done = track(workers.imap(_read_part, parts), description=words, total=len(parts), console=console)
            some_read = [columns for columns in done if len(columns[-1])]
            return tuple(np.concatenate(columns) for columns in zip(*some_read, strict=True))

    if not args.dry_run:
        write_space(fit_space(*read(_figures_of_part, pictures, "Comparing figures")), folder, about)
    samples = Samples(*read(_samples_of_part, [*pictures, *few, *racks], "Reading tables"))
    fitted = fit(samples, len(pictures) + len(few))
    _print_fit(fitted, samples, len(pictures) + len(few) + len(racks))
    if args.dry_run:
        return 0
    record(fitted, samples, manifest_path, with_few)
    features, true, tables = read(
        _tileness_features_of_part, [*pictures, *few, *racks, *cluttered], "Looking for what is no tile"
    )
    is_tile = fit_tile_or_not(features, true)
    about = (
        f"{with_few}, and {len(cluttered)} with {THINGS} other things on each (seed {CLUTTERED_SEED}), likewise;"
        " reflections on some tiles of every sixth"
    )
    is_dropped = left_out(features, true, tables, TILE_WAYS) < MIN_ISOLATED_TILE_PROB
    write_tile_or_not(is_tile, true, is_dropped, manifest_path, about)
    print(f"{len(true)} asked about, {np.count_nonzero(~true)} of them no tiles")
    _print_weights(TILENESS_FEATURES, is_tile.weights, is_tile.bias)
    lost = f"{is_dropped[~true].sum()} no tiles, {is_dropped[true].sum()} tiles"
    print(f"less likely than {MIN_ISOLATED_TILE_PROB}, left out of the fit: {lost}")
    return 0


def _print_fit(fitted: Fit, samples: Samples, tables: int) -> None:
    for words, which in (("", ~samples.alone), (" as if each lay by itself", samples.alone)):
        wrong = np.count_nonzero(~samples.right[which])
        print(f"{tables} tables, {np.count_nonzero(which)} tiles named{words}, {wrong} of them wrong")
    _print_weights(FEATURES, fitted.weights, fitted.bias)
    before = calibration_error(bins_of(samples.plain[~samples.alone], samples.right[~samples.alone]))
    print(f"calibration error {before:.5f} as the networks say it, {fitted.error:.5f} fitted (tables left out)")
    print(
        f"doubtful below {fitted.point.at:.5f}: {fitted.point.silent_per_10000:.2f} of 10,000 wrong in silence,"
        f" {100 * fitted.point.doubted:.2f} % of the right ones in doubt"
    )


def _print_weights(features: Sequence[str], weights: Sequence[float] | np.ndarray, bias: float) -> None:
    for feature, weight in zip((*features, "bias"), (*weights, bias), strict=True):
        print(f"  {feature:18}{weight:9.4f}")


if __name__ == "__main__":
    raise SystemExit(main())
