"""A photo and a stream of the same still image give the same reading."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.benchmarks.vision.photos import usual_width_px
from tests.support.frames import Frame
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


@pytest.fixture(scope="module")
def reader() -> Reader:
    """Return a reader with the shipped networks."""
    return load_reader(2)


def read_as_stream(reader: Reader, image: np.ndarray, copies: int = 2) -> TableReading:
    """Return the reading of a stream that repeats the image until it is settled."""
    tracker = FrameReader(reader, still_after_s=0.2, tile_set=TileSet(copies=copies))
    at = 0
    while not tracker.rest.settled:
        tracker.push(Frame(image, 0.1 * at))
        at += 1
    return tracker.reading


def summary(reading: TableReading) -> object:
    """Return all of a reading without its tracks and its time."""
    tile_count = [(tile.label, tile.doubts, tile.runner_up, round(tile.confidence, 6)) for tile in reading.tiles]
    corners = np.array([tile.sighting.quad_px for tile in reading.tiles]).round(2).tolist()
    other_groupings = [(way.rows, round(way.weight, 6)) for way in reading.other_rows]
    troubles = [(trouble.kind, trouble.region_px.round(2).tolist()) for trouble in reading.troubles]
    return (
        tile_count,
        corners,
        reading.rows,
        other_groupings,
        reading.status,
        troubles,
        reading.face_down.round(2).tolist(),
    )


def photos_in(folder: Path) -> list[Path]:
    listing = json.loads((folder / "photos.json").read_text("utf-8"))["photos"]
    return [folder / "images" / entry["file"] for entry in listing]


def rendered(seed: int) -> np.ndarray:
    return render_table(np.random.default_rng([seed, 3]), wh=(1280, 720)).image_bgr


def test_every_50th_photo_is_read_the_same_in_a_stream(reader: Reader, photos_folder: Path) -> None:
    for path in photos_in(photos_folder)[::50]:
        image = load_photo(path).image_bgr
        assert summary(read_as_stream(reader, image)) == summary(reader.read(image)), path.name


@pytest.mark.parametrize("step", [75, pytest.param(15, marks=pytest.mark.long)])
def test_photos_of_a_low_camera_are_read_the_same_in_a_stream(reader: Reader, photos_folder: Path, step: int) -> None:
    """The camera is 25° above the table, so both read a rectified view."""
    pictures = photo_pictures(load_annotated(photos_folder))
    lower, certain_count, tile_count = Harder("low25", usual_width_px(pictures)), 0, 0
    for index, pictured in list(enumerate(pictures))[::step]:
        image, truth = lower.apply(index, pictured)
        reading = reader.read(image)
        assert summary(read_as_stream(reader, image)) == summary(reading), pictured.name
        matched = [at for at, cut in zip(match(truth, predictions_of(reading)), truth.cut, strict=True) if not cut]
        certain_count += sum(at is not None and not reading.tiles[at].doubtful for at in matched)
        tile_count += len(matched)
    assert certain_count > 0.9 * tile_count


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_every_photo_is_read_the_same_in_a_stream(reader: Reader, photos_folder: Path) -> None:
    for path in photos_in(photos_folder):
        image = load_photo(path).image_bgr
        assert summary(read_as_stream(reader, image)) == summary(reader.read(image)), path.name


@pytest.mark.parametrize("seed", range(2))
def test_rendered_table_is_read_the_same_in_a_stream(reader: Reader, seed: int) -> None:
    image = rendered(seed)
    assert summary(read_as_stream(reader, image)) == summary(reader.read(image))


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_a_hundred_rendered_tables_are_read_the_same_in_a_stream(reader: Reader) -> None:
    for seed in range(100):
        image = rendered(seed)
        assert summary(read_as_stream(reader, image)) == summary(reader.read(image)), seed


def test_two_red_sevens_of_a_set_with_single_copies_are_flagged_on_a_photo_and_in_a_stream() -> None:
    tiles = [*row(200, 120, "red-7", "red-8", "red-9"), *row(200, 320, "red-7", "blue-7", "black-7")]
    quads = np.array([quad_at(x, y) for x, y, _ in tiles])
    truth = Truth(quads, [label for *_, label in tiles], (960, 540), misread_off=0.2)
    reader = Reader(truth, truth.classifier)
    image = truth.picture()

    def doubts(reading: TableReading) -> list[bool]:
        return [tile.doubtful for tile in reading.tiles]

    assert doubts(reader.read(image)) == doubts(read_as_stream(reader, image)) == [False] * 6
    expected_doubts = doubts(read_as_stream(reader, image, copies=1))
    assert doubts(reader.read(image, TileSet(copies=1))) == expected_doubts == [True, False, False] * 2


@pytest.mark.parametrize("copies", [2, 3, 4])
def test_only_surplus_copies_of_a_set_with_several_copies_are_flagged(copies: int) -> None:
    """A box for six people has three of each tile, and two boxes have four; one more copy is flagged."""
    other_groupings = ["black-7", "blue-7", "orange-7", "blue-3"]
    quads = np.array([quad_at(x, y) for y in (120, 320) for x, y, _ in row(200, y, *other_groupings[:3])])
    for red_count in (copies, copies + 1):
        labels = ["red-7"] * red_count + other_groupings[: 6 - red_count]
        truth = Truth(quads, labels, (960, 540), misread_off=0.2)
        reader = Reader(truth, truth.classifier)
        image = truth.picture()
        for reading in (reader.read(image, TileSet(copies=copies)), read_as_stream(reader, image, copies)):
            assert red_count > copies or [tile.label for tile in reading.tiles] == labels
            assert [tile.doubtful for tile in reading.tiles] == [red_count > copies] * red_count + [False] * (
                6 - red_count
            )
