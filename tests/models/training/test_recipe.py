"""The recipe of the networks that ship: what it renders, and what it finds in its work folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tilekeeper.models.training import recipe
from tilekeeper.models.training.recipe import CLUTTERED, TABLES, Recipe


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[object, ...]]:
    """The commands that would be run."""
    commands: list[tuple[object, ...]] = []
    monkeypatch.setattr(recipe, "_run", lambda *words: commands.append(words))
    return commands


def rendered(folder: Path, count: int) -> None:
    """List so many tables in a folder."""
    folder.mkdir()
    (folder / "photos.json").write_text(json.dumps({"photos": [{}] * count}), "utf-8")


def test_tables_that_are_missing_are_rendered_and_no_others(tmp_path: Path, asked: list[tuple[object, ...]]) -> None:
    """A folder whose list is not written yet was not finished."""
    rendered(tmp_path / "train", TABLES)
    (tmp_path / "clutter").mkdir()
    Recipe(tmp_path).render()
    assert [words[:4] for words in asked] == [
        ("datasets.synthesis.scene.tables", tmp_path / "clutter", "--count", CLUTTERED)
    ]


@pytest.mark.parametrize(("tables", "cluttered"), [(TABLES - 200, CLUTTERED), (TABLES, 7)])
def test_a_work_folder_with_other_tables_is_refused(
    tmp_path: Path, asked: list[tuple[object, ...]], tables: int, cluttered: int
) -> None:
    """It says which folder, how many there are and how many there should be; nothing is rendered over them."""
    rendered(tmp_path / "train", tables)
    rendered(tmp_path / "clutter", cluttered)
    wrong = ("train", tables, TABLES) if tables != TABLES else ("clutter", cluttered, CLUTTERED)
    with pytest.raises(SystemExit, match="{} holds {} tables, and the training needs {}: empty".format(*wrong)):
        Recipe(tmp_path).render()
    assert asked == []


def test_a_share_of_the_recipe_renders_and_trains_that_share(tmp_path: Path, asked: list[tuple[object, ...]]) -> None:
    """A hundredth of the tables, and of the minutes of every turn."""
    tried = Recipe(tmp_path, share=0.01)
    tried.render()
    assert [words[3] for words in asked] == [18, 4]
    asked.clear()
    tried._turns("classifier", (100, 50))
    assert [words[words.index("--minutes") + 1] for words in asked] == [1, 0.5]
    assert "--start" not in asked[0]
    assert asked[1][asked[1].index("--start") + 1] == tmp_path / "classifier-turn-1.pt"


def test_the_verifier_that_ships_is_the_mean_of_before_the_last_turn_once_and_after_it_twice(
    tmp_path: Path, asked: list[tuple[object, ...]]
) -> None:
    """The last turn begins where the rounded ones ended."""
    Recipe(tmp_path)._train_verifier(tmp_path)
    evening = tmp_path / "verifier-evening.pt"
    *_, learnt, averaged = asked
    before = learnt[learnt.index("--start") + 1]
    assert before == tmp_path / f"verifier-rounded-{len(recipe.VERIFIER_ROUNDED)}.pt"
    assert learnt[learnt.index("--out") + 1] == evening
    assert averaged[:4] == ("models.export.averaging", before, evening, evening)
    assert averaged[4:] == ("--out", tmp_path / "verifier.pt")


def test_the_recipe_says_how_long_it_takes() -> None:
    """The minutes in its first words are those of all turns; classifier and detector begin side by side."""
    first = max(sum(recipe.DETECTOR_TURNS), recipe.CLASSIFIER_TURNS[0])
    detector = recipe.DETECTOR_LAST + recipe.DETECTOR_ROUNDED
    verifier = sum(recipe.VERIFIER_TURNS + recipe.VERIFIER_ROUNDED)
    verifier += recipe.VERIFIER_CLUTTERED + recipe.VERIFIER_LAST + recipe.VERIFIER_EVENING
    assert f"training {first + sum(recipe.CLASSIFIER_TURNS[1:]) + detector + verifier}:" in (recipe.__doc__ or "")


def test_export_takes_the_pretrained_weights_of_what_was_not_trained(
    tmp_path: Path, asked: list[tuple[object, ...]]
) -> None:
    """A classifier trained by itself is exported with the detector and the verifier that ship; with none, it is
    refused."""
    work, to = tmp_path / "work", tmp_path / "models"
    work.mkdir()
    to.mkdir()
    with pytest.raises(SystemExit, match="holds no trained network"):
        Recipe(work, to).export()
    (work / "classifier.pt").touch()
    Recipe(work, to).export()
    exported = asked[0]
    assert exported[exported.index("--classifier") + 1] == work / "classifier.pt"
    assert exported[exported.index("--detector") + 1] == recipe.MODELS / "pretrained" / "detector.pt"
    assert [words[0] for words in asked[1:]] == ["models.export.quantisation", "models.export.averaging"]
