"""Meshes of tiles, racks and things: outward normals and the requested sizes."""

import numpy as np
import pytest

from tilekeeper.datasets.rendering.racks import DESIGNS, RackDesign, build_rack, designs
from tilekeeper.datasets.rendering.solids import Solid, capsule, merge, prism, revolve, rounded_box
from tilekeeper.datasets.synthesis.printings.printing import draw_printing

CUP = np.array([(0.0, 0.0), (20, 0), (25, 60), (22, 60), (0, 5)])
SOLIDS = {
    "tile": merge(rounded_box(26, 37, 9, 2, 1)),
    "prism": prism(np.array([[0.0, 0.0], [10, 0], [10, 5], [0, 8]]), -30, 30),
    "cup": revolve(CUP),
    "finger": capsule(np.zeros(3), np.array([10.0, 20, 30]), 8.0),
}


def normals_of_triangles(solid: Solid) -> np.ndarray:
    a, b, c = np.moveaxis(solid.points_mm[solid.triangles], 1, 0)
    return np.cross(b - a, c - a)


@pytest.mark.parametrize("name", SOLIDS)
def test_triangles_face_the_way_of_their_normals(name: str) -> None:
    """The order of a triangle's corners and the normals at its corners point to the same side."""
    solid = SOLIDS[name]
    flat = normals_of_triangles(solid)
    mean = solid.normals[solid.triangles].mean(axis=1)
    large = np.linalg.norm(flat, axis=1) > 1e-3
    assert ((flat * mean).sum(axis=1)[large] > 0).all()


def test_tile_has_its_size_and_its_face_is_flat() -> None:
    """The box has the requested size, and the texture of its front spans the whole outline."""
    front, body = rounded_box(26, 37, 9, 2, 1)
    points = np.concatenate([front.points_mm, body.points_mm])
    assert points.max(axis=0) == pytest.approx([13, 18.5, 9], abs=1e-4)
    assert points.min(axis=0) == pytest.approx([-13, -18.5, 0], abs=1e-4)
    assert (front.uv.min(axis=0), front.uv.max(axis=0)) == (pytest.approx([0, 0]), pytest.approx([1, 1]))


@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.name)
def test_each_row_of_a_rack_stands_behind_and_above_the_next(design: RackDesign) -> None:
    """The back row comes first, and the rack stands on the table."""
    rng = np.random.default_rng(3)
    rack = build_rack(rng, design, draw_printing(rng))
    assert len(rack.rests_mm) == design.steps
    assert (np.diff(rack.rests_mm[:, 1]) < 0).all()
    assert (np.diff(rack.rests_mm[:, 2]) < 0).all()
    assert rack.solid.points_mm[:, 2].min() == pytest.approx(0, abs=1e-4)


def test_held_out_designs_are_not_for_training() -> None:
    """The pools share no design, and at least three are held out."""
    train, held_out = set(designs("train")), set(designs("kept-out"))
    assert not train & held_out
    assert train | held_out == set(designs("any"))
    assert (len(train) >= 7, len(held_out) >= 3) == (True, True)
