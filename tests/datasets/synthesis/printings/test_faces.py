"""Faces of tiles: weight and slant of the figures, the shapes of a 7, and the margin of the tile."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tilekeeper.datasets.synthesis.printings.faces import _heavier, _leaning, _print_mask, draw_face
from tilekeeper.datasets.synthesis.printings.printing import Printing, draw_printing
from tilekeeper.datasets.synthesis.printings.typefaces import SEVENS, set_text, typefaces

LABELS = ("black-1", "red-8", "blue-10", "orange-13")


def plain(**changes: object) -> Printing:
    """Return a printing of upright figures with the typeface's own weight and nothing else."""
    defaults = {
        "mark": "none", "sign": "none", "wordmark_style": "none", "dimple": "none", "frame": 0.0, "engraved": 0.0,
        "weight": 0.0, "slant": 0.0, "seven": "plain", "typeface": "roboto-bold", "digit_stretch": 1.0,
    }  # fmt: skip
    return replace(draw_printing(np.random.default_rng(4)), **(defaults | changes))


def ink(label: str, **changes: object) -> np.ndarray:
    """Return the ink mask of a tile 120 px wide, 0 to 1."""
    return _print_mask(plain(**changes), label, 120, 168, 0).astype(float) / 255


def lean(mask: np.ndarray) -> float:
    """Return the slant of the ink as a tangent: the slope of x over height."""
    ys, xs = np.nonzero(mask > 0.5)
    return float(-np.polyfit(ys, xs, 1)[0])


@pytest.mark.parametrize("label", LABELS)
def test_bolder_figures_have_more_ink(label: str) -> None:
    """Ink grows with the weight, and the figure does not move."""
    masks = [ink(label, weight=weight) for weight in (-0.035, -0.015, 0.0, 0.02, 0.05)]
    areas = [mask.sum() for mask in masks]
    assert areas == sorted(areas)
    assert areas[0] < 0.93 * areas[2] < areas[2] < 0.93 * areas[4]
    columns = [(mask.sum(axis=0) @ np.arange(120)) / mask.sum() for mask in masks]
    assert np.ptp(columns) < 3  # a 1 gains more ink at its foot than at its flag
    assert (masks[4] - masks[2]).min() > -0.6  # no ink is lost


@pytest.mark.parametrize("by_px", [0.4, 1.0, 2.5, -0.4, -1.0, -2.5])
def test_strokes_grow_equally_at_both_edges(by_px: float) -> None:
    """A stroke of 12 px grows by twice the amount, also by fractions of a pixel."""
    text = np.zeros((60, 40), np.uint8)
    text[:, 14:26] = 255
    row = _heavier(text, by_px)[30].astype(float) / 255
    assert row.sum() == pytest.approx(12 + 2 * by_px, abs=0.05)


def test_tiny_weight_changes_nothing() -> None:
    """Less than a tenth of a pixel is not drawn."""
    text = set_text("roboto-bold", "8", 60)
    assert np.array_equal(_heavier(text, 0.09), text)
    assert np.array_equal(_leaning(text, 0.0), text)


@pytest.mark.parametrize("slant", [-0.15, -0.05, 0.1, 0.28])
def test_slant_shears_figures(slant: float) -> None:
    """A slant above 0 moves the top to the right, and the amount of ink stays."""
    bar = np.zeros((100, 60), np.uint8)
    bar[:, 24:36] = 255
    leaning = _leaning(bar, slant)
    assert lean(leaning / 255) == pytest.approx(slant, abs=0.01)
    assert int(leaning.sum()) == pytest.approx(int(bar.sum()), rel=0.01)
    for figure in ("1", "8", "13"):
        text = set_text("roboto-bold", figure, 100)
        assert int(_leaning(text, slant).sum()) == pytest.approx(int(text.sum()), rel=0.01)


@pytest.mark.parametrize("label", LABELS)
def test_slanted_figures_lean_on_the_tile(label: str) -> None:
    """The printing's slant shears the figure around its centre."""
    left, upright, right = (ink(label, slant=slant) for slant in (-0.15, 0.0, 0.25))
    assert lean(left) < lean(upright) - 0.08
    assert lean(right) > lean(upright) + 0.15
    centres_px = [(mask.sum(axis=0) @ np.arange(120)) / mask.sum() for mask in (left, upright, right)]
    assert np.ptp(centres_px) < 3.5


@pytest.mark.parametrize("slant", [-0.15, 0.0, 0.28])
@pytest.mark.parametrize("weight", [-0.035, 0.05])
def test_no_figure_leaves_its_tile(weight: float, slant: float) -> None:
    """In every typeface, the widest number has less than 0.5 % of its ink at the edges of the tile."""
    for face in typefaces():
        mask = ink("blue-12", typeface=face, weight=weight, slant=slant)
        assert mask.sum() > 200, face
        edge = np.concatenate([mask[0], mask[-1], mask[:, 0], mask[:, -1]])
        assert edge.sum() < 0.005 * mask.sum(), face


def test_seven_has_the_shape_of_its_set() -> None:
    """A hook adds ink at the upper left, and a bar adds ink across the middle of the stem."""
    masks = {seven: set_text("roboto-bold", "7", 112, seven=seven).astype(int) for seven in SEVENS}
    plain_7, hooked, crossed, deep = (masks[seven] for seven in ("plain", "hooked", "crossed", "deep"))
    assert plain_7.shape == hooked.shape == crossed.shape == deep.shape
    assert (deep - hooked > 128).sum() > 20
    assert (deep >= hooked).all()
    added = hooked - plain_7
    rows, columns = np.nonzero(added > 128)
    assert len(rows) > 20
    assert rows.max() < 0.4 * 112
    assert columns.max() < 0.4 * added.shape[1]
    rows = np.nonzero(crossed - plain_7 > 128)[0]
    assert len(rows) > 20
    assert 0.35 * 112 < rows.min() < rows.max() < 0.75 * 112
    for other in ("1", "12", "8"):
        assert np.array_equal(set_text("roboto-bold", other, 60, seven="hooked"), set_text("roboto-bold", other, 60))


@pytest.mark.parametrize("changes", [{"weight": 0.05}, {"slant": 0.25}, {"seven": "crossed"}, {"seven": "hooked"}])
def test_every_property_of_a_printing_changes_the_face(changes: dict[str, object]) -> None:
    assert np.abs(draw_face(plain(**changes), "red-7", 96).bgr - draw_face(plain(), "red-7", 96).bgr).mean() > 0.3
