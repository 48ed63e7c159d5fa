"""Measured scores in the manifest of the shipped networks: which are written, and which stay."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import pytest

from tests.benchmarks.vision import scores
from tests.benchmarks.vision.run import Measured
from tests.benchmarks.vision.scores import PHOTOS, RENDERED, record_scores
from tilekeeper.vision.manifest import digests_of_all

NETWORKS = ("detector", "classifier", "verifier")
EARLIER = {RENDERED: {"right": 0.5}, PHOTOS: {"right": 0.6}}


@pytest.fixture
def path(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """Return a manifest of three networks with older scores, in place of the shipped manifest."""
    manifest: dict[str, Any] = {
        name: {"file": f"{name}.onnx", "sha256": f"{name} 1", "scores": EARLIER, "bits": 8} for name in NETWORKS
    }
    file = tmp_path / "manifest.json"
    file.write_text(json.dumps(manifest | {"reader": {"doubtful_below": 0.9}}), "utf-8")
    monkeypatch.setattr(scores, "MANIFEST", file)
    return file


def measured(path: pathlib.Path, unseen: dict[str, str] | None = None, **figures: Any) -> Measured:
    """Return figures of the networks of the manifest; `unseen` are the networks that read the photos."""
    shipped = digests_of_all(json.loads(path.read_text("utf-8")))
    return Measured(figures, networks={"shipped": shipped, "unseen": unseen or shipped})


def written(path: pathlib.Path) -> dict[str, Any]:
    """Return the scores, after a check that they are equal for all networks and that nothing else has changed."""
    manifest = json.loads(path.read_text("utf-8"))
    assert [manifest[name]["bits"] for name in NETWORKS] == [8, 8, 8]
    assert manifest["reader"] == {"doubtful_below": 0.9}
    assert list(path.parent.iterdir()) == [path]
    first, *others = (manifest[name]["scores"] for name in NETWORKS)
    assert others == [first, first]
    return first


def test_figures_are_written_without_the_list_of_errors(path: pathlib.Path) -> None:
    """Each network gets them. Figures of other sets are not written."""
    photos, rendered = {"right": 1.0, "faults": ["a.jpg: red-1 missed"]}, {"right": 0.99, "tight_melds_of": 36}
    record_scores(measured(path, photos=photos, rendered=rendered, fouls={"hidden": 0}))
    assert written(path) == {PHOTOS: {"right": 1.0}, RENDERED: rendered}


def test_old_scores_stay_only_for_the_same_networks(path: pathlib.Path) -> None:
    """Other networks, or another fit of the confidence, start without old scores."""
    record_scores(measured(path, rendered={"right": 0.99}))
    assert written(path) == {PHOTOS: EARLIER[PHOTOS], RENDERED: {"right": 0.99}}
    manifest = json.loads(path.read_text("utf-8"))
    manifest["detector"]["sha256"] = "detector 2"
    path.write_text(json.dumps(manifest), "utf-8")
    record_scores(measured(path, photos={"right": 0.98}))
    assert written(path) == {PHOTOS: {"right": 0.98}}


def test_photos_read_by_other_networks_give_no_score(path: pathlib.Path) -> None:
    """The shipped networks read the rendered tables, so these have a score."""
    record_scores(measured(path, {"detector": "another"}, photos={"right": 1.0}, rendered={"right": 0.99}))
    assert written(path) == {PHOTOS: EARLIER[PHOTOS], RENDERED: {"right": 0.99}}


def test_run_without_these_sets_writes_nothing(path: pathlib.Path) -> None:
    """The manifest stays the same to the byte."""
    before = path.read_bytes()
    record_scores(measured(path, models={"models_mb": 2.6}))
    record_scores(measured(path, {"detector": "another"}, photos={"right": 1.0}))
    assert path.read_bytes() == before


def test_networks_replaced_during_the_run_get_no_scores(path: pathlib.Path) -> None:
    """A run takes hours, so this can happen."""
    before, partial = path.read_bytes(), measured(path, rendered={"right": 0.99})
    partial.networks["shipped"]["classifier"] = "classifier 0"
    with pytest.raises(ValueError, match="others now"):
        record_scores(partial)
    assert path.read_bytes() == before
