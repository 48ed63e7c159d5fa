"""The recipe of the networks that ship: what it renders, and what it finds in its work folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tilekeeper.models.training import recipe as train


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[object, ...]]:
    """The commands that would be run."""
    commands: list[tuple[object, ...]] = []
    monkeypatch.setattr(train, "_run", lambda *words: commands.append(words))
    return commands


def rendered(folder: Path, count: int) -> None:
    """List so many tables in a folder."""
    folder.mkdir()
    (folder / "photos.json").write_text(json.dumps({"photos": [{}] * count}), "utf-8")


def test_tables_that_are_missing_are_rendered_and_no_others(tmp_path: Path, asked: list[tuple[object, ...]]) -> None:
    """A folder whose list is not written yet was not finished."""
    rendered(tmp_path / "train", train.TABLES)
    (tmp_path / "clutter").mkdir()
    train.render(tmp_path)
    assert [words[:4] for words in asked] == [
        ("datasets.synthesis.scene.tables", tmp_path / "clutter", "--count", train.CLUTTERED)
    ]


@pytest.mark.parametrize(("tables", "cluttered"), [(train.TABLES - 200, train.CLUTTERED), (train.TABLES, 7)])
def test_a_work_folder_with_other_tables_is_refused(
    tmp_path: Path, asked: list[tuple[object, ...]], tables: int, cluttered: int
) -> None:
    """It says which folder, how many there are and how many there should be; nothing is rendered over them."""
    rendered(tmp_path / "train", tables)
    rendered(tmp_path / "clutter", cluttered)
    wrong = ("train", tables, train.TABLES) if tables != train.TABLES else ("clutter", cluttered, train.CLUTTERED)
    with pytest.raises(SystemExit, match="{} holds {} tables, and the networks learn from {}: empty".format(*wrong)):
        train.render(tmp_path)
    assert asked == []
