"""Own sets are stored whole, found by name, and refused if damaged or for another network."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tilekeeper.vision.finetune.own_sets import (
    FEATURES,
    LOGITS,
    LastLayer,
    OwnSet,
    OwnSetRefused,
    build_classifier,
    file_name,
    list_own_sets,
    load_own_set,
    load_shipped_layer,
    remove_own_set,
    save_own_set,
)
from tilekeeper.vision.manifest import ModelsMissing, Sessions

MANIFEST = {"classifier": {"file": "classifier.onnx", "sha256": "AB12"}}


def own_set(name: str = "our old set", fitted_for: str = "ab12", seed: int = 0) -> OwnSet:
    """Return an own set with a random layer."""
    rng = np.random.default_rng(seed)
    weight, bias = rng.normal(size=(LOGITS, FEATURES)), rng.normal(size=LOGITS)
    layer = LastLayer(weight.astype(np.float32), bias.astype(np.float32))
    return OwnSet(name, layer, fitted_for, 20, "2026-01-02T03:04:05+00:00")


def test_stored_set_is_loaded_unchanged_by_any_spelling_of_its_name(tmp_path: Path) -> None:
    kept = own_set()
    save_own_set(tmp_path, kept)
    loaded = load_own_set(tmp_path, " Our  old SET")
    assert np.array_equal(loaded.layer.weight, kept.layer.weight)
    assert np.array_equal(loaded.layer.bias, kept.layer.bias)
    assert (loaded.name, loaded.fitted_for, loaded.examples, loaded.fitted_at) == (
        "our old set",
        "ab12",
        20,
        "2026-01-02T03:04:05+00:00",
    )


def test_set_with_the_same_name_is_replaced(tmp_path: Path) -> None:
    for seed, name in enumerate(("Grandma's", "Été", "été", "travel")):
        save_own_set(tmp_path, own_set(name, seed=seed))
    assert [stored.name for stored in list_own_sets(tmp_path)] == ["Grandma's", "travel", "été"]
    assert load_own_set(tmp_path, "ÉTÉ").layer.bias == pytest.approx(own_set(seed=2).layer.bias)
    assert [path.suffix for path in (tmp_path / "own-sets").iterdir()] == [".npz"] * 3


def test_names_with_equal_ascii_letters_get_different_files() -> None:
    """No file name leaves the folder."""
    names = [file_name(name) for name in ("our set", "our-set", "../our set", "наши", "我們的")]
    assert len(set(names)) == len(names)
    assert all("/" not in name and ".." not in name and name.isascii() for name in names)


@pytest.mark.parametrize("name", ["", "   ", "x" * 61])
def test_empty_or_long_name_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(OwnSetRefused, match="1 to 60 characters"):
        load_own_set(tmp_path, name)


def test_missing_set_is_reported_with_the_known_sets(tmp_path: Path) -> None:
    with pytest.raises(OwnSetRefused, match='no own set "attic"; make it with "tilekeeper adapt"'):
        load_own_set(tmp_path, "attic")
    save_own_set(tmp_path, own_set())
    with pytest.raises(OwnSetRefused, match='no own set "attic"; choose "our old set"'):
        load_own_set(tmp_path, "attic")


@pytest.mark.parametrize("keep", [0, 40, 2000])
def test_damaged_file_is_reported_and_not_listed(tmp_path: Path, keep: int) -> None:
    path = save_own_set(tmp_path, own_set())
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(OwnSetRefused, match="damaged"):
        load_own_set(tmp_path, "our old set")
    assert list_own_sets(tmp_path) == []


def test_a_set_for_another_network_is_refused() -> None:
    """The case of the digest does not matter."""
    own_set().require_network(MANIFEST)
    with pytest.raises(OwnSetRefused, match=r'another version of the networks; .*adapt --name "our old set"'):
        own_set(fitted_for="cd34").require_network(MANIFEST)


def test_removed_set_is_gone_and_other_sets_stay(tmp_path: Path) -> None:
    for name in ("a", "b"):
        save_own_set(tmp_path, own_set(name))
    assert remove_own_set(tmp_path, "a")
    assert not remove_own_set(tmp_path, "a")
    assert [stored.name for stored in list_own_sets(tmp_path)] == ["b"]


def test_layer_with_wrong_shape_or_nan_is_refused() -> None:
    with pytest.raises(ValueError, match=r"weight must be \(28, 128\) float32, got \(28, 64\)"):
        LastLayer(np.zeros((28, 64), np.float32), np.zeros(28, np.float32))
    with pytest.raises(ValueError, match="no finite number"):
        LastLayer(np.full((28, 128), np.nan, np.float32), np.zeros(28, np.float32))


def test_network_without_last_layer_file_cannot_be_adapted(tmp_path: Path) -> None:
    with pytest.raises(ModelsMissing, match="can't be adapted"):
        load_shipped_layer(MANIFEST, tmp_path)
    manifest = {"classifier": {**MANIFEST["classifier"], "head": {"file": "head.npz", "sha256": "00"}}}
    with pytest.raises(ModelsMissing, match=r"head\.npz is missing"):
        load_shipped_layer(manifest, tmp_path)
    (tmp_path / "head.npz").write_bytes(b"something else")
    with pytest.raises(ModelsMissing, match=r"not the file that manifest\.json describes"):
        load_shipped_layer(manifest, tmp_path)


def test_reader_refuses_a_set_for_another_network(sessions: Sessions) -> None:
    with pytest.raises(OwnSetRefused, match="another version"):
        build_classifier(sessions, own_set())
