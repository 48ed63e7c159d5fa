"""The training recipe of the shipped networks: its commands, and checks of its work folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tilekeeper.models.training import recipe
from tilekeeper.models.training.recipe import CLUTTERED, RACKS, TABLES, Recipe


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> list[tuple[object, ...]]:
    """Record the commands instead of running them."""
    commands: list[tuple[object, ...]] = []
    monkeypatch.setattr(recipe, "_run", lambda *arguments: commands.append(arguments))
    return commands


def rendered(folder: Path, count: int) -> None:
    """Write a list of this many tables into a folder."""
    folder.mkdir()
    (folder / "photos.json").write_text(json.dumps({"photos": [{}] * count}), "utf-8")


def test_only_missing_tables_are_rendered(tmp_path: Path, commands: list[tuple[object, ...]]) -> None:
    """A folder without its list is incomplete."""
    rendered(tmp_path / "train", TABLES)
    rendered(tmp_path / "racks", RACKS)
    (tmp_path / "clutter").mkdir()
    Recipe(tmp_path).render()
    assert [arguments[:4] for arguments in commands] == [
        ("datasets.synthesis.scene.tables", tmp_path / "clutter", "--count", CLUTTERED)
    ]


@pytest.mark.parametrize(("tables", "cluttered"), [(TABLES - 200, CLUTTERED), (TABLES, 7)])
def test_work_folder_with_another_number_of_tables_is_refused(
    tmp_path: Path, commands: list[tuple[object, ...]], tables: int, cluttered: int
) -> None:
    """The message names the folder and both numbers, and nothing is overwritten."""
    rendered(tmp_path / "train", tables)
    rendered(tmp_path / "clutter", cluttered)
    rendered(tmp_path / "racks", RACKS)
    wrong = ("train", tables, TABLES) if tables != TABLES else ("clutter", cluttered, CLUTTERED)
    with pytest.raises(SystemExit, match="{} holds {} pictures, and the training needs {}: empty".format(*wrong)):
        Recipe(tmp_path).render()
    assert commands == []


def test_share_scales_tables_and_minutes(tmp_path: Path, commands: list[tuple[object, ...]]) -> None:
    """A share of 0.01 renders a hundredth of the tables and trains a hundredth of the minutes."""
    short_recipe = Recipe(tmp_path, share=0.01)
    short_recipe.render()
    assert [arguments[3] for arguments in commands] == [18, 4, 5]
    commands.clear()
    short_recipe._turns("classifier", (100, 50))
    assert [arguments[arguments.index("--minutes") + 1] for arguments in commands] == [1, 0.5]
    assert "--start" not in commands[0]
    assert commands[1][commands[1].index("--start") + 1] == tmp_path / "classifier-turn-1.pt"


def test_verifier_of_the_racks_starts_from_a_weighted_mean(tmp_path: Path, commands: list[tuple[object, ...]]) -> None:
    """The last cycle on tables has twice the weight of its start."""
    Recipe(tmp_path)._train_verifier(tmp_path)
    evening = tmp_path / "verifier-evening.pt"
    *_, fine_tuning, averaging, racks, mean = commands
    before = fine_tuning[fine_tuning.index("--start") + 1]
    assert before == tmp_path / f"verifier-rounded-{len(recipe.VERIFIER_ROUNDED)}.pt"
    assert fine_tuning[fine_tuning.index("--out") + 1] == evening
    assert averaging[:4] == ("models.export.averaging", before, evening, evening)
    assert averaging[4:] == ("--out", tmp_path / "verifier-tables.pt")
    assert racks[racks.index("--start") + 1] == tmp_path / "verifier-tables.pt"
    after = tmp_path / "verifier-racks.pt"
    assert racks[racks.index("--out") + 1] == after
    assert mean[1:] == (tmp_path / "verifier-tables.pt", after, after, "--out", tmp_path / "verifier.pt")


def test_docstring_of_the_recipe_states_the_total_time() -> None:
    """Classifier and detector start at the same time."""
    first_minutes = max(sum(recipe.DETECTOR_TURNS), recipe.CLASSIFIER_TURNS[0])
    detector = recipe.DETECTOR_LAST + recipe.DETECTOR_ROUNDED + recipe.DETECTOR_RACKS
    verifier = sum(recipe.VERIFIER_TURNS + recipe.VERIFIER_ROUNDED)
    verifier += recipe.VERIFIER_CLUTTERED + recipe.VERIFIER_LAST + recipe.VERIFIER_EVENING
    classifier = sum(recipe.CLASSIFIER_TURNS[1:]) + recipe.CLASSIFIER_RACKS
    total = first_minutes + classifier + detector + verifier + recipe.VERIFIER_RACKS
    assert f"training {total}:" in (recipe.__doc__ or "")


def test_export_uses_pretrained_weights_for_untrained_networks(
    tmp_path: Path, commands: list[tuple[object, ...]]
) -> None:
    """If only the classifier was trained, the other networks are pretrained. Without a trained network it fails."""
    work, models_folder = tmp_path / "work", tmp_path / "models"
    work.mkdir()
    models_folder.mkdir()
    with pytest.raises(SystemExit, match="holds no trained network"):
        Recipe(work, models_folder).export()
    (work / "classifier.pt").touch()
    Recipe(work, models_folder).export()
    exported = commands[0]
    assert exported[exported.index("--classifier") + 1] == work / "classifier.pt"
    assert exported[exported.index("--detector") + 1] == recipe.MODELS / "pretrained" / "detector.pt"
    later = ["models.export.quantisation", "models.calibration.face_head", "models.export.averaging"]
    assert [arguments[0] for arguments in commands[1:]] == later
