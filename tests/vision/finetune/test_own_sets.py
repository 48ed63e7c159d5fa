"""Own sets are kept whole, found by name, refused where they fit another network, and told apart from damaged files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tilekeeper.vision.finetune.classifier import build_classifier
from tilekeeper.vision.finetune.layer import FEATURES, LOGITS, LastLayer, load_shipped_layer
from tilekeeper.vision.finetune.own_sets import (
    OwnSet,
    OwnSetRefused,
    file_name,
    list_own_sets,
    load_own_set,
    remove_own_set,
    save_own_set,
)
from tilekeeper.vision.manifest import ModelsMissing, Sessions

MANIFEST = {"classifier": {"file": "classifier.onnx", "sha256": "AB12"}}


def own_set(name: str = "our old set", fitted_for: str = "ab12", seed: int = 0) -> OwnSet:
    """An own set with a layer drawn by chance."""
    rng = np.random.default_rng(seed)
    weight, bias = rng.normal(size=(LOGITS, FEATURES)), rng.normal(size=LOGITS)
    layer = LastLayer(weight.astype(np.float32), bias.astype(np.float32))
    return OwnSet(name, layer, fitted_for, 20, "2026-01-02T03:04:05+00:00")


def test_a_set_comes_back_as_it_was_kept(tmp_path: Path) -> None:
    """Every number and word of it, by its name in any case and with any blanks."""
    kept = own_set()
    save_own_set(tmp_path, kept)
    found = load_own_set(tmp_path, " Our  old SET")
    assert np.array_equal(found.layer.weight, kept.layer.weight)
    assert np.array_equal(found.layer.bias, kept.layer.bias)
    assert (found.name, found.fitted_for, found.examples, found.fitted_at) == (
        "our old set",
        "ab12",
        20,
        "2026-01-02T03:04:05+00:00",
    )


def test_one_set_takes_the_place_of_the_one_before(tmp_path: Path) -> None:
    """A name has one layer; other names keep theirs."""
    for seed, name in enumerate(("Grandma's", "Été", "été", "travel")):
        save_own_set(tmp_path, own_set(name, seed=seed))
    assert [own.name for own in list_own_sets(tmp_path)] == ["Grandma's", "travel", "été"]
    assert load_own_set(tmp_path, "ÉTÉ").layer.bias == pytest.approx(own_set(seed=2).layer.bias)
    assert [path.suffix for path in (tmp_path / "own-sets").iterdir()] == [".npz"] * 3


def test_names_that_look_alike_in_plain_letters_stay_apart() -> None:
    """Names in other scripts have files of their own, none of which leaves the folder."""
    names = [file_name(name) for name in ("our set", "our-set", "../our set", "наши", "我們的")]
    assert len(set(names)) == len(names)
    assert all("/" not in name and ".." not in name and name.isascii() for name in names)


@pytest.mark.parametrize("name", ["", "   ", "x" * 61])
def test_a_name_that_is_none_is_refused(tmp_path: Path, name: str) -> None:
    """An empty name, and one as long as a sentence."""
    with pytest.raises(OwnSetRefused, match="1 to 60 characters"):
        load_own_set(tmp_path, name)


def test_a_set_that_is_not_there_is_told_with_those_that_are(tmp_path: Path) -> None:
    """The message names what could have been meant, or how to make one."""
    with pytest.raises(OwnSetRefused, match='no own set "attic"; make it with "tilekeeper adapt"'):
        load_own_set(tmp_path, "attic")
    save_own_set(tmp_path, own_set())
    with pytest.raises(OwnSetRefused, match='no own set "attic"; there are "our old set"'):
        load_own_set(tmp_path, "attic")


@pytest.mark.parametrize("keep", [0, 40, 2000])
def test_a_damaged_file_is_told(tmp_path: Path, keep: int) -> None:
    """A file that was cut off is neither read nor listed."""
    path = save_own_set(tmp_path, own_set())
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(OwnSetRefused, match="damaged"):
        load_own_set(tmp_path, "our old set")
    assert list_own_sets(tmp_path) == []


def test_a_set_for_another_network_is_refused() -> None:
    """The features of another network mean something else; letters of the digest may be large or small."""
    own_set().require_network(MANIFEST)
    with pytest.raises(OwnSetRefused, match=r'another version of the networks; .*adapt --name "our old set"'):
        own_set(fitted_for="cd34").require_network(MANIFEST)


def test_removing_a_set_brings_the_shipped_reader_back(tmp_path: Path) -> None:
    """A set is gone once; other sets stay."""
    for name in ("a", "b"):
        save_own_set(tmp_path, own_set(name))
    assert remove_own_set(tmp_path, "a")
    assert not remove_own_set(tmp_path, "a")
    assert [own.name for own in list_own_sets(tmp_path)] == ["b"]


def test_layers_of_another_shape_are_refused() -> None:
    """Nor are such as hold no numbers."""
    with pytest.raises(ValueError, match=r"weight must be \(28, 128\) float32, got \(28, 64\)"):
        LastLayer(np.zeros((28, 64), np.float32), np.zeros(28, np.float32))
    with pytest.raises(ValueError, match="no finite number"):
        LastLayer(np.full((28, 128), np.nan, np.float32), np.zeros(28, np.float32))


def test_a_network_without_its_last_layer_can_not_be_adapted(tmp_path: Path) -> None:
    """A manifest of an earlier version names no head; a file that is gone, or another than the manifest's, is told."""
    with pytest.raises(ModelsMissing, match="can't be adapted"):
        load_shipped_layer(MANIFEST, tmp_path)
    manifest = {"classifier": {**MANIFEST["classifier"], "head": {"file": "head.npz", "sha256": "00"}}}
    with pytest.raises(ModelsMissing, match=r"head\.npz is missing"):
        load_shipped_layer(manifest, tmp_path)
    (tmp_path / "head.npz").write_bytes(b"something else")
    with pytest.raises(ModelsMissing, match="not the file that the manifest describes"):
        load_shipped_layer(manifest, tmp_path)


def test_the_reader_takes_no_set_that_was_fitted_for_another_network(sessions: Sessions) -> None:
    """The refusal comes before anything is read."""
    with pytest.raises(OwnSetRefused, match="another version"):
        build_classifier(sessions, own_set())
