"""The namer's training samples: cut as the namer cuts, named by their labels, and what is no tile named so."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from tilekeeper.models import namer_samples
from tilekeeper.models.namer_samples import INKS, STORE_WH, collect, cut_out, draw_crop
from tilekeeper.models.sources import Source
from tilekeeper.vision.namer import CROP_WH, JOKER, NOT_A_TILE, rectify, whiten
from tilekeeper.vision.sighting import INKS as INKS_OF_THE_READER

NO_BOXES = np.zeros((0, 4), np.float32)


def quad(x: float, y: float, width: float, turn: float = 0.0) -> np.ndarray:
    """A tile's quad about `x, y`, turned clockwise by `turn` radians."""
    local = np.array([[-1, -1.4], [1, -1.4], [1, 1.4], [-1, 1.4]]) * width / 2
    cos, sin = np.cos(turn), np.sin(turn)
    return (local @ np.array([[cos, sin], [-sin, cos]]) + (x, y)).astype(np.float32)


class StillRandom:
    """A generator that never jitters and draws the largest of a range."""

    def normal(self, mean: float, spread: float, size: object = None) -> np.ndarray:
        return np.full(size or (), mean, float)

    def uniform(self, low: float, high: float) -> float:
        return high


@pytest.fixture
def unharmed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave light and noise away, so that crops can be compared."""
    monkeypatch.setattr(namer_samples, "recolour", lambda rng, image: image)
    monkeypatch.setattr(namer_samples, "degrade", lambda rng, image, tile_px, harm: image.clip(0, 255).astype(np.uint8))


def soft_picture() -> np.ndarray:
    """A picture full of soft colours, none like another."""
    noise = np.random.default_rng(6).integers(0, 255, (500, 500, 3), np.uint8)
    return cv2.normalize(cv2.GaussianBlur(noise, (0, 0), 8), None, 0, 255, cv2.NORM_MINMAX)


@pytest.mark.usefixtures("unharmed")
@pytest.mark.parametrize("width", [30.0, 60.0, 120.0])
@pytest.mark.parametrize("turn", [0.0, 0.8, 2.6])
def test_training_crops_are_what_the_namer_sees(width: float, turn: float) -> None:
    """Without jitter and harm, a training crop is the very crop that the namer cuts out of the picture."""
    image, place = soft_picture(), quad(250, 250, width, turn)
    taught = draw_crop(StillRandom(), cut_out(image, place), upside_down=False)
    seen = whiten(rectify(image, place[None]))[0][..., ::-1]
    assert taught.shape == seen.shape == (CROP_WH[1], CROP_WH[0], 3)
    # half a pixel of a crop would be 2 to 3 times as much
    assert np.abs(taught - seen).mean() < 0.012


@pytest.mark.usefixtures("unharmed")
def test_upside_down_crops_are_turned_by_half_a_turn() -> None:
    """Turned, not mirrored: it is the crop of the quad read from its other end."""
    image, place = soft_picture(), quad(250, 250, 60, 0.4)
    taught = draw_crop(StillRandom(), cut_out(image, place), upside_down=True)
    seen = whiten(rectify(image, np.roll(place, 2, axis=0)[None]))[0][..., ::-1]
    assert np.abs(taught - seen).mean() < 0.012
    upright = draw_crop(StillRandom(), cut_out(image, place), upside_down=False)
    assert np.abs(taught - upright).mean() > 0.1
    assert np.abs(taught - upright[:, ::-1]).mean() > 0.1


def test_a_cut_out_keeps_room_around_the_tile() -> None:
    """The tile fills the middle, its surroundings the rest, also across the picture's edge."""
    image = np.zeros((200, 200, 3), np.uint8)
    cv2.fillConvexPoly(image, quad(100, 100, 50).astype(np.int32), (255, 255, 255))
    crop = cut_out(image, quad(100, 100, 50))
    assert crop.shape == (STORE_WH[1], STORE_WH[0], 3)
    assert crop[20:96, 15:65].min() > 200
    assert crop[:13].max() == 0
    assert crop[:, :9].max() == 0
    assert cut_out(image, quad(0, 0, 50)).shape == crop.shape


def listed(tmp_path: Path, places: list[tuple[str, np.ndarray, bool]], hidden: np.ndarray = NO_BOXES) -> Source:
    """A picture on which each tile is a block of its own brightness, on black."""
    image = np.zeros((600, 800, 3), np.uint8)
    for i, (_, corners, _) in enumerate(places):
        cv2.fillConvexPoly(image, np.round(corners).astype(np.int32), (60 + 20 * i,) * 3)
    path = tmp_path / "table.png"
    cv2.imwrite(str(path), image)
    quads = np.array([corners for _, corners, _ in places], np.float32).reshape(-1, 4, 2)
    sure = np.array([certain for _, _, certain in places], bool)
    return Source(path, "s1", quads, tuple(label for label, _, _ in places), sure, hidden)


def test_labels_become_numbers_and_inks_in_the_readers_order(tmp_path: Path) -> None:
    """Jokers have no ink; tiles that are unsure or too small to read are not taught."""
    places = [
        ("black-1", quad(100, 100, 50), True), ("blue-13", quad(250, 100, 50), True),
        ("orange-6", quad(400, 100, 50), True), ("red-9", quad(550, 100, 50), True),
        ("joker", quad(100, 400, 50), True), ("red-2", quad(250, 400, 50), False), ("red-3", quad(400, 400, 13), True),
    ]  # fmt: skip
    crops, numbers, inks = collect([listed(tmp_path, places)], np.random.default_rng(1), negatives=0)
    tiles = numbers != NOT_A_TILE
    assert numbers[tiles].tolist() == [0, 12, 5, 8, JOKER]
    assert inks[tiles].tolist() == [0, 1, 2, 3, -1]
    assert crops[tiles][:, 58, 40, 0].tolist() == [60, 80, 100, 120, 140]
    assert INKS == INKS_OF_THE_READER


def test_what_is_no_tile_lies_beside_the_tiles(tmp_path: Path) -> None:
    """Places that are named "not a tile" have no ink, are many when asked for, and none has a tile at its middle."""
    # each tile's inner half is bright: a place with its middle there would be a tile named none
    places = [("red-1", quad(x, y, 60), True) for x in (150, 400, 650) for y in (150, 400)]
    source = listed(tmp_path, places)
    image = np.zeros((600, 800, 3), np.uint8)
    for corners in source.quads_px:
        cv2.circle(image, tuple(int(v) for v in corners.mean(axis=0)), 20, (255, 255, 255), -1)
    cv2.imwrite(str(source.path), image)
    crops, numbers, inks = collect([source], np.random.default_rng(1), negatives=20)
    none = numbers == NOT_A_TILE
    assert none.sum() > 60
    assert (inks[none] == -1).all()
    assert crops[none][:, 58, 40].max() < 128
    assert (crops[none].max(axis=(1, 2, 3)) > 128).sum() > 20  # many show part of a tile: the hard ones
    assert (crops[~none][:, 58, 40] > 200).all()


def test_nothing_is_said_of_hidden_tiles(tmp_path: Path) -> None:
    """No place whose middle lies in a box of a half hidden tile is named "not a tile"."""
    everywhere = np.array([[0, 0, 800, 600]], np.float32)
    source = listed(tmp_path, [("red-1", quad(400, 300, 60), True)], everywhere)
    _, numbers, _ = collect([source], np.random.default_rng(1), negatives=50)
    assert numbers.tolist() == [0]


def test_empty_tables_teach_what_is_no_tile(tmp_path: Path) -> None:
    """A picture without tiles still gives places that are none."""
    crops, numbers, inks = collect([listed(tmp_path, [])], np.random.default_rng(1))
    assert len(crops) == len(numbers) == len(inks) >= 2
    assert (numbers == NOT_A_TILE).all()


def test_harmed_crops_stay_in_range() -> None:
    """However it is harmed, a crop is a whitened picture of the namer's size."""
    rng = np.random.default_rng(9)
    stored = cut_out(soft_picture(), quad(250, 250, 60))
    for at in range(60):
        crop = draw_crop(rng, stored, bool(at % 2))
        assert crop.shape == (72, 48, 3)
        assert np.isfinite(crop).all()
        assert crop.min() >= 0
        assert crop.max() <= 1.6
