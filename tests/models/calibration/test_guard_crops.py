"""Guard crops are cropped from rendered tables as the reader crops tiles, and are stored with their labels."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from tilekeeper.datasets.synthesis.scene.tables import as_annotation, render_table
from tilekeeper.models.calibration.guard_crops import crops_of, write
from tilekeeper.models.training.sources import Source, rendered_sources
from tilekeeper.vision.finetune.labelled_crops import FILE, load_shipped_crops
from tilekeeper.vision.manifest import ModelsMissing
from tilekeeper.vision.types import NOT_A_TILE


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> list[Source]:
    """A rendered table."""
    folder = tmp_path_factory.mktemp("tables")
    table = render_table(np.random.default_rng(4), "kept-out", (800, 600), "shelves", 34, hands=False)
    (folder / "images").mkdir()
    cv2.imwrite(str(folder / "images" / "0.jpg"), table.image_bgr)
    (folder / "photos.json").write_text(json.dumps({"photos": [as_annotation(table, "0.jpg")]}))
    return rendered_sources(folder)


def test_guard_crops_round_trip(sources: list[Source], tmp_path: Path) -> None:
    """Labels are equal; images have the losses of WebP."""
    crops = crops_of(sources, 30, np.random.default_rng(1))
    assert len(crops) == 30
    labels = {(number, ink) for number, ink in zip(crops.numbers, crops.inks, strict=True) if number < 13}
    assert labels <= {
        (int(label.split("-")[1]) - 1, ("black", "blue", "orange", "red").index(label.split("-")[0]))
        for label in sources[0].labels
        if "-" in label
    }
    write(tmp_path / FILE, {"held": crops.at(np.arange(10)), "check": crops})
    loaded = load_shipped_crops(tmp_path)
    assert (len(loaded.held), len(loaded.check)) == (10, 30)
    for field in ("numbers", "inks", "turned"):
        assert np.array_equal(getattr(loaded.check, field), getattr(crops, field))
    differences = np.abs(loaded.check.crops.astype(int) - crops.crops)
    assert differences.mean() < 8


def test_some_crops_are_upside_down_and_some_are_non_tiles(sources: list[Source]) -> None:
    """A non-tile is never marked upside down."""
    crops = crops_of(sources, 40, np.random.default_rng(2))
    assert 0 < crops.turned.sum() < 15
    assert not crops.turned[crops.numbers == NOT_A_TILE].any()


def test_too_few_tiles_exit_with_an_error(sources: list[Source]) -> None:
    """Nothing is written."""
    with pytest.raises(SystemExit, match="the tables hold"):
        crops_of(sources, 100_000, np.random.default_rng(1))


@pytest.mark.parametrize(("data", "message"), [(None, "missing"), (b"", "damaged"), (b"PK\x03\x04 cut", "damaged")])
def test_unreadable_file_of_crops_raises_an_error(tmp_path: Path, data: bytes | None, message: str) -> None:
    if data is not None:
        (tmp_path / FILE).write_bytes(data)
    with pytest.raises(ModelsMissing, match=message):
        load_shipped_crops(tmp_path)
