"""Annotated images for training: photos by session and rendered tables, with certain tiles and ignored boxes."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from tilekeeper.datasets.synthesis.scene.composition import TrueTile
from tilekeeper.datasets.synthesis.scene.tables import RenderedTable, as_annotation
from tilekeeper.models.training.sources import RENDERED, photo_sources, rendered_sources, widths_px


def test_rendered_tables_round_trip(tmp_path: Path) -> None:
    """Whole tiles are certain, cut tiles are uncertain, and covered or tiny tiles are ignored boxes."""
    square = np.array([[10, 10], [30, 10], [30, 38], [10, 38]], np.float32)
    image = np.random.default_rng(1).integers(0, 255, (120, 160, 3), np.uint8)
    table = RenderedTable(
        image,
        (
            TrueTile("red-7", square, 0.99, False, 0),
            TrueTile("joker", square + np.float32((40, 0)), 0.5, False, 0),
            TrueTile("blue-1", square - np.float32((20, 0)), 0.45, True, 1),
            TrueTile("red-8", square * 0.5, 1.0, False, 1),
        ),
        "melds",
    )
    (tmp_path / "images").mkdir()
    cv2.imwrite(str(tmp_path / "images" / "00000.png"), image)
    (tmp_path / "photos.json").write_text(json.dumps({"photos": [as_annotation(table, "00000.png")]}), "utf-8")
    (source,) = rendered_sources(tmp_path)
    assert source.session == RENDERED
    assert source.labels == ("red-7", "blue-1")
    assert source.sure.tolist() == [True, False]
    assert np.array_equal(source.quads_px, np.array([square, square - (20, 0)], np.float32))
    assert source.hidden_px.tolist() == [[50, 10, 70, 38], [5, 5, 15, 19]]
    assert np.array_equal(source.image(), image)


def test_table_without_tiles_is_a_source(tmp_path: Path) -> None:
    """Empty arrays keep their shapes."""
    listing = {"photos": [as_annotation(RenderedTable(np.zeros((9, 9, 3), np.uint8), (), "none"), "a.jpg")]}
    (tmp_path / "photos.json").write_text(json.dumps(listing), "utf-8")
    (source,) = rendered_sources(tmp_path)
    assert source.quads_px.shape == (0, 4, 2)
    assert source.hidden_px.shape == (0, 4)
    assert source.sure.shape == (0,)
    assert widths_px(source.quads_px).shape == (0,)


@pytest.fixture
def few_photos(photos_folder: Path, tmp_path: Path) -> Path:
    """Return a folder with two photos of each session and their list."""
    photos = json.loads((photos_folder / "photos.json").read_text("utf-8"))["photos"]
    by_session: dict[str, list[dict]] = {}
    for photo in photos:
        by_session.setdefault(photo["session"], []).append(photo)
    few = [photo for session in by_session.values() for photo in session[:2]]
    (tmp_path / "photos.json").write_text(json.dumps({"photos": few}), "utf-8")
    (tmp_path / "images").symlink_to(photos_folder / "images")
    return tmp_path


def test_held_out_sessions_are_absent(few_photos: Path) -> None:
    """Three of five sessions remain if one session and the empty tables are held out."""
    remaining = photo_sources(few_photos, frozenset({"s2", "background"}))
    assert [source.session for source in remaining].count("s1") == 2
    assert {source.session for source in remaining} == {"s1", "s3", "s4"}
    assert {source.session for source in photo_sources(few_photos)} == {"s1", "s2", "s3", "s4", "background"}


def test_photos_have_upright_quads_labels_and_cut_flags(few_photos: Path) -> None:
    """Quads are clockwise, and cut tiles are uncertain."""
    listing = {p["file"]: p for p in json.loads((few_photos / "photos.json").read_text("utf-8"))["photos"]}
    for source in photo_sources(few_photos):
        listed = listing[source.path.name]["tiles"]
        assert source.quads_px.shape == (len(listed), 4, 2)
        assert source.labels == tuple(tile["label"] for tile in listed)
        assert source.sure.tolist() == [not tile["cut"] for tile in listed]
        assert all(cv2.contourArea(corners, oriented=True) > 0 for corners in source.quads_px)
        assert source.image().shape == (listing[source.path.name]["height"], listing[source.path.name]["width"], 3)


def test_width_of_a_quad_is_the_mean_of_top_and_bottom() -> None:
    """The width is in pixels; the tile may have any direction."""
    corners = np.array([[0, 0], [20, 0], [30, 50], [0, 50]], np.float32)
    assert widths_px(corners[None]).tolist() == [25]
    assert widths_px(corners[None, :, ::-1]).tolist() == [25]


def test_table_of_a_low_camera_is_marked_low(tmp_path: Path) -> None:
    """Such images must not be tilted further."""
    tables = [RenderedTable(np.zeros((9, 9, 3), np.uint8), (), "none", low) for low in (True, False)]
    listing = {"photos": [as_annotation(table, "a.jpg") for table in tables]}
    (tmp_path / "photos.json").write_text(json.dumps(listing), "utf-8")
    assert [source.low for source in rendered_sources(tmp_path)] == [True, False]
