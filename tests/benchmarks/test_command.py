"""The command `python -m tests.benchmarks vision`: its figures, files, scores and error messages."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.benchmarks.__main__ import main
from tests.benchmarks.vision import run
from tests.benchmarks.vision.scores import RENDERED
from tilekeeper.datasets.synthesis.scene.tables import as_annotation, render_table


@pytest.fixture
def kept_out(tmp_path: Path) -> Path:
    """Return a folder with one small rendered table."""
    import cv2

    folder = tmp_path / "kept-out"
    (folder / "images").mkdir(parents=True)
    table = render_table(np.random.default_rng(3), "train", (640, 480), "tight", 44.0, rough=0.3, hands=False)
    cv2.imwrite(str(folder / "images" / "0.jpg"), table.image_bgr)
    (folder / "photos.json").write_text(json.dumps({"photos": [as_annotation(table, "0.jpg")]}))
    return folder


@pytest.fixture
def manifest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a copy of the shipped manifest that takes its place."""
    from tests.benchmarks.vision import scores

    copy = tmp_path / "models" / "manifest.json"
    copy.parent.mkdir()
    copy.write_bytes(scores.MANIFEST.read_bytes())
    monkeypatch.setattr(scores, "MANIFEST", copy)
    return copy


def test_held_out_tables_are_measured_and_written(
    kept_out: Path, manifest: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The run prints a table of figures and writes the JSON and pages with the command."""
    out, docs = tmp_path / "out.json", tmp_path / "docs"
    arguments = ["vision", "--only", "kept-out", "--kept-out", str(kept_out), "--json", str(out)]
    assert main([*arguments, "--docs", str(docs)]) == 0
    printed = capsys.readouterr()
    assert "reached" in printed.out
    assert "Rendered tables kept out" in printed.err
    document = json.loads(out.read_text())
    rendered = document["details"]["rendered"]
    assert rendered["photos"] == 1
    assert rendered["tiles"] > 5
    assert rendered["right"] > 0.7
    assert 0 < rendered["corner_error_of_width"] < 0.2
    assert "tight_melds_right" in rendered
    assert set(document["details"]) == {"rendered", "confidence, rendered tables, held out"}
    assert f"--kept-out {kept_out}" in (docs / "bench-vision.md").read_text()
    scores = json.loads(manifest.read_text())["verifier"]["scores"]
    del rendered["faults"]
    assert scores[RENDERED] == rendered


def test_quick_run_writes_pages_and_no_scores(
    kept_out: Path, manifest: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """If the networks have changed meanwhile, a whole run writes no scores either, and reports it."""
    before, docs = manifest.read_bytes(), tmp_path / "docs"
    arguments = ["vision", "--only", "kept-out", "--kept-out", str(kept_out), "--docs", str(docs)]
    assert main([*arguments, "--quick"]) == 0
    assert (docs / "bench-vision.md").is_file()
    assert manifest.read_bytes() == before
    assert "manifest" not in capsys.readouterr().err
    others = json.loads(before)
    others["detector"]["sha256"] = "0" * 64
    manifest.write_text(json.dumps(others))
    assert main(arguments) == 0
    assert json.loads(manifest.read_text()) == others
    assert "no scores written into the manifest" in capsys.readouterr().err


def test_speed_is_measured_in_a_fresh_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full table is read; memory and loading time are those of a fresh process.

    `test_pace.py` covers the comparison with another detector.
    """
    monkeypatch.setattr(run, "measure_pace", lambda turns: {"beside_detector": 0.5, "uhd_of_full_hd": 1.0})
    out = tmp_path / "out.json"
    assert main(["vision", "--only", "speed", "--quick", "--json", str(out)]) == 0
    details = json.loads(out.read_text())["details"]
    assert details["full table"]["tiles_read"] >= 100
    assert 0 < details["full table"]["best_ms"] <= details["full table"]["median_ms"]
    assert 50 < details["full table"]["peak_memory_mb"] < 2000
    assert 0 < details["models"]["models_mb"] < 6
    assert details["models"]["load_and_warm_s"] > 0


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["vision", "--photos", "/nowhere"], "/nowhere is no folder"),
        (["vision", "--unseen", "/nowhere", "--only", "photos"], "/nowhere is no folder"),
    ],
)
def test_missing_folder_exits_with_1_and_a_message(
    arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The message is on standard error."""
    assert main(arguments) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert complaint in printed.err


@pytest.mark.parametrize("arguments", [[], ["sight"], ["vision", "--only", "nothing"]])
def test_unknown_arguments_exit_with_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """A topic is required, and all sets must be known."""
    assert main(arguments) == 2
    assert capsys.readouterr().out == ""
