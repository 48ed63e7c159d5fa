"""The render command resumes a stopped run; its folder is training data and a test set."""

import json
from pathlib import Path

from tilekeeper.datasets.rendering import raytracer
from tilekeeper.datasets.rendering.render import render_folder
from tilekeeper.models.evaluation.measure import rendered_pictures
from tilekeeper.models.training.sources import rendered_sources


def test_stopped_run_renders_only_what_is_missing(tmp_path: Path) -> None:
    """Only the missing image is rendered again, and both loaders accept the folder."""
    raytracer.choose_variant("scalar_rgb")
    tiny = {"samples": 1, "wh": (200, 150)}
    render_folder(tmp_path, 2, "train", 4, jobs=1, **tiny)
    whole = (tmp_path / "photos.json").read_text()
    (tmp_path / "photos.json").unlink()
    (tmp_path / "truth" / "00001.json").unlink()
    finished = (tmp_path / "images" / "00000.jpg").stat().st_mtime_ns
    render_folder(tmp_path, 2, "train", 4, jobs=1, **tiny)
    assert (tmp_path / "images" / "00000.jpg").stat().st_mtime_ns == finished
    assert (tmp_path / "photos.json").read_text() == whole
    entries = json.loads(whole)["photos"]
    for entry, source, pictured in zip(entries, rendered_sources(tmp_path), rendered_pictures(tmp_path), strict=True):
        assert source.sure.tolist() == [tile["sure"] for tile in entry["tiles"]]
        assert pictured.load().shape == (150, 200, 3)
        assert sum(pictured.rows or (), ()) == tuple(range(len(entry["tiles"])))
