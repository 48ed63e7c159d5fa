"""A photo is a table that is seen once: by itself, or as the first still frame of a stream, it is read the same."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from tests.benchmarks.vision.photos import usual_width_px
from tests.support.truthful_networks import Truth, quad_at, row
from tilekeeper.datasets.photos import load_annotated
from tilekeeper.datasets.synthesis.scene.tables import render_table
from tilekeeper.models.evaluation.harder import Harder
from tilekeeper.models.evaluation.measure import photo_pictures, predictions_of
from tilekeeper.models.evaluation.score import match
from tilekeeper.vision.photos import load_photo
from tilekeeper.vision.pipeline import Reader
from tilekeeper.vision.shipped import load_reader
from tilekeeper.vision.tracking.tracker import FrameReader
from tilekeeper.vision.types import TableReading, TileSet

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Still:
    """One frame of a film of a still picture."""

    image_bgr: np.ndarray
    time_s: float


@pytest.fixture(scope="module")
def reader() -> Reader:
    """The networks that ship."""
    return load_reader(2)


def filmed(reader: Reader, image: np.ndarray, copies: int = 2) -> TableReading:
    """The reading of a picture that is shown until it counts as still."""
    tracker = FrameReader(reader, still_after_s=0.2, tile_set=TileSet(copies=copies))
    at = 0
    while not tracker.rest.settled:
        tracker.push(Still(image, 0.1 * at))
        at += 1
    return tracker.reading


def summary(reading: TableReading) -> object:
    """All of a reading but its tracks and its time."""
    tiles = [(tile.label, tile.doubts, tile.runner_up, round(tile.confidence, 6)) for tile in reading.tiles]
    corners = np.array([tile.sighting.quad_px for tile in reading.tiles]).round(2).tolist()
    others = [(way.rows, round(way.weight, 6)) for way in reading.other_rows]
    troubles = [(trouble.kind, trouble.region_px.round(2).tolist()) for trouble in reading.troubles]
    return tiles, corners, reading.rows, others, reading.status, troubles, reading.face_down.round(2).tolist()


def photos_in(folder: Path) -> list[Path]:
    listing = json.loads((folder / "photos.json").read_text("utf-8"))["photos"]
    return [folder / "images" / entry["file"] for entry in listing]


def rendered(seed: int) -> np.ndarray:
    return render_table(np.random.default_rng([seed, 3]), wh=(1280, 720)).image_bgr


def test_some_photos(reader: Reader, photos_folder: Path) -> None:
    """One of each twenty-five."""
    for path in photos_in(photos_folder)[::25]:
        image = load_photo(path).image_bgr
        assert summary(filmed(reader, image)) == summary(reader.read(image)), path.name


@pytest.mark.parametrize("step", [75, pytest.param(15, marks=pytest.mark.long)])
def test_some_photos_as_a_low_camera_sees_them(reader: Reader, photos_folder: Path, step: int) -> None:
    """From 25° above the table both look from straight above instead."""
    pictures = photo_pictures(load_annotated(photos_folder))
    lower, certain, tiles = Harder("low25", usual_width_px(pictures)), 0, 0
    for index, pictured in list(enumerate(pictures))[::step]:
        image, truth = lower.apply(index, pictured)
        reading = reader.read(image)
        assert summary(filmed(reader, image)) == summary(reading), pictured.name
        found = [at for at, cut in zip(match(truth, predictions_of(reading)), truth.cut, strict=True) if not cut]
        certain += sum(at is not None and not reading.tiles[at].doubtful for at in found)
        tiles += len(found)
    assert certain > 0.9 * tiles


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_every_photo(reader: Reader, photos_folder: Path) -> None:
    """All that there are."""
    for path in photos_in(photos_folder):
        image = load_photo(path).image_bgr
        assert summary(filmed(reader, image)) == summary(reader.read(image)), path.name


@pytest.mark.parametrize("seed", range(4))
def test_some_rendered_tables(reader: Reader, seed: int) -> None:
    """With all that lies between the tiles."""
    image = rendered(seed)
    assert summary(filmed(reader, image)) == summary(reader.read(image))


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_a_hundred_rendered_tables(reader: Reader) -> None:
    """With all that lies between the tiles."""
    for seed in range(100):
        image = rendered(seed)
        assert summary(filmed(reader, image)) == summary(reader.read(image)), seed


def test_a_set_with_one_of_each_tile() -> None:
    """Two red sevens are in doubt on a photo as in a film."""
    lying = [*row(200, 120, "red-7", "red-8", "red-9"), *row(200, 320, "red-7", "blue-7", "black-7")]
    quads = np.array([quad_at(x, y) for x, y, _ in lying])
    truth = Truth(quads, [label for *_, label in lying], (960, 540), misread_off=0.2)
    reader = Reader(truth, truth.classifier)
    image = truth.picture()

    def doubts(reading: TableReading) -> list[bool]:
        return [tile.doubtful for tile in reading.tiles]

    assert doubts(reader.read(image)) == doubts(filmed(reader, image)) == [False] * 6
    crowded = doubts(filmed(reader, image, copies=1))
    assert doubts(reader.read(image, TileSet(copies=1))) == crowded == [True, False, False] * 2


@pytest.mark.parametrize("copies", [2, 3, 4])
def test_a_set_with_three_or_four_of_each_tile(copies: int) -> None:
    """Boxes for six people have three of each, two boxes have four: so many are no reason to doubt, one more is."""
    others = ["black-7", "blue-7", "orange-7", "blue-3"]
    quads = np.array([quad_at(x, y) for y in (120, 320) for x, y, _ in row(200, y, *others[:3])])
    for laid in (copies, copies + 1):
        labels = ["red-7"] * laid + others[: 6 - laid]
        truth = Truth(quads, labels, (960, 540), misread_off=0.2)
        reader = Reader(truth, truth.classifier)
        image = truth.picture()
        for reading in (reader.read(image, TileSet(copies=copies)), filmed(reader, image, copies)):
            assert laid > copies or [tile.label for tile in reading.tiles] == labels
            assert [tile.doubtful for tile in reading.tiles] == [laid > copies] * laid + [False] * (6 - laid)
