"""Fitting the glyph space: features drawn from a known space give that space again."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from tilekeeper.models.calibration.figure_space import AXES, LEAST_SPREAD, features_of, fit_space, write_space
from tilekeeper.models.evaluation.score import Truth
from tilekeeper.vision.manifest import ModelsMissing, load_sessions
from tilekeeper.vision.types import NUMBERS

FEATURES, SPREAD = 24, 8.0


def tables_of(count: int = 120, copies: int = 4) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return features, numbers, tables and means; printings vary in three features, tiles in all."""
    rng = np.random.default_rng(2)
    usual = rng.normal(size=(NUMBERS, FEATURES)) * 5
    features, numbers, tables = [], [], []
    for table in range(count):
        for number in range(NUMBERS):
            printing = np.zeros(FEATURES)
            printing[:3] = rng.normal(size=3) * np.sqrt(SPREAD)
            features.append(usual[number] + printing + rng.normal(size=(copies, FEATURES)))
            numbers += [number] * copies
            tables += [table] * copies
    return np.concatenate(features), np.array(numbers), np.array(tables), usual


def test_axes_of_printings_are_found() -> None:
    """Three axes carry information. They are scaled by the variance within one number on one table."""
    features, numbers, tables, usual = tables_of()
    space = fit_space(features, numbers, tables)
    assert space.axes.shape == (FEATURES, AXES)
    assert space.spread[:3] == pytest.approx(SPREAD, rel=0.2)
    assert (space.spread[3:] < 0.3).all()
    assert (space.spread >= np.float32(LEAST_SPREAD)).all()
    assert np.linalg.norm(space.axes[3:, :3]) < 0.15 * np.linalg.norm(space.axes[:3, :3])
    places = features @ space.axes
    within = [places[(tables == 5) & (numbers == n)].var(axis=0, ddof=1) for n in range(NUMBERS)]
    assert np.mean(within) == pytest.approx(1, rel=0.25)
    assert space.usual == pytest.approx(usual @ space.axes, abs=1.2)


def test_features_are_from_whole_numbered_tiles(repository: Path) -> None:
    """Jokers, cut tiles and tables without other tiles are skipped."""
    from tilekeeper.datasets.synthesis.scene.tables import render_table

    table = render_table(np.random.default_rng(5), wh=(480, 360), layout="melds", tile_px=26)
    labels = tuple(tile.label for tile in table.tiles)
    quads = np.array([tile.quad_px for tile in table.tiles])
    cut = tuple(at == 0 for at in range(len(labels)))
    truth = Truth(labels, tuple(quads), cut, np.zeros((0, 4)), quads)
    none = Truth(("joker",), (quads[0],), (False,), np.zeros((0, 4)), quads[:1])
    pictures = [(table.image_bgr, none), (table.image_bgr, truth)]
    features, numbers, tables = features_of(pictures, repository / "models")
    wanted = [int(label.rpartition("-")[2]) - 1 for label in labels[1:] if label != "joker"]
    assert numbers.tolist() == wanted
    assert features.shape == (len(wanted), 128)
    assert set(tables.tolist()) == {1}


def test_written_space_is_loaded_with_the_networks(tmp_path: Path, repository: Path) -> None:
    """The manifest has its digest; a changed file is refused."""
    for name in ("detector.onnx", "classifier.onnx", "verifier.onnx", "manifest.json"):
        shutil.copy(repository / "models" / name, tmp_path)
    manifest = json.loads((tmp_path / "manifest.json").read_text("utf-8"))
    manifest["classifier"].pop("figures", None)
    (tmp_path / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    assert load_sessions(1, folder=tmp_path).figures is None
    space = fit_space(*tables_of(20)[:3])
    write_space(space, tmp_path, "made up")
    loaded = load_sessions(1, folder=tmp_path).figures
    assert loaded is not None
    assert np.array_equal(loaded.axes, space.axes)
    with (tmp_path / "classifier-figures.npz").open("ab") as file:
        file.write(b"more")
    with pytest.raises(ModelsMissing, match="classifier-figures"):
        load_sessions(1, folder=tmp_path)
