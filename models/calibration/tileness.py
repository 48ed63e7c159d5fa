"""Fit the logistic regression that separates tiles from non-tiles (`vision/scoring/tileness.py`).

`tilekeeper.models.calibration.calibrate` runs it after the fit of the confidence, on the same tables and on cluttered
ones. Every other table is made harder; every sixth has reflections (`models/evaluation/reflections.py`). The samples
are all candidates that a reader checks for being a tile.
"""

from __future__ import annotations

import json
import pathlib
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from tilekeeper.models.calibration.logistic import logistic
from tilekeeper.models.evaluation.measure import predictions_of, scored_tiles
from tilekeeper.models.evaluation.reflections import with_reflections
from tilekeeper.models.evaluation.score import Truth, match
from tilekeeper.models.export.atomic_write import write_manifest
from tilekeeper.vision.detection.detector import TileDetector
from tilekeeper.vision.finetune.own_sets import build_classifier
from tilekeeper.vision.manifest import digests_of, load_sessions
from tilekeeper.vision.pipeline import Reader
from tilekeeper.vision.scoring.calibration import Calibration, TileOrNot
from tilekeeper.vision.scoring.tileness import FALLING, FEATURES, AmongTiles, tileness_features

EVERY, SEED = 6, 77
"""Every sixth image has reflections of lamps."""
WAYS = np.array([-1 if feature in FALLING else 1 for feature in FEATURES])  # direction of each feature, see `logistic`


class CandidateRecorder:
    """Replacement of `TileOrNot` that records the features of all candidates and accepts each of them as a tile."""

    def __init__(self) -> None:
        self._recorded: dict[bytes, np.ndarray] = {}

    def __call__(self, among: AmongTiles, at: np.ndarray) -> np.ndarray:
        """Record the features of the candidates; return the probability 1 for each."""
        numbers = among.tiles.joint_number_log_probs[at]
        self._recorded |= {
            one.tobytes(): features for one, features in zip(numbers, tileness_features(among, at), strict=True)
        }
        return np.ones(len(at))

    def taken(self) -> dict[bytes, np.ndarray]:
        """Return the features recorded since the last call, keyed by the bytes of number probabilities; clear them."""
        recorded, self._recorded = self._recorded, {}
        return recorded


def with_lamps(pictures: Iterable[tuple[np.ndarray, Truth]], first: int = 0) -> Iterator[tuple[np.ndarray, Truth]]:
    """Yield the images, one in `EVERY` with reflections of lamps on tiles; `first` is the index of the first image."""
    for index, (image, truth) in enumerate(pictures, first):
        rng = np.random.default_rng([SEED, index])
        yield (image if index % EVERY else with_reflections(rng, image, truth)), truth


def tileness_features_on(
    pictures: Iterable[tuple[np.ndarray, Truth]], networks: pathlib.Path | None, first: int = 0
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Read images; return the features `(N, S)` of all candidates, the mask `(N,)` of tiles, and image indices `(N,)`.

    `first` is the index of the first image.
    """
    sessions, recorder = load_sessions(2, folder=networks), CandidateRecorder()
    fits = replace(Calibration.of_manifest(sessions.manifest, sessions.figures), is_tile=recorder)
    reader = Reader(TileDetector(sessions.detector), build_classifier(sessions), fits)
    features: list[np.ndarray] = []
    true: list[bool] = []
    tables: list[int] = []
    for table, (image, truth) in enumerate(pictures, first):
        reading = reader.read(image)
        recorded = recorder.taken()
        for one in scored_tiles(truth, reading, match(truth, predictions_of(reading))):
            row = recorded.get(one.tile.sighting.names.number_log_probs.tobytes())
            if row is not None:
                features.append(row)
                true.append(one.true_label is not None)
                tables.append(table)
    return np.array(features).reshape(-1, len(FEATURES)), np.array(true, bool), np.array(tables, int)


def fit_tile_or_not(features: np.ndarray, true: np.ndarray) -> TileOrNot:
    """Fit the weights to `features (N, S)` of candidates; `true (N,)`: mask of those that are tiles."""
    weights, bias = logistic(features, true, WAYS)
    return TileOrNot(tuple(weights.tolist()), bias)


def write_tile_or_not(
    fitted: TileOrNot, true: np.ndarray, is_dropped: np.ndarray, manifest_path: pathlib.Path, about: str
) -> None:
    """Write the fit into a manifest, under `reader`, with the numbers of its samples.

    `true (N,)`: mask of the tiles among the samples; `is_dropped (N,)`: mask of the samples that a fit to other tables
    would drop; `about`: the data of the fit, in words.
    """
    manifest = json.loads(manifest_path.read_text("utf-8"))
    manifest["reader"] = manifest.get("reader", {}) | {
        "tile_or_not": {
            "weights": {feature: round(weight, 5) for feature, weight in zip(FEATURES, fitted.weights, strict=True)},
            "bias": round(fitted.bias, 5),
            "fitted_on": about,
            "networks": digests_of(manifest),
            "tiles": int(np.count_nonzero(true)),
            "no_tiles": int(np.count_nonzero(~true)),
            "tiles_left_out": int(np.count_nonzero(is_dropped & true)),
            "no_tiles_left_out": int(np.count_nonzero(is_dropped & ~true)),
        }
    }
    write_manifest(manifest, manifest_path)
