"""Photos never seen: each session by its own reader, the empty tables by all, every way of being harder applied."""

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
    """Says the same of every picture, and keeps what it was shown."""

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


def test_every_session_by_a_reader_that_never_saw_it() -> None:
    """With a pair for each, the empty table is read by both; what is invented there counts among the pooled."""
    readers = {"s1": Reader("red-1"), "s2": Reader("red-2")}
    counts = read_photos(PHOTOS, readers)
    assert [counts[session].tally.right for session in ("s1", "s2", "pooled")] == [1, 0, 1]
    pooled = counts["pooled"].tally
    assert (pooled.tiles, pooled.photos, pooled.invented, pooled.silent) == (2, 4, 2, 3)
    assert [one.right for one in counts["pooled"].scored] == [True, False, False, False]


def test_one_pair_reads_the_empty_tables_once() -> None:
    """Networks that saw no photo at all are one reader, whichever session it is."""
    reader = Reader("red-1")
    pooled = read_photos(PHOTOS, {"s1": reader, "s2": reader})["pooled"].tally
    assert (len(reader.shown), pooled.photos, pooled.invented) == (3, 3, 1)


def test_harder_photos_are_what_the_reader_is_shown() -> None:
    """Shrunk by as much as makes the tile 16 px wide, the empty table by as much as the others; truth goes along."""
    half = Reader("red-1", QUAD / 2)
    pooled = read_photos(PHOTOS, {"s1": half, "s2": half}, "small")["pooled"].tally
    assert {image.shape for image in half.shown} == {(80, 100, 3)}
    assert (pooled.right, pooled.tiles) == (2, 2)


def test_low_cameras_see_each_photo_several_times() -> None:
    """Each time from elsewhere, and what all saw is counted together."""
    reader = Reader("red-1")
    pooled = read_photos(PHOTOS, {"s1": reader, "s2": reader}, "low25")["pooled"].tally
    assert (len(reader.shown), pooled.photos, pooled.tiles) == (9, 9, 6)
    assert len({image.tobytes() for image in reader.shown}) == len({image.shape for image in reader.shown}) == 9


def test_the_usual_width_is_that_of_the_middle_photo() -> None:
    """Photos without tiles say nothing; with none at all there is some width."""
    assert usual_width_px(PHOTOS) == pytest.approx(32)
    assert usual_width_px([photo("3", "background")]) > 0


def test_folds_are_known_by_their_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder `s1` means a pair for each session; without it one pair reads all."""
    monkeypatch.setattr(photos, "reader_of", lambda folder: Reader(folder.name))
    one = readers_of(tmp_path)
    assert len(set(map(id, one.values()))) == 1
    (tmp_path / "s1").mkdir()
    assert {session: reader.label for session, reader in readers_of(tmp_path).items()} == {s: s for s in one}


def test_networks_that_learnt_from_photos_are_not_measured_on_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where any of those that ship did, others must be named; whoever names some knows what they have seen."""
    monkeypatch.setattr(photos, "reader_of", lambda folder: Reader(folder.name if folder else "shipped"))
    manifest = {name: {"training_data": ["rendered tables"]} for name in ("detector", "classifier", "verifier")}
    monkeypatch.setattr(photos, "read_manifest", lambda: manifest)
    assert {reader.label for reader in readers_of(None).values()} == {"shipped"}
    manifest["verifier"]["training_data"].append("204 photos of real tiles")
    with pytest.raises(PhotosSeen, match="--unseen"):
        readers_of(None)
    assert {reader.label for reader in readers_of(tmp_path).values()} == {tmp_path.name}
