"""Rendered tables: the seed determines them, the truth matches the pixels, and held-out choices stay held out."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import cv2
import numpy as np
import pytest

from tilekeeper.datasets.photos import ink_map
from tilekeeper.datasets.synthesis.printings.faces import BLANK, draw_face
from tilekeeper.datasets.synthesis.printings.printing import (
    BASES,
    INKS,
    JOKERS,
    MARKS,
    OKEY_SIGNS,
    SIGNS,
    as_okey,
    choices,
    draw_printing,
    kept_out,
)
from tilekeeper.datasets.synthesis.printings.typefaces import WORDMARKS, set_text, typefaces
from tilekeeper.datasets.synthesis.scene import tables
from tilekeeper.datasets.synthesis.scene.camera import look_at
from tilekeeper.datasets.synthesis.scene.composition import Scene, Sprite, TrueTile
from tilekeeper.datasets.synthesis.scene.layouts import FlatTile
from tilekeeper.datasets.synthesis.scene.tables import (
    LAYOUTS,
    RenderedTable,
    as_annotation,
    render_full_table,
    render_table,
)
from tilekeeper.datasets.synthesis.surfaces.catalogue import SURFACES
from tilekeeper.vision.geometry.quads import rectify

WH = (480, 360)
BOX = {f"{ink}-{number}" for ink in INKS for number in range(1, 14)} | {"joker"}


@pytest.fixture(scope="module", params=[layout for layout in LAYOUTS if layout != "none"])
def table(request: pytest.FixtureRequest) -> RenderedTable:
    """Render one small table of every layout with tiles."""
    return render_table(
        np.random.default_rng(5), wh=WH, layout=request.param, tile_px=40 if request.param == "rack" else 26
    )


def test_same_seed_gives_the_same_table() -> None:
    """Image and truth are equal, and another seed gives another image."""
    first, repeated, other = (render_table(np.random.default_rng(seed), wh=WH, tile_px=24) for seed in (7, 7, 8))
    assert np.array_equal(first.image_bgr, repeated.image_bgr)
    assert [tile.label for tile in first.tiles] == [tile.label for tile in repeated.tiles]
    assert all(np.array_equal(a.quad_px, b.quad_px) for a, b in zip(first.tiles, repeated.tiles, strict=True))
    assert not np.array_equal(first.image_bgr, other.image_bgr)


def test_sets_with_line_jokers_differ_only_in_their_jokers() -> None:
    """The stock has many jokers, so many are on the table. `lines` is the probability of line drawings."""

    def rendered(seed: int, lines: float) -> RenderedTable:
        rng = np.random.default_rng(seed)
        return render_table(rng, wh=WH, layout="scatter", tile_px=40, hands=False, jokers=300, lines=lines)

    line_sets = 0
    for seed in range(6):
        whole, thin, half = (rendered(seed, lines) for lines in (0.0, 1.0, 0.5))
        assert [tile.label for tile in whole.tiles] == [tile.label for tile in thin.tiles]
        assert sum(tile.label == "joker" for tile in whole.tiles) > 0.5 * len(whole.tiles)
        assert not np.array_equal(whole.image_bgr, thin.image_bgr)
        line_sets += np.array_equal(half.image_bgr, thin.image_bgr)
        assert any(np.array_equal(half.image_bgr, same.image_bgr) for same in (whole, thin))
    assert 0 < line_sets < 6


def test_okey_set_has_signs_and_two_equal_jokers() -> None:
    """Each printing can be an Okey set; the sign is drawn per set, and may differ by ink."""
    sets = [as_okey(draw_printing(rng, "kept-out"), rng) for rng in map(np.random.default_rng, range(30))]
    assert {printing.sign for printing in sets} == set(OKEY_SIGNS)
    assert {printing.sign_by_ink for printing in sets} == {False, True}
    assert all(printing.joker_inks[0] == printing.joker_inks[1] for printing in sets)
    assert {printing.mark for printing in sets} == {"none"}
    table = render_table(np.random.default_rng(7), "kept-out", WH, "few", 60, okey=True)
    assert {tile.label for tile in table.tiles} <= BOX


def test_image_is_bgr_of_the_given_size(table: RenderedTable) -> None:
    assert table.image_bgr.shape == (WH[1], WH[0], 3)
    assert table.image_bgr.dtype == np.uint8
    assert table.image_bgr.std() > 5


def test_quads_are_clockwise_and_inside_the_image(table: RenderedTable) -> None:
    """Only cut tiles extend beyond the image."""
    assert table.tiles
    for tile in table.tiles:
        assert tile.quad_px.shape == (4, 2)
        assert tile.quad_px.dtype == np.float32
        assert cv2.contourArea(tile.quad_px, oriented=True) > 50
        outside = bool((tile.quad_px < 0).any() or (tile.quad_px > WH).any())
        assert tile.cut == outside
        assert 0 <= tile.visible <= 1


def test_tiles_come_from_one_box(table: RenderedTable) -> None:
    """A box has at most two copies of each tile."""
    counts = Counter(tile.label for tile in table.tiles)
    assert set(counts) <= BOX
    assert max(counts.values()) <= 2


def test_table_with_face_down_tiles_only_has_no_tiles() -> None:
    """Face-down tiles cannot be read."""
    assert render_table(np.random.default_rng(3), wh=(320, 240), layout="none").tiles == ()


def test_annotation_has_the_format_of_the_photos() -> None:
    """Visible tiles have corners; covered ones become ignored boxes."""
    quad = np.array([[10, 10], [30, 10], [30, 40], [10, 40]], np.float32)
    shown = TrueTile("red-7", quad, 0.97, False, 2)
    hidden = TrueTile("joker", quad + 50, 0.4, False, 2)
    cut = TrueTile("blue-1", quad - 20, 0.5, True, 3)
    picture = np.zeros((100, 200, 3), np.uint8)
    entry = as_annotation(RenderedTable(picture, (shown, hidden, cut), "melds"), "00001.jpg")
    assert (entry["file"], entry["width"], entry["height"], entry["session"]) == ("00001.jpg", 200, 100, "melds")
    assert entry["tiles"] == [
        {"label": "red-7", "polygon_px": quad.tolist(), "cut": False, "row": 2, "visible": 0.97},
        {"label": "blue-1", "polygon_px": (quad - 20).tolist(), "cut": True, "row": 3, "visible": 0.5},
    ]
    assert entry["ignore_px"] == [[60.0, 60.0, 80.0, 90.0]]


def test_tiny_tiles_are_ignored() -> None:
    """A tile too small to read becomes an ignored box, in any direction; a larger one counts."""
    turn = np.array([[np.cos(0.7), np.sin(0.7)], [-np.sin(0.7), np.cos(0.7)]])
    flat = np.array([[0, 0], [1, 0], [1, 1], [0, 1]])
    tiles = tuple(
        TrueTile(label, (flat * wh @ turn + 60).astype(np.float32), 1.0, False, 0)
        for label, wh in (("red-1", (11, 16)), ("red-2", (13, 18)), ("red-3", (20, 11)), ("red-4", (20, 13)))
    )
    entry = as_annotation(RenderedTable(np.zeros((100, 200, 3), np.uint8), tiles, "melds"), "00001.jpg")
    assert [tile["label"] for tile in entry["tiles"]] == ["red-2", "red-4"]
    assert len(entry["ignore_px"]) == 2


@pytest.mark.parametrize("turn", [0.3, 0.7, 2.0, -2.4])  # a tile parallel to the pixel grid has too coarse an outline
@pytest.mark.parametrize("tile_px", [30, 70, 140])
def test_painted_tile_matches_its_corners(tile_px: int, turn: float) -> None:
    """Centre and area match to a fraction of a pixel."""
    printing = replace(draw_printing(np.random.default_rng(4), "train"), thickness_mm=0.001, frame=0.0)
    camera = look_at((300, 300), (0.0, 0.0), tile_px / printing.width_mm, 0.0, 0.0, 0.0, 1.0)
    scene = Scene(np.full((300, 300, 3), 60, np.uint8), camera, printing, 0.5)
    (quad_px,) = scene.put_tiles([FlatTile(BLANK, 0.31, -0.17, turn, 0)], [0])
    ys, xs = np.nonzero(scene.owner == 0)
    assert np.abs(np.array([xs.mean(), ys.mean()]) - quad_px.mean(axis=0)).max() < 0.12
    area = abs(cv2.contourArea(quad_px))
    assert 0.97 * area < len(xs) < 1.01 * area


@pytest.mark.parametrize("turn", [0.3, 1.1, 2.5])
def test_object_is_at_its_place(turn: float) -> None:
    """The centre of the sprite is at the given point."""
    camera = look_at((200, 200), (0.0, 0.0), 2.0, 0.0, 0.0, 0.0, 1.0)
    scene = Scene(np.full((200, 200, 3), 60, np.uint8), camera, draw_printing(np.random.default_rng(4)), 0.5)
    bgra = np.full((30, 50, 4), 255, np.uint8)
    scene.put_sprite(Sprite(bgra, 1.0, 3.0, -4.0, turn))
    ys, xs = np.nonzero(scene.owner == -2)
    middle = camera.project(np.array([[3.0, -4.0, 0.0]]))[0]
    assert np.abs(np.array([xs.mean(), ys.mean()]) - middle).max() < 0.12


def test_full_table_shows_the_whole_box() -> None:
    """All 106 tiles are whole, inside the image and hardly covered."""
    table = render_full_table(np.random.default_rng(1), (1280, 720), 26)
    assert len(table.tiles) == 106
    assert not any(tile.cut for tile in table.tiles)
    assert min(tile.visible for tile in table.tiles) > 0.85


ALL_CHOICES = {
    "typefaces": typefaces(),
    "jokers": JOKERS,
    "marks": MARKS,
    "signs": SIGNS,
    "surfaces": tuple(SURFACES),
    "wordmarks": WORDMARKS,
    "base_tints": tuple(BASES),
}


@pytest.mark.parametrize("kind", ALL_CHOICES)
def test_pools_are_disjoint(kind: str) -> None:
    """All held-out choices exist, and the two pools share none."""
    all_choices = ALL_CHOICES[kind]
    train, held_out = choices(kind, all_choices, "train"), choices(kind, all_choices, "kept-out")
    assert set(kept_out()[kind]) <= set(all_choices)
    assert train
    assert set(held_out) == set(kept_out()[kind])
    assert set(train) | set(held_out) == set(all_choices)
    assert not set(train) & set(held_out)


def test_no_held_out_typeface_has_a_clone_in_training() -> None:
    """Clones of one design differ by up to 0.02 of the digits' area, other weights of a family by at least 0.06."""

    def digits(name: str) -> np.ndarray:
        masks = [cv2.resize(set_text(name, digit, 96), (64, 96)) for digit in "0123456789"]
        return np.concatenate(masks, axis=1).astype(np.float32) / 255

    line_sets = {name: digits(name) for name in typefaces()}
    for held_out in kept_out()["typefaces"]:
        assert (
            min(
                np.abs(line_sets[held_out] - line_sets[name]).mean()
                for name in choices("typefaces", typefaces(), "train")
            )
            > 0.05
        )


def test_pools_have_at_least_40_typefaces() -> None:
    """Enough of them are in the training pool."""
    assert len(typefaces()) >= 40
    assert len(choices("typefaces", typefaces(), "train")) >= 30


@pytest.mark.parametrize("pool", ["train", "kept-out"])
def test_printings_are_drawn_from_their_pool(pool: str) -> None:
    """None of 400 printings has anything from the other pool."""
    held_out, rng = kept_out(), np.random.default_rng(11)
    for _ in range(400):
        printing = draw_printing(rng, pool)
        line_sets = {
            "typefaces": printing.typeface,
            "jokers": printing.joker,
            "wordmarks": printing.wordmark,
            "marks": printing.mark,
            "signs": printing.sign,
        }
        for kind, value in line_sets.items():
            # both pools include "none"
            if value != "none":
                assert (value in held_out[kind]) == (pool == "kept-out"), (kind, value)


@pytest.mark.parametrize("pool", ["train", "kept-out"])
def test_tables_have_surfaces_of_their_pool(pool: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kinds: set[str] = set()

    def surface(name: str):
        def draw(rng: np.random.Generator, wh: tuple[int, int], px_per_mm: float) -> np.ndarray:
            kinds.add(name)
            return np.full((wh[1], wh[0], 3), 90, np.uint8)

        return draw

    monkeypatch.setattr(tables, "SURFACES", {name: surface(name) for name in SURFACES})
    for seed in range(20):
        render_table(np.random.default_rng(seed), pool, (240, 180), "none", hands=False)
    assert len(kinds) >= 5
    assert all((name in kept_out()["surfaces"]) == (pool == "kept-out") for name in kinds)


@pytest.mark.parametrize("label", ["red-6", "black-9", "blue-6", "orange-9", "red-7", "joker"])
@pytest.mark.parametrize("turn", [0.0, 0.7, np.pi / 2, 2.5, np.pi, -2.0])
def test_first_corner_is_the_tiles_own_top_left(label: str, turn: float) -> None:
    """In any direction, the ink of a rectified tile is in its upper half, and a 6 does not look like a 9."""
    printing = replace(
        draw_printing(np.random.default_rng(4), "train"),
        mark="none",
        sign="none",
        wordmark_style="none",
        dimple="none",
        frame=0.0,
        digit_centre_of_height=0.33,
        digit_height_of_height=0.36,
    )
    camera = look_at((200, 200), (0.0, 0.0), 60 / printing.width_mm, 0.3, 1.0, 0.0, 1.0)
    scene = Scene(np.full((200, 200, 3), 60, np.uint8), camera, printing, 0.5)
    (quad_px,) = scene.put_tiles([FlatTile(label, 0.0, 0.0, turn, 0)], [0])
    crop = rectify(np.clip(scene.image, 0, 255).astype(np.uint8), quad_px, (48, 72))
    inner = ink_map(crop)[6:66, 6:42]
    assert inner[:30].sum() > 4 * inner[30:].sum()

    def correlation(other: str) -> float:
        face = cv2.resize(draw_face(printing, other, 96).bgr, (48, 72), interpolation=cv2.INTER_AREA)[6:66, 6:42]
        return float(np.corrcoef(face.ravel(), crop[6:66, 6:42].ravel())[0, 1])

    assert correlation(label) > 0.85
    twin = {"6": "9", "9": "6"}.get(label[-1])
    if twin:
        assert correlation(label) > correlation(f"{label[:-1]}{twin}") + 0.05


def test_number_of_objects_is_the_requested_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """By default there are at most four things."""
    placed: list[str] = []

    def thing(rng: np.random.Generator, px_per_mm: float) -> np.ndarray:
        placed.append("thing")
        return np.full((20, 30, 4), 255, np.uint8)

    monkeypatch.setattr(tables, "CLUTTER", {"thing": thing})
    counts = []
    for things in (0, 12, None):
        placed.clear()
        render_table(np.random.default_rng(4), wh=WH, layout="few", tile_px=30, things=things)
        counts.append(len(placed))
    assert counts[:2] == [0, 12]
    assert counts[2] < 5


def test_low_camera_shows_flat_tiles_and_larger_near_ones() -> None:
    """The camera is 18 to 40 degrees above the table. Tiles near the bottom of the image are the largest."""
    flat, size_correlations = [], []
    for seed in range(4):
        table = render_table(np.random.default_rng(seed), wh=(640, 480), layout="scatter", tile_px=30, low=True)
        assert table.low
        assert as_annotation(table, "a.jpg")["low"] is True
        quads = np.array([tile.quad_px for tile in table.tiles])
        assert len(quads) > 3
        low, high = quads.min(axis=1), quads.max(axis=1)
        width, height = (high - low).T
        flat.append(float(np.median(height / width)))
        size_correlations.append(float(np.corrcoef(quads.mean(axis=1)[:, 1], width * height)[0, 1]))
    assert np.median(flat) < 0.75
    assert np.median(size_correlations) > 0.7
    assert "low" not in as_annotation(render_table(np.random.default_rng(1), wh=(320, 240)), "a.jpg")
