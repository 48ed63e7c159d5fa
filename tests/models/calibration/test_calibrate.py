"""Fitting the confidence: logistic regression with signed weights, forward selection and the flagging threshold."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tilekeeper.models.calibration.calibrate import (
    ALWAYS,
    MOST_DOUBTED,
    WAYS,
    Samples,
    choose,
    fit,
    gather,
    helpful,
    made_harder,
    record,
)
from tilekeeper.models.calibration.figure_space import features_of
from tilekeeper.models.calibration.logistic import logistic
from tilekeeper.models.calibration.tileness import with_lamps
from tilekeeper.models.evaluation.measure import Pictured
from tilekeeper.models.evaluation.reliability import Threshold, bins_of, calibration_error
from tilekeeper.models.evaluation.score import Truth
from tilekeeper.vision.manifest import digests_of, read_manifest
from tilekeeper.vision.scoring.calibration import FEATURES, Confidence, chances
from tilekeeper.vision.tile_table import TileTable

TRUE = {"name_log_odds": 0.8, "others": 0.3}


def random_samples(count: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Return random features, and whether each tile is right, drawn from known weights."""
    rng = np.random.default_rng(seed)
    features = rng.normal(2, 2, (count, len(FEATURES)))
    weights = np.array([TRUE.get(feature, 0.0) for feature in FEATURES])
    return features, rng.random(count) < chances(features, weights, 1.0)


def samples(count: int) -> Samples:
    features, right = random_samples(count)
    plain = np.full(count, 0.999)
    return Samples(features, right, np.zeros(count, bool), np.arange(count) // 20, plain, np.zeros(count, bool))


def test_fit_recovers_the_true_weights() -> None:
    """Signs without information have weights near 0."""
    weights, bias = logistic(*random_samples(40_000), WAYS)
    assert bias == pytest.approx(1.0, abs=0.2)
    for feature, weight in zip(FEATURES, weights, strict=True):
        assert weight == pytest.approx(TRUE.get(feature, 0.0), abs=0.06)


def test_feature_with_a_contrary_weight_is_dropped() -> None:
    """The samples make tiles with a high value wrong more often, but such a weight may not be negative."""
    features, right = random_samples(5_000)
    at = FEATURES.index("others")
    features[:, at] = np.where(right, 0.0, 3.0) + np.random.default_rng(2).normal(0, 1, len(right))
    weights, _ = logistic(features, right, WAYS)
    assert weights[at] == 0
    assert weights[FEATURES.index("name_log_odds")] > 0


def test_forward_selection_keeps_only_helpful_features() -> None:
    """The result is the features of the true model and the features that are always used."""
    assert helpful(samples(12_000)) == TRUE.keys() | ALWAYS


def test_confidence_stays_below_1_without_errors() -> None:
    """The ridge penalty keeps the weights finite."""
    features, _ = random_samples(300)
    weights, bias = logistic(features, np.ones(300, bool), WAYS)
    assert np.isfinite(weights).all()
    assert 0.9 < chances(features, weights, bias).mean() < 1


def test_fit_is_calibrated_in_cross_validation() -> None:
    """Its calibration error is far below that of the networks' own confidence."""
    fitted = fit(samples(20_000))
    plain = samples(20_000)
    assert fitted.error < 0.02
    assert fitted.error < calibration_error(bins_of(plain.plain, plain.right)) / 5


def test_threshold_is_the_lowest_within_the_target() -> None:
    """If no threshold reaches the target, it is the highest one within the limit of flagged tiles."""
    easy = [Threshold(0.5, 3.0, 0.001), Threshold(0.9, 0.8, 0.004), Threshold(0.99, 0.0, 0.02)]
    assert choose(easy).at == 0.9
    hard = [Threshold(0.5, 9.0, 0.01), Threshold(0.9, 4.0, MOST_DOUBTED), Threshold(0.99, 0.5, 0.2)]
    assert choose(hard).at == 0.9
    assert choose([Threshold(0.5, 9.0, 0.5)]).at == 0.5


def test_features_are_gathered_from_real_readings() -> None:
    """The shipped networks read a rendered table; nearly all labels are right."""
    from tilekeeper.datasets.synthesis.scene.tables import as_annotation, render_table
    from tilekeeper.models.evaluation.measure import pictured_entry

    table = render_table(np.random.default_rng(3), "train", (640, 480), "melds", 44.0, rough=0.3, hands=False)
    pictured = pictured_entry(as_annotation(table, "a.jpg"), lambda: table.image_bgr)
    empty = Pictured("b", "none", Truth((), (), (), np.zeros((0, 4))), None, lambda: np.full((96, 96, 3), 90, np.uint8))
    gathered = gather([pictured, empty], None)
    assert gathered.features.shape == (len(gathered.right), len(FEATURES))
    in_groups, few_values = ~gathered.alone, gathered.features[:, FEATURES.index("few")]
    assert np.count_nonzero(in_groups) >= 0.8 * len(table.tiles)
    assert gathered.right[in_groups].mean() > 0.8
    assert set(gathered.table.tolist()) <= {0, 1}
    # each tile gives a second sample as if it was isolated
    assert np.count_nonzero(gathered.alone) == np.count_nonzero(in_groups)
    assert few_values[gathered.alone] == pytest.approx(1)
    assert few_values[in_groups].max() < 0.5


def test_unlabelled_tile_in_a_row_gives_no_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    """An unreadable tile in a row is flagged with any fit."""
    from tilekeeper.datasets.synthesis.scene.tables import as_annotation, render_table
    from tilekeeper.models.evaluation.measure import pictured_entry
    from tilekeeper.vision.scoring import decision

    table = render_table(np.random.default_rng(3), "train", (640, 480), "melds", 44.0, rough=0.3, hands=False)
    pictured = pictured_entry(as_annotation(table, "a.jpg"), lambda: table.image_bgr)
    whole = gather([pictured], None)
    label = decision._label

    def label_all_but_one(tiles: TileTable, considered: np.ndarray, *fits: Any) -> np.ndarray:
        return label(tiles, considered[tiles.track[considered] != 4], *fits)

    monkeypatch.setattr(decision, "_label", label_all_but_one)
    without = gather([pictured], None)
    assert len(without.right) == len(whole.right) - 2


def test_part_of_the_tables_is_made_harder_as_in_one_run() -> None:
    """Random numbers depend on the index of the table, so worker processes change nothing."""
    noise = np.random.default_rng(6).integers(0, 255, (12, 60, 80, 3), np.uint8)
    empty = Truth((), (), (), np.zeros((0, 4)))
    pictures = [Pictured(str(at), "none", empty, None, lambda at=at: noise[at]) for at in range(12)]
    whole = [image for image, _ in with_lamps(made_harder(pictures))]
    parts = [
        image
        for first in (0, 5)
        for image, _ in with_lamps(made_harder(pictures[first : first + 5 + 2 * bool(first)], first=first), first)
    ]
    assert len(parts) == 12
    assert all(np.array_equal(image, part_image) for image, part_image in zip(whole, parts, strict=True))
    assert any(not np.array_equal(image, plain) for image, plain in zip(whole, noise, strict=True))


def test_tables_of_a_part_keep_their_indices() -> None:
    """Cross-validation needs them; a part without tiles gives no rows."""
    from tilekeeper.datasets.synthesis.scene.tables import as_annotation, render_table
    from tilekeeper.models.evaluation.measure import pictured_entry

    table = render_table(np.random.default_rng(3), "train", (640, 480), "melds", 44.0, rough=0.3, hands=False)
    pictured = pictured_entry(as_annotation(table, "a.jpg"), lambda: table.image_bgr)
    assert set(gather([pictured], None, first=8).table.tolist()) == {8}
    no_tiles = Truth((), (), (), np.zeros((0, 4)), np.zeros((0, 4, 2)))
    bare = Pictured("b", "none", no_tiles, None, lambda: np.full((96, 96, 3), 90, np.uint8))
    empty = gather([bare], None)
    assert empty.features.shape == (0, len(FEATURES))
    assert features_of([(pictured.load(), pictured.truth)], None, first=8)[2].tolist().count(8) > 3
    assert len(features_of([(bare.load(), bare.truth)], None)[2]) == 0


def test_samples_of_isolated_tiles_do_not_affect_the_threshold() -> None:
    """Only tiles in groups count for the threshold and the error, however many isolated samples are wrong."""
    plain_samples = samples(4000)
    both = Samples(
        np.concatenate([plain_samples.features, plain_samples.features]),
        np.concatenate([plain_samples.right, plain_samples.right]),
        np.concatenate([plain_samples.flagged, ~plain_samples.flagged]),
        np.concatenate([plain_samples.table, plain_samples.table]),
        np.concatenate([plain_samples.plain, plain_samples.plain]),
        np.arange(8000) >= 4000,
    )
    first_fit, second_fit = fit(plain_samples), fit(both)
    assert second_fit.point.doubted == pytest.approx(first_fit.point.doubted, abs=0.003)
    assert second_fit.error == pytest.approx(first_fit.error, abs=0.003)


def test_recorded_fit_is_read_back_from_the_manifest(tmp_path: Path) -> None:
    """Other entries of the manifest stay."""
    path = tmp_path / "manifest.json"
    path.write_text(
        json.dumps(
            {
                "detector": {"sha256": "f"},
                "classifier": {"sha256": "n"},
                "reader": {"sure_score": 0.4, "doubtful_below": 0.8},
            }
        )
    )
    drawn = samples(3_000)
    fitted = fit(drawn)
    record(fitted, drawn, path, "made-up tiles")
    manifest = json.loads(path.read_text())
    assert manifest["reader"]["sure_score"] == 0.4
    assert manifest["reader"]["doubtful_below"] == pytest.approx(fitted.point.at, abs=1e-5)
    assert manifest["reader"]["confidence"]["fitted_on"] == "made-up tiles"
    assert manifest["reader"]["confidence"]["networks"] == {"detector": "f", "classifier": "n"}
    loaded = Confidence.of_manifest(manifest)
    assert loaded is not None
    assert np.allclose(loaded.weights, fitted.weights, atol=1e-5)


def test_shipped_fit_belongs_to_the_shipped_networks() -> None:
    """New networks need a new fit of the confidence; the fit of `tileness` may stay with a reason."""
    manifest = read_manifest()
    assert manifest["reader"]["confidence"]["networks"] == digests_of(manifest)
    is_tile = manifest["reader"]["tile_or_not"]
    assert (is_tile["networks"] == digests_of(manifest)) != ("kept_because" in is_tile)
