"""Held-out photos: each session has its own reader, all readers read the empty tables, and photos are degraded."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.benchmarks.vision import photos
from tests.benchmarks.vision.photos import PhotosSeen, read_photos, readers_of, usual_width_px
from tilekeeper.models.evaluation.measure import Pictured
from tilekeeper.models.evaluation.score import Truth
from tilekeeper.vision.types import LabelProbabilities, ReadTile, Sighting, TableReading

NAMES = LabelProbabilities(np.full(15, -np.log(15)), np.full(4, -np.log(4)))
QUAD = np.array([[80, 60], [112, 60], [112, 105], [80, 105]], np.float32)


class Reader:
    """A reader that returns the same reading for every image, and stores its images."""

    def __init__(self, label: str, quad_px: np.ndarray = QUAD) -> None:
        self.label, self.quad_px = label, quad_px
        self.shown: list[np.ndarray] = []

    def read(self, image_bgr: np.ndarray) -> TableReading:
        self.shown.append(image_bgr)
        tile = ReadTile(Sighting(0, self.quad_px, NAMES), self.label, 0.9, "joker")
        return TableReading((tile,), ((0,),), image_bgr.shape[1::-1])


def photo(name: str, session: str, *labels: str) -> Pictured:
    truth = Truth(labels, (QUAD,) * len(labels), (False,) * len(labels), np.zeros((0, 4)))
    return Pictured(name, session, truth, None, lambda: np.full((160, 200, 3), 120, np.uint8))


PHOTOS = (photo("1", "s1", "red-1"), photo("2", "s2", "red-1"), photo("3", "background"))


def test_each_session_is_read_by_the_reader_that_held_it_out() -> None:
    """With one reader per session, all read the empty table; its false detections count in the pooled figures."""
    readers = {"s1": Reader("red-1"), "s2": Reader("red-2")}
    counts = read_photos(PHOTOS, readers)
    assert [counts[session].tally.right for session in ("s1", "s2", "pooled")] == [1, 0, 1]
    pooled = counts["pooled"].tally
    assert (pooled.tiles, pooled.photos, pooled.invented, pooled.silent) == (2, 4, 2, 3)
    assert [scored_tile.right for scored_tile in counts["pooled"].scored] == [True, False, False, False]


def test_single_reader_reads_the_empty_tables_once() -> None:
    """Networks without photos in training are one reader for all sessions."""
    reader = Reader("red-1")
    pooled = read_photos(PHOTOS, {"s1": reader, "s2": reader})["pooled"].tally
    assert (len(reader.shown), pooled.photos, pooled.invented) == (3, 3, 1)


def test_reader_gets_the_harder_photos() -> None:
    """Tiles shrink to 16 px, the empty table by the same factor, and the truth with them."""
    half = Reader("red-1", QUAD / 2)
    pooled = read_photos(PHOTOS, {"s1": half, "s2": half}, "small")["pooled"].tally
    assert {image.shape for image in half.shown} == {(80, 100, 3)}
    assert (pooled.right, pooled.tiles) == (2, 2)


def test_photos_for_low_cameras_are_read_several_times() -> None:
    """The place of the camera is different each time, and all readings count together."""
    reader = Reader("red-1")
    pooled = read_photos(PHOTOS, {"s1": reader, "s2": reader}, "low25")["pooled"].tally
    assert (len(reader.shown), pooled.photos, pooled.tiles) == (9, 9, 6)
    assert len({image.tobytes() for image in reader.shown}) == len({image.shape for image in reader.shown}) == 9


def test_usual_width_is_the_median_over_photos() -> None:
    """Photos without tiles do not count, and there is a default."""
    assert usual_width_px(PHOTOS) == pytest.approx(32)
    assert usual_width_px([photo("3", "background")]) > 0


def test_folds_are_found_by_their_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder `s1` means one reader per session; without it one reader reads all."""
    monkeypatch.setattr(photos, "reader_of", lambda folder: Reader(folder.name))
    scored_tile = readers_of(tmp_path)
    assert len(set(map(id, scored_tile.values()))) == 1
    (tmp_path / "s1").mkdir()
    assert {session: reader.label for session, reader in readers_of(tmp_path).items()} == {s: s for s in scored_tile}


def test_networks_trained_on_photos_are_not_measured_on_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If a shipped network was trained on photos, the caller must name others."""
    monkeypatch.setattr(photos, "reader_of", lambda folder: Reader(folder.name if folder else "shipped"))
    manifest = {name: {"training_data": ["rendered tables"]} for name in ("detector", "classifier", "verifier")}
    monkeypatch.setattr(photos, "read_manifest", lambda: manifest)
    assert {reader.label for reader in readers_of(None).values()} == {"shipped"}
    manifest["verifier"]["training_data"].append("204 photos of real tiles")
    with pytest.raises(PhotosSeen, match="--unseen"):
        readers_of(None)
    assert {reader.label for reader in readers_of(tmp_path).values()} == {tmp_path.name}
