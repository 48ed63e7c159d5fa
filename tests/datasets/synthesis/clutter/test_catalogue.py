"""Sprites of clutter, hands, racks and shadows: clean outlines, and a seed that determines them."""

from __future__ import annotations

import numpy as np
import pytest

from tilekeeper.datasets.synthesis.clutter.canvas import Canvas, oval, place_outline, rounded
from tilekeeper.datasets.synthesis.clutter.catalogue import CLUTTER, hand, rack, soft_shadow

SPRITES = {**CLUTTER, "hand": hand}
NAMES = sorted(SPRITES)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("px_per_mm", [0.6, 1.5, 3.0])
def test_sprite_is_bgra_with_opaque_parts_and_clear_edges(name: str, px_per_mm: float) -> None:
    sprite = SPRITES[name](np.random.default_rng(5), px_per_mm)
    assert sprite.dtype == np.uint8
    assert sprite.ndim == 3
    assert sprite.shape[2] == 4
    alpha = sprite[..., 3]
    assert alpha.max() > 100
    assert (alpha > 60).mean() > 0.01
    # only the arm touches an edge, the lower one
    below = 0 if name == "hand" else int(alpha[-1].max())
    assert max(int(alpha[0].max()), int(alpha[:-3, 0].max()), int(alpha[:-3, -1].max()), below) == 0


@pytest.mark.parametrize("name", NAMES)
def test_same_seed_gives_the_same_sprite(name: str) -> None:
    """Another seed gives another sprite."""
    first = SPRITES[name](np.random.default_rng(1), 1.0)
    assert np.array_equal(first, SPRITES[name](np.random.default_rng(1), 1.0))
    other = SPRITES[name](np.random.default_rng(2), 1.0)
    assert first.shape != other.shape or not np.array_equal(first, other)


@pytest.mark.parametrize("name", NAMES)
def test_sprite_grows_with_the_scale(name: str) -> None:
    """At twice the pixels per millimetre the sprite is twice as large, within rounding."""
    small = SPRITES[name](np.random.default_rng(9), 1.0).shape
    large = SPRITES[name](np.random.default_rng(9), 2.0).shape
    assert large[0] == pytest.approx(2 * small[0], abs=6)
    assert large[1] == pytest.approx(2 * small[1], abs=6)


@pytest.mark.parametrize("seed", range(12))
def test_hand_comes_in_from_the_bottom_edge(seed: int) -> None:
    """The arm is cut off by the bottom edge of its sprite."""
    alpha = hand(np.random.default_rng(seed), 1.2)[..., 3]
    assert (alpha[-1] > 200).sum() > 15
    assert alpha[0].max() == 0


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("tiles_wide", [6, 15.5])
def test_rack_rows_have_room_for_the_requested_tiles(seed: int, tiles_wide: float) -> None:
    """Every row runs from left to right and is wide enough, with room for faces above it."""
    sprite = rack(np.random.default_rng(seed), 2.0, tiles_wide)
    h, w = sprite.image.shape[:2]
    assert sprite.image.dtype == np.uint8
    assert sprite.image.shape[2] == 4
    assert sprite.view in {"front", "above"}
    assert 1 <= len(sprite.rows_px) <= 3
    heights = [float(row[0, 1]) for row in sprite.rows_px]
    assert heights == sorted(heights)
    for row in sprite.rows_px:
        assert row.dtype == np.float32
        assert row.shape == (2, 2)
        (left, y), (right, _) = row
        assert 0 <= left < right <= w
        assert 0 < y < h
        # steps that get narrower towards the back may shorten the last row by up to one tile
        assert right - left >= (tiles_wide - 1) * sprite.face_wh_px[0]
        assert sprite.image[round(float(y)) - 2, round(float(left + right) / 2), 3] == 255


@pytest.mark.parametrize("view", ["front", "above"])
def test_rack_has_the_requested_view(view: str) -> None:
    """Faces are upright from the front and foreshortened from above; an unknown view is refused."""
    for seed in range(6):
        sprite = rack(np.random.default_rng(seed), 2.0, 8, view)
        across, down = sprite.face_wh_px
        assert sprite.view == view
        assert (down > 1.2 * across) == (view == "front")
    with pytest.raises(ValueError, match="behind"):
        rack(np.random.default_rng(0), 1.0, 8, "behind")


def test_rack_without_room_is_refused() -> None:
    with pytest.raises(ValueError, match="at least a tile"):
        rack(np.random.default_rng(0), 1.0, 0)


def test_shadow_is_darkest_at_the_object_and_fades() -> None:
    """The alpha channel may be uint8 or float."""
    alpha = np.zeros((200, 300), dtype=np.uint8)
    alpha[80:120, 120:180] = 255
    dark = soft_shadow(alpha, np.random.default_rng(3))
    assert dark.shape == alpha.shape
    assert dark.dtype == np.float32
    assert dark.min() >= 0
    assert dark.max() <= 1
    assert dark[100, 150] > 0.1
    assert dark[5, 5] < 0.01
    assert np.allclose(dark, soft_shadow(alpha.astype(np.float32) / 255, np.random.default_rng(3)))


def test_empty_sprite_casts_no_shadow() -> None:
    """An alpha channel with the wrong shape is refused."""
    assert soft_shadow(np.zeros((20, 30), dtype=np.uint8), np.random.default_rng(0)).max() == 0
    with pytest.raises(ValueError, match=r"\(h, w\)"):
        soft_shadow(np.zeros((20, 30, 4), dtype=np.uint8), np.random.default_rng(0))


def test_soft_edge_of_a_sprite_has_its_own_colour() -> None:
    """A black edge would become a dark fringe on the table."""
    canvas = Canvas(np.random.default_rng(0), (40, 40), 2.0, (10, 120, 240))
    canvas.fill(oval(20, 20, 15), (10, 120, 240), body=True)
    sprite = canvas.sprite(uneven=0.0, noise=0.0)
    edge = (sprite[..., 3] > 20) & (sprite[..., 3] < 230)
    assert edge.sum() > 20
    assert np.abs(sprite[edge][:, :3].astype(int) - (10, 120, 240)).max() <= 2


def test_outlines_have_the_requested_measures() -> None:
    """A rounded rectangle spans its box, and `laid` turns and moves an outline."""
    box = rounded(2, 3, 10, 6, 2)
    assert box.min(axis=0) == pytest.approx([2, 3])
    assert box.max(axis=0) == pytest.approx([12, 9])
    assert place_outline(np.array([[1.0, 0.0]]), np.pi / 2, 5, 5)[0] == pytest.approx([5, 6])
