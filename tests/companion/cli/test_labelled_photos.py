"""Corrected labels are assigned to the tiles of photos, and each error is reported with its line."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.support.known_tables import PICTURE_WH, table_reading
from tilekeeper.companion.cli.labelled_photos import LabelsRefused, labelled_tiles
from tilekeeper.vision.types import TableReading


class OneTable:
    """Reads every photo as the same table."""

    def __init__(self, notation: str) -> None:
        self.reading = table_reading(notation)

    def read(self, image_bgr: np.ndarray) -> TableReading:
        return self.reading


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with two photos."""
    drawn = np.random.default_rng(1).integers(0, 255, (PICTURE_WH[1], PICTURE_WH[0], 3)).astype(np.uint8)
    for name in ("one.png", "my: two.png"):
        cv2.imwrite(str(tmp_path / name), drawn)
    return tmp_path


def labels(folder: Path, text: str) -> Path:
    """Write the labels."""
    (folder / "labels.txt").write_text(text, "utf-8")
    return folder


def test_each_label_is_assigned_to_its_tile(folder: Path) -> None:
    """The lines that `read` prints are accepted; corrections are in front of them."""
    text = (
        "photos/one.png: R5 R6? O7 | K8 B8 -\n"
        "  R6? in meld 1 (50% sure, or else R9)\n"
        "photos/my: two.png: R5 R6 R7 | K8 B8 O8\n\n"
    )
    tiles = labelled_tiles(labels(folder, text), OneTable("R5 R6 R7 | K8 B8 O8"))
    assert [tile.label for tile in tiles if tile.hard] == ["orange-7", "no-tile"]
    assert sorted(tile.label for tile in tiles if not tile.hard) == sorted(
        ["red-5", "red-6", "black-8", "blue-8", "red-5", "red-6", "red-7", "black-8", "blue-8", "orange-8"]
    )
    assert [tile.hard for tile in tiles] == [True] * 2 + [False] * 10
    assert all(tile.crop.shape == (72, 48, 3) and tile.crop.dtype == np.uint8 for tile in tiles)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "lists no photo"),
        ("one.png R5\n", "line 1: a line holds the photo's name, a colon and the tiles of its table"),
        ("\nthree.png: R5 R6 R7\n", r"line 2: there is no photo .*three\.png"),
        ("one.png: R5 R6 Q7\n", "line 1: Q7: 'Q' is not a colour"),
        ("one.png: R5 R6\n", "has sets of 3 tiles, but the line has sets of 2"),
        ("one.png: R5 R6 | R7\n", "has sets of 3 tiles, but the line has sets of 2, 1"),
    ],
)
def test_error_in_labels_is_reported_with_its_line(folder: Path, text: str, message: str) -> None:
    """If one label is invalid, nothing is learned."""
    with pytest.raises(LabelsRefused, match=message):
        labelled_tiles(labels(folder, text), OneTable("R5 R6 R7"))


def test_missing_labels_tell_how_to_make_them(tmp_path: Path) -> None:
    """The message says how to make the labels."""
    with pytest.raises(LabelsRefused, match="tilekeeper read"):
        labelled_tiles(tmp_path, OneTable("R5 R6 R7"))
