"""Fitting tile or no tile: logistic regression on the features of candidates in real readings."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tilekeeper.datasets.synthesis.scene.tables import as_annotation, render_table
from tilekeeper.models.calibration.logistic import left_out
from tilekeeper.models.calibration.tileness import WAYS, fit_tile_or_not, tileness_features_on, write_tile_or_not
from tilekeeper.models.evaluation.measure import pictured_entry
from tilekeeper.vision.scoring.calibration import TileOrNot, chances
from tilekeeper.vision.scoring.tileness import FEATURES

WEIGHTS = {"some_tile": 0.8, "tint": -2.0, "rim": 1.5}


def random_samples(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return random features, and which samples are tiles, drawn from known weights."""
    rng = np.random.default_rng(4)
    features = rng.normal(1, 1.5, (count, len(FEATURES)))
    return features, rng.random(count) < chances(
        features, np.array([WEIGHTS.get(feature, 0.0) for feature in FEATURES]), 1.0
    )


def test_fit_recovers_the_true_weights_of_the_samples() -> None:
    """Signs without information have weights near 0."""
    fitted = fit_tile_or_not(*random_samples(20_000))
    for feature, weight in zip(FEATURES, fitted.weights, strict=True):
        assert weight == pytest.approx(WEIGHTS.get(feature, 0.0), abs=0.12)


def test_cross_validation_ignores_a_feature_of_one_table() -> None:
    """A feature that helps on one table only does not help when that table is held out."""
    features, true = random_samples(2_000)
    tables = np.arange(2_000) // 200
    chances_left_out = left_out(features, true, tables, WAYS)
    assert ((chances_left_out > 0.5) == true).mean() > 0.8
    changed = features.copy()
    changed[:, FEATURES.index("size")] = np.where(tables == 3, 5.0 * ~true, 0.0)
    assert np.allclose(left_out(changed, true, tables, WAYS)[tables == 3], chances_left_out[tables == 3], atol=0.1)


def test_features_are_gathered_from_real_readings() -> None:
    """The shipped networks read a dark table full of other things. Each candidate has features and its truth."""
    table = render_table(
        np.random.default_rng(8), "train", (1280, 960), "melds", 34.0, rough=1.0, hands=False, things=9
    )
    noise = np.random.default_rng(1).normal(0, 9, table.image_bgr.shape)
    dark = np.clip(table.image_bgr * 0.35 + noise, 0, 255).astype(np.uint8)
    pictured = pictured_entry(as_annotation(table, "a.jpg"), lambda: dark)
    features, true, tables = tileness_features_on([(dark, pictured.truth), (dark, pictured.truth)], None)
    half = len(true) // 2
    assert tables.tolist() == [0] * half + [1] * half
    assert np.array_equal(features[:half], features[half:])
    assert features.shape == (len(true), len(FEATURES))
    assert np.isfinite(features).all()
    assert true.any()


def test_written_fit_is_read_back_from_the_manifest(tmp_path: Path) -> None:
    """Other entries of the manifest stay, and the entry has the number of samples."""
    path = tmp_path / "manifest.json"
    path.write_text(
        json.dumps({"detector": {"sha256": "f"}, "classifier": {"sha256": "n"}, "reader": {"sure_score": 0.4}})
    )
    features, true = random_samples(3_000)
    fitted = fit_tile_or_not(features, true)
    is_left_out = np.arange(3_000) < 30
    write_tile_or_not(fitted, true, is_left_out, path, "made-up finds")
    manifest = json.loads(path.read_text())
    assert manifest["reader"]["sure_score"] == 0.4
    entry = manifest["reader"]["tile_or_not"]
    assert entry["fitted_on"] == "made-up finds"
    assert (entry["tiles"], entry["no_tiles"]) == (np.count_nonzero(true), np.count_nonzero(~true))
    assert entry["tiles_left_out"] + entry["no_tiles_left_out"] == 30
    assert entry["tiles_left_out"] == np.count_nonzero(true[:30])
    loaded = TileOrNot.of_manifest(manifest)
    assert loaded is not None
    assert np.allclose(loaded.weights, fitted.weights, atol=1e-5)
