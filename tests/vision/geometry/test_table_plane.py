"""Table plane: the shape of a tile at each place, for a camera at an angle."""

import numpy as np
import pytest

from tilekeeper.datasets.synthesis.scene.camera import look_at
from tilekeeper.vision.geometry.quads import centres_px
from tilekeeper.vision.geometry.table_plane import fit_plane, rotated_tile_shapes, straighten


def tiles_on_table(tilt: float, count: int = 24, aspect: float = 1.4, seed: int = 0) -> np.ndarray:
    """Return quads `(count, 4, 2)` of tiles scattered on a table, seen `tilt` radians off the vertical."""
    rng = np.random.default_rng(seed)
    camera = look_at((1600, 1200), (0.0, 0.0), 2.0, tilt, 0.7, 0.4, 0.9)
    corners = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]]) * (26, 26 * aspect)
    quads = []
    for middle, turn in zip(rng.uniform(-220, 220, (count, 2)), rng.uniform(0, 2 * np.pi, count), strict=True):
        turned = corners @ np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]]) + middle
        quads.append(camera.project(np.column_stack([turned, np.zeros(4)])))
    return np.array(quads)


def widths_px(quads: np.ndarray) -> np.ndarray:
    return np.linalg.norm(quads[:, 1] - quads[:, 0], axis=1)


@pytest.mark.parametrize("tilt", [0.0, 0.4, 0.8])
def test_plane_shape_equals_each_tiles_shape(tilt):
    quads = tiles_on_table(tilt)
    plane = fit_plane(quads)
    assert plane.aspect == pytest.approx(1.4)
    assert np.median(plane.misfits(quads)) < 0.05
    shapes = plane.shapes(centres_px(quads), quads)
    errors = np.linalg.norm(shapes - quads, axis=2).mean(axis=1) / widths_px(quads)
    assert np.median(errors) < 0.03


def test_askew_quad_is_straightened_and_the_rest_stays():
    quads = tiles_on_table(0.8)
    bent = quads.copy()
    bent[3] = quads[3].mean(axis=0) + (quads[3] - quads[3].mean(axis=0)) @ np.array([[1.0, 0.35], [0.0, 1.0]])
    is_sure = np.ones(len(quads), bool)
    is_sure[3] = False
    straight = straighten(bent, is_sure)
    assert np.array_equal(np.delete(straight, 3, axis=0), np.delete(bent, 3, axis=0).astype(np.float32))
    before, after = (np.linalg.norm(quads_px[3] - quads[3], axis=1).mean() for quads_px in (bent, straight))
    assert after < 0.75 * before  # the direction still comes from the bent quad, so an error remains


def test_rotated_shapes_contain_the_tiles_own_direction():
    quads = tiles_on_table(0.7)
    directions = rotated_tile_shapes(centres_px(quads), quads, 36)
    both = np.concatenate([directions, np.roll(directions, 2, axis=2)], axis=1)
    nearest = np.linalg.norm(both - quads[:, None], axis=3).mean(axis=2).min(axis=1) / widths_px(quads)
    assert np.median(nearest) < 0.06


def test_tile_of_another_size_keeps_its_size():
    quads = tiles_on_table(0.5)
    with_large = quads.copy()
    with_large[0] = quads[0].mean(axis=0) + 2 * (quads[0] - quads[0].mean(axis=0))
    plane = fit_plane(with_large)
    assert plane.size_deviations(with_large)[0] == pytest.approx(np.log(2), abs=0.08)
    assert np.array_equal(straighten(with_large, np.arange(len(with_large)) > 0)[0], with_large[0])


def test_tiles_on_a_rack_are_not_straightened():
    table, rack = tiles_on_table(0.2), tiles_on_table(1.1, count=8, seed=1) * 0.5 + (1500, 1100)
    quads = np.concatenate([table, rack])
    assert np.array_equal(straighten(quads, np.ones(len(quads), bool)), quads)


def test_few_or_random_tiles_have_no_plane():
    assert fit_plane(tiles_on_table(0.3, count=2)) is None
    rng = np.random.default_rng(5)
    quads = tiles_on_table(0.3)
    random_quads = quads.mean(axis=1, keepdims=True) + (quads - quads.mean(axis=1, keepdims=True)) @ rng.normal(
        0, 1, (len(quads), 2, 2)
    )
    assert fit_plane(random_quads) is None
    assert np.array_equal(straighten(random_quads, np.ones(len(quads), bool)), random_quads)
