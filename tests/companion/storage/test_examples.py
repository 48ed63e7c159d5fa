"""Corrected tiles are stored only with consent, losslessly, and can be listed and deleted."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from tilekeeper.companion.storage.examples import MOST_KEPT, Examples, StoredTile
from tilekeeper.vision.finetune.own_sets import OwnSetRefused
from tilekeeper.vision.recognition.classifier import crop_tiles

QUAD = np.array([[40, 30], [80, 34], [76, 92], [36, 88]], np.float32)


def picture(seed: int = 0) -> np.ndarray:
    """A random picture `(120, 160, 3) uint8` of soft colours."""
    drawn = np.random.default_rng(seed).integers(0, 255, (120, 160, 3)).astype(np.uint8)
    return cv2.GaussianBlur(drawn, (0, 0), 2)


def agreed(folder: Path, name: str = "our set") -> Examples:
    """The examples of a user who has agreed."""
    examples = Examples(folder, name)
    examples.answer(True)
    return examples


def keep(examples: Examples, label: str = "red-4", read_as: str = "red-11", seed: int = 0) -> StoredTile | None:
    """Store the tile of a picture as an example."""
    return examples.keep(picture(seed), (160, 120), QUAD, label, read_as)


def test_nothing_is_kept_before_the_user_agrees(tmp_path: Path) -> None:
    """Before an answer, and after a no, corrections store no picture."""
    examples = Examples(tmp_path)
    assert examples.agreed is None
    assert keep(examples) is None
    examples.answer(False)
    assert examples.agreed is False
    assert keep(examples) is None
    assert not list(tmp_path.rglob("*.png"))
    examples.answer(True)
    assert Examples(tmp_path).agreed is True
    assert keep(examples) is not None
    assert len(list(tmp_path.rglob("*.png"))) == 1


@pytest.mark.parametrize("content", ["", "{", "[]", '{"agreed": 1}', '{"agreed": "yes"}'])
def test_unreadable_answer_is_no_consent(tmp_path: Path, content: str) -> None:
    examples = agreed(tmp_path)
    (tmp_path / "examples" / "consent.json").write_text(content)
    assert not examples.agreed
    assert keep(examples) is None


def test_crop_is_loaded_as_the_classifier_saw_it(tmp_path: Path) -> None:
    """All pixels are equal, and so are the label and the label of the reading."""
    examples = agreed(tmp_path)
    kept = keep(examples)
    (found,) = examples.all()
    assert found == kept
    assert (found.label, found.read_as) == ("red-4", "red-11")
    assert np.array_equal(found.crop(), crop_tiles(picture(), QUAD[None])[0][0].round().astype(np.uint8))


def test_corners_of_the_reading_are_scaled_to_the_picture(tmp_path: Path) -> None:
    """The corners are scaled to a picture of another size, which shows the same tile a little softer."""
    examples = agreed(tmp_path)
    whole, half = picture(), cv2.resize(picture(), (80, 60), interpolation=cv2.INTER_AREA)
    first = examples.keep(whole, (160, 120), QUAD, "red-4", "red-11")
    second = examples.keep(half, (160, 120), QUAD, "red-4", "red-11")
    assert first is not None
    assert second is not None
    assert np.corrcoef(first.crop().ravel(), second.crop().ravel())[0, 1] > 0.9


def test_last_correction_of_a_tile_counts(tmp_path: Path) -> None:
    """A tile that is corrected twice in one picture is one example."""
    examples = agreed(tmp_path)
    keep(examples, "red-4")
    keep(examples, "red-1")
    assert [one.label for one in examples.all()] == ["red-1"]


def test_inks_are_stored_as_the_classifier_names_them(tmp_path: Path) -> None:
    """Yellow of one edition is the ink that another edition calls orange."""
    examples = agreed(tmp_path)
    inks = ("black", "blue", "yellow", "red")
    kept = examples.keep(picture(), (160, 120), QUAD, "yellow-4", "no-tile", inks)
    assert kept is not None
    assert (kept.label, kept.read_as) == ("orange-4", "no-tile")
    with pytest.raises(ValueError, match="no label"):
        keep(examples, "green-4")


def test_examples_of_each_set_are_separate(tmp_path: Path) -> None:
    """Each tile set has its own examples; the consent counts for all."""
    old, travel = agreed(tmp_path, "the old set"), Examples(tmp_path, "travel")
    assert travel.agreed is True
    keep(old)
    keep(travel, seed=1)
    keep(travel, seed=2)
    assert (len(old.all()), len(travel.all())) == (1, 2)
    with pytest.raises(OwnSetRefused):
        Examples(tmp_path, " ")


def test_examples_are_deleted_by_id_or_all(tmp_path: Path) -> None:
    """Deleted files are gone; an unknown id deletes nothing."""
    examples = agreed(tmp_path)
    kept = [keep(examples, seed=seed) for seed in range(4)]
    assert examples.forget(["0000000000"]) == 0
    assert kept[1] is not None
    assert examples.forget([kept[1].id]) == 1
    assert not kept[1].path.exists()
    assert len(examples.all()) == 3
    assert examples.forget() == 3
    assert not list(tmp_path.rglob("*.png"))


def test_oldest_examples_are_deleted_beyond_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One set has at most a fixed number of examples."""
    assert MOST_KEPT >= 300
    monkeypatch.setattr("tilekeeper.companion.storage.examples.MOST_KEPT", 3)
    moments = iter(f"20260101T00000{i}" for i in range(9))
    monkeypatch.setattr("tilekeeper.companion.storage.examples._now", lambda: next(moments))
    examples = agreed(tmp_path)
    kept = [keep(examples, seed=seed) for seed in range(5)]
    assert examples.all() == kept[2:]


def test_other_files_in_the_folder_are_ignored(tmp_path: Path) -> None:
    """A picture with another name is no example; an example whose size was changed is reported."""
    examples = agreed(tmp_path)
    kept = keep(examples)
    assert kept is not None
    (kept.path.parent / "holiday.png").write_bytes(kept.path.read_bytes())
    assert examples.all() == [kept]
    cv2.imwrite(str(kept.path), np.zeros((5, 5, 3), np.uint8))
    with pytest.raises(OSError, match="no picture of 48 by 72"):
        examples.all()[0].crop()
    assert examples.forget() == 1
    assert (kept.path.parent / "holiday.png").exists()
