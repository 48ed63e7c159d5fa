"""`tilekeeper adapt` end to end: consent, list, deletion, fit with the real networks, reading, reset."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tilekeeper.companion.cli import main
from tilekeeper.companion.cli.adapt import as_json, as_lines
from tilekeeper.companion.cli.set_option import own_set_of
from tilekeeper.companion.storage.examples import Examples
from tilekeeper.vision.finetune.labelled_crops import ShippedCrops, load_shipped_crops
from tilekeeper.vision.finetune.procedure import AdaptationResult
from tilekeeper.vision.manifest import load_sessions
from tilekeeper.vision.recognition.classifier import INNER
from tilekeeper.vision.types import INKS

pytestmark = pytest.mark.slow


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A data folder with twelve stored tiles, real crops of misread tiles."""
    crops = load_shipped_crops().check
    examples = Examples(tmp_path)
    examples.answer(True)
    for i in np.flatnonzero(~crops.turned & (crops.numbers < 13))[:12]:
        label = f"{INKS[crops.inks[i]]}-{crops.numbers[i] + 1}"
        assert examples.keep(crops.crops[i], (48, 72), INNER, label, "joker") is not None
    return tmp_path


def test_keep_option_switches_keeping_on_and_off(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is off at first; the answer holds for the app too."""
    assert main(["adapt", "--data", str(tmp_path), "--list"]) == 0
    assert "are not kept" in capsys.readouterr().out
    assert main(["adapt", "--data", str(tmp_path), "--keep", "yes"]) == 0
    assert capsys.readouterr().out == "Tiles that you correct are kept.\n"
    assert Examples(tmp_path).agreed is True
    assert main(["adapt", "--data", str(tmp_path), "--keep", "no", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"keeping": False}
    assert Examples(tmp_path).agreed is False


def test_kept_tiles_are_listed_and_deleted(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By id, then all of them; an unknown id is an error."""
    data = ["adapt", "--data", str(kept)]
    assert main([*data, "--list", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert len(listed["examples"]) == 12
    assert Path(listed["examples"][0]["file"]).is_file()
    assert main([*data, "--forget", listed["examples"][0]["id"]]) == 0
    assert capsys.readouterr().out == "1 tile deleted.\n"
    assert main([*data, "--forget", listed["examples"][0]["id"]]) == 1
    assert main([*data, "--forget", "all"]) == 0
    assert capsys.readouterr().out.endswith("11 tiles deleted.\n")
    assert Examples(kept).all() == []


def test_set_is_fitted_used_for_reading_and_reset(
    kept: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A dry run changes nothing; a run writes a set that the reader uses; --reset deletes it."""
    if "features" not in [output.name for output in load_sessions(2).classifier.get_outputs()]:
        pytest.skip("the shipped classifier tells no features; export it anew with tilekeeper.models.export.to_onnx")
    shipped = load_shipped_crops()
    few = ShippedCrops(shipped.held.at(np.arange(0, 600, 6)), shipped.check.at(np.arange(0, 700, 7)))
    monkeypatch.setattr("tilekeeper.vision.finetune.labelled_crops.load_shipped_crops", lambda: few)
    data = ["adapt", "--data", str(kept)]
    assert main([*data, "--dry-run", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["own"]["tiles"] == 12
    assert document["own"]["after"] >= document["own"]["before"]
    assert document["shipped"]["tiles"] == 100
    assert not document["kept"]
    assert not (kept / "own-sets").exists()
    assert main(data) == 0
    assert '"our set" is adapted' in capsys.readouterr().out
    own_set = own_set_of("our set", kept)
    assert own_set is not None
    assert own_set.examples == 12
    assert main([*data, "--reset"]) == 0
    assert main(["run", "--source", "none", "--data", str(kept), "--set", "our set"]) == 1
    assert 'no own set "our set"' in capsys.readouterr().err


def test_too_few_tiles_and_odd_names_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line on standard error gives the requirements."""
    assert main(["adapt", "--data", str(tmp_path), "--name", " "]) == 1
    assert "1 to 60 characters" in capsys.readouterr().err
    assert main(["adapt", "--data", str(tmp_path)]) == 1
    assert capsys.readouterr().err.startswith("tilekeeper adapt: ")


def test_unknown_set_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """Otherwise the photo would be read by the shipped reader without notice."""
    assert main(["read", "--set", "attic", "photo.jpg"]) == 1
    assert 'there is no own set "attic"' in capsys.readouterr().err


def test_worse_results_are_reported() -> None:
    """The report has both results, and says that nothing was changed unless that was forced."""
    worse = AdaptationResult(20, 12, 11, 900, 894, 880)
    lines = as_lines("our set", worse, kept=False, dry_run=False, seconds=12.0)
    assert lines[1].split()[-3:] == ["12", "11", "20"]
    assert lines[2].split()[-3:] == ["894", "880", "900"]
    assert "Other sets of tiles would be read worse: more than 0.5 % of the test tiles." in lines
    assert "Your own tiles would be read worse." in lines
    assert lines[-1] == "Nothing was changed. To keep it anyway, add --anyway."
    assert as_json("our set", worse, kept=False, seconds=12.04)["worse"] is True
    assert "is adapted, in 12 s" in as_lines("our set", worse, kept=True, dry_run=False, seconds=12.0)[-1]
