"""Linear discriminant analysis: fit the space in which printings differ (`vision/recognition/glyph_embedding.py`).

`tilekeeper.models.calibration.calibrate` runs it on its tables before it fits the confidence. Every annotated tile is
cropped with corners as inexact as those of detections. The classifier's features of one number on one table give the
variance within a printing; the means of the tables give the variance between printings.
"""

from __future__ import annotations

import hashlib
import json
import pathlib
from collections.abc import Iterable

import numpy as np

from tilekeeper.models.evaluation.score import Truth
from tilekeeper.models.export.atomic_write import write_manifest
from tilekeeper.vision.manifest import load_sessions
from tilekeeper.vision.recognition.classifier import crop_tiles, whiten_to_bytes
from tilekeeper.vision.recognition.glyph_embedding import FigureSpace
from tilekeeper.vision.runtime.network import space_to_depth
from tilekeeper.vision.types import NUMBERS

FILE = "classifier-figures.npz"
AXES = 12
"""Number of discriminant axes; further ones carry no information."""
OFF = 0.03
"""Standard deviation of the error of refined corners, in tile widths."""
RIDGE, LEAST_SPREAD = 0.01, 0.05
SEED = 12


def features_of(
    pictures: Iterable[tuple[np.ndarray, Truth]], networks: pathlib.Path | None, first: int = 0
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the classifier's features `(N, F)` of all whole numbered tiles, their numbers and table indices `(N,)`.

    Numbers are 0 to 12; `first` is the index of the first table.
    """
    classifier = load_sessions(2, folder=networks).classifier
    features, numbers, tables = [], [], []
    for table, (image, truth) in enumerate(pictures, first):
        rng = np.random.default_rng([SEED, table])
        assert truth.quads_px is not None
        at = [i for i, label in enumerate(truth.labels) if label != "joker" and not truth.cut[i]]
        if not at:
            continue
        quads = np.asarray(truth.quads_px, np.float32)[at]
        widths = np.linalg.norm(quads[:, 1] - quads[:, 0], axis=1)[:, None, None]
        quads = (quads + OFF * widths * rng.normal(size=quads.shape)).astype(np.float32)
        features.append(
            classifier.run(["features"], {"crops": space_to_depth(whiten_to_bytes(crop_tiles(image, quads)[0]))})[0]
        )
        numbers += [int(truth.labels[i].rpartition("-")[2]) - 1 for i in at]
        tables += [table] * len(at)
    all_features = np.concatenate(features).astype(np.float64) if features else np.zeros((0, 0))
    return all_features, np.array(numbers, int), np.array(tables, int)


def fit_space(features: np.ndarray, numbers: np.ndarray, tables: np.ndarray) -> FigureSpace:
    """Fit the space to features `(N, F)` of tiles; `numbers (N,)` are 0 to 12, `tables (N,)` the index of the table."""
    usual = np.array([features[numbers == number].mean(axis=0) for number in range(NUMBERS)])
    groups, tiles, shrink = 0, 0, 0.0
    within, between = np.zeros((2, features.shape[1], features.shape[1]))
    for group in _groups(numbers, tables):
        mean = features[group].mean(axis=0)
        deviations, shift = features[group] - mean, mean - usual[numbers[group[0]]]
        within += deviations.T @ deviations
        between += np.outer(shift, shift)
        groups, tiles, shrink = groups + 1, tiles + len(group) - 1, shrink + 1 / len(group)
    within, between = within / tiles, between / groups
    # The mean of a few tiles has a variance itself, which is subtracted.
    between = between - within * shrink / groups
    within = within + RIDGE * np.trace(within) / len(within) * np.eye(len(within))
    whiten_by = np.linalg.inv(np.linalg.cholesky(within))
    spread, turned = np.linalg.eigh(whiten_by @ between @ whiten_by.T)
    best = np.argsort(-spread)[:AXES]
    axes = whiten_by.T @ turned[:, best]
    parts = axes, usual @ axes, np.maximum(spread[best], LEAST_SPREAD)
    return FigureSpace(*(part.astype(np.float32) for part in parts))


def _groups(numbers: np.ndarray, tables: np.ndarray) -> Iterable[np.ndarray]:
    """Yield index arrays: the tiles of one number on one table, for each such pair with at least two tiles."""
    for key in np.unique(tables * NUMBERS + numbers):
        group = np.flatnonzero(tables * NUMBERS + numbers == key)
        if len(group) > 1:
            yield group


def write_space(space: FigureSpace, folder: pathlib.Path, about: str) -> None:
    """Write the space into the folder of the networks, and its digest into their manifest."""
    path = folder / FILE
    with path.open("wb") as file:
        np.savez_compressed(file, axes=space.axes, usual=space.usual, spread=space.spread)
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    manifest["classifier"]["figures"] = {"file": FILE, "sha256": digest, "fitted_on": about}
    write_manifest(manifest, folder / "manifest.json")
