"""Training samples of the detector: target maps match the tiles of the image, and uncertain tiles do not count."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from tilekeeper.models.training import detector_samples
from tilekeeper.models.training.detector_samples import CROP_PX, batches, draw_sample, draw_targets
from tilekeeper.models.training.sources import RENDERED, Source
from tilekeeper.vision.detection.detector import CORNER_UNIT_PX, STRIDE_PX

WH = (640, 480)


def quad(x: float, y: float, width: float, turn: float = 0.0) -> np.ndarray:
    """Return a tile's quad at `x, y`, turned clockwise by `turn` radians."""
    local = np.array([[-1, -1.4], [1, -1.4], [1, 1.4], [-1, 1.4]]) * width / 2
    cos, sin = np.cos(turn), np.sin(turn)
    return (local @ np.array([[cos, sin], [-sin, cos]]) + (x, y)).astype(np.float32)


def painted(quads: np.ndarray) -> np.ndarray:
    """Return a black image with green tiles; the top left quarter of each tile is red (BGR 0, 0, 255)."""
    image = np.zeros((WH[1], WH[0], 3), np.uint8)
    for quad_px in quads:
        cv2.fillConvexPoly(image, np.round(quad_px * 16).astype(np.int32), (0, 255, 0), cv2.LINE_AA, 4)
        quarter = np.array(
            [quad_px[0], (quad_px[0] + quad_px[1]) / 2, quad_px.mean(axis=0), (quad_px[0] + quad_px[3]) / 2]
        )
        cv2.fillConvexPoly(image, np.round(quarter * 16).astype(np.int32), (0, 0, 255), cv2.LINE_AA, 4)
    return image


def source_of(
    quads: np.ndarray, sure: list[bool] | None = None, ignored_boxes: list[list[float]] | None = None
) -> Source:
    """Return the truth of an image."""
    return Source(
        Path("none.png"), "s1", quads, ("red-1",) * len(quads),
        np.array([True] * len(quads) if sure is None else sure, bool),
        np.array(ignored_boxes or [], np.float32).reshape(-1, 4),
    )  # fmt: skip


@pytest.fixture
def no_degradation(monkeypatch: pytest.MonkeyPatch) -> None:
    """Switch off changes of light and noise, so that the image can be measured."""
    monkeypatch.setattr(detector_samples, "recolour", lambda rng, image: image)
    monkeypatch.setattr(detector_samples, "degrade", lambda rng, image, tile_px, harm: image.astype(np.uint8))
    monkeypatch.setattr(detector_samples, "process", lambda rng, image, tile_px: image)


def quads_in(heat: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """Return the quads at the peaks of the maps, `(N, 4, 2)` px of the crop."""
    ys, xs = np.nonzero(heat == 1)
    cells = np.stack([xs + 0.5, ys + 0.5], axis=1) * STRIDE_PX
    return cells[:, None] + corners[:8, ys, xs].T.reshape(-1, 4, 2) * CORNER_UNIT_PX


@pytest.mark.usefixtures("no_degradation")
def test_target_maps_match_the_tiles_in_the_crop() -> None:
    """At any scale, turn and tilt, the mean error of the centres is below a third of a pixel.

    The red top left quarter shows that turns, mirror images and channels are right.
    """
    rng = np.random.default_rng(8)
    quads = np.array([quad(x, y, 40, rng.uniform(-3, 3)) for x in (80, 240, 400, 560) for y in (80, 240, 400)])
    image, source = painted(quads), source_of(quads)
    shifts = []
    for _ in range(40):
        planes, heat, _, corners = draw_sample(rng, [(source, image)])
        assert planes.shape == (3, CROP_PX, CROP_PX)
        assert planes.dtype == np.uint8
        for corners_px in quads_in(heat, corners):
            if (
                corners_px.min() < 3
                or corners_px.max() > CROP_PX - 4
                or cv2.contourArea(corners_px.astype(np.float32)) < 150
            ):
                continue
            red, green, _ = planes.astype(float)
            mask = np.zeros((CROP_PX, CROP_PX), np.uint8)
            cv2.fillConvexPoly(mask, np.round(corners_px).astype(np.int32), 1)
            around = cv2.dilate(mask, np.ones((5, 5), np.uint8))
            paint = (red + green) * around
            moments = cv2.moments(corners_px.astype(np.float32))
            middle = np.array([moments["m10"], moments["m01"]]) / moments["m00"]
            ys, xs = np.indices(paint.shape)
            shifts.append(np.array([(paint * xs).sum(), (paint * ys).sum()]) / paint.sum() - middle)
            assert paint.sum() / 255 == pytest.approx(moments["m00"], rel=0.12, abs=12)
            x, y = np.round(0.7 * corners_px[0] + 0.3 * corners_px.mean(axis=0)).astype(int)
            assert red[y, x] > 120 > green[y, x]
            for corner in corners_px[1:]:
                x, y = np.round(0.7 * corner + 0.3 * corners_px.mean(axis=0)).astype(int)
                assert green[y, x] > 120 > red[y, x]
    assert len(shifts) > 40
    # a neighbour inside the measured ring shifts single tiles, so only the mean and the median are checked
    assert np.abs(np.mean(shifts, axis=0)).max() < 0.15
    assert np.median(np.linalg.norm(shifts, axis=1)) < 0.3


def ignored_mask(*outlines: np.ndarray) -> np.ndarray:
    """Return the mask of a crop that is true inside these outlines (px)."""
    mask = np.zeros((CROP_PX, CROP_PX), np.uint8)
    for outline in outlines:
        cv2.fillConvexPoly(mask, np.round(outline).astype(np.int32), 1)
    return mask > 0


def test_each_sure_tile_has_one_peak_and_its_offsets() -> None:
    """The peak is in the cell nearest to the tile's centre; offsets are relative to the centre of each cell."""
    quads = np.array([quad(100, 100, 30, 0.3), quad(131, 110, 30, 0.3), quad(250, 60, 90, -1)])
    heat, count, corners = draw_targets(quads, np.ones(3, bool), ignored_mask())
    assert np.count_nonzero(heat == 1) == 3
    assert count.min() == 1
    ratios = quads_in(heat, corners)
    for quad_px in quads:
        assert np.abs(ratios - quad_px).max(axis=(1, 2)).min() < 1e-3
    near = corners[8] > 0
    assert (heat[near] > 0.2).all()
    ys, xs = np.nonzero(near)
    cells = np.stack([xs + 0.5, ys + 0.5], axis=1) * STRIDE_PX
    decoded = cells[:, None] + corners[:8, ys, xs].T.reshape(-1, 4, 2) * CORNER_UNIT_PX
    errors = np.array([np.abs(quads - quad_px).max(axis=(1, 2)).min() for quad_px in decoded])
    assert errors.max() < 1e-3  # every weighted cell has the corners of one tile, never a mixture


def test_uncertain_tiles_and_ignored_boxes_do_not_count() -> None:
    """They have no peak and no penalty; all other cells count."""
    quads = np.array([quad(100, 100, 60), quad(220, 100, 60)])
    box = np.array([[40, 220], [120, 220], [120, 300], [40, 300]], np.float64)
    heat, count, _ = draw_targets(quads, np.array([False, True]), ignored_mask(box))
    assert np.count_nonzero(heat == 1) == 1
    assert count[25, 25] == 0
    assert count[65, 20] == 0
    assert count[25, 55] == 1
    assert 0.05 < (count == 0).mean() < 0.2


def test_whole_tile_in_an_ignored_box_keeps_its_peak() -> None:
    """The box is coarse and may overlap a whole tile."""
    box = np.array([[0, 0], [320, 0], [320, 320], [0, 320]], np.float64)
    heat, count, _ = draw_targets(quad(160, 160, 40)[None], np.ones(1, bool), ignored_mask(box))
    assert (count[heat > 0.99] == 1).all()
    assert count[5, 5] == 0


@pytest.mark.parametrize(
    ("middle", "peaks", "counts"),
    [((160, 160), 1, True), ((10, 160), 1, True), ((-12, 160), 0, True), ((1, 1), 0, False), ((-90, 160), 0, True)],
)
def test_tiles_across_the_crops_edge(middle: tuple[float, float], peaks: int, counts: bool) -> None:
    """Half a tile has a peak, a quarter of a tile does not count, and a tile with its centre outside has no peak."""
    heat, count, _ = draw_targets(quad(*middle, 40)[None], np.ones(1, bool), ignored_mask())
    assert np.count_nonzero(heat == 1) == peaks
    assert bool(count.min() == 1) is counts


@pytest.mark.usefixtures("no_degradation")
def test_next_image_fills_the_empty_part_of_a_crop() -> None:
    """A tile of the lower image counts only if it is visible."""
    rng = np.random.default_rng(3)
    upper, lower = source_of(quad(320, 240, 50)[None]), source_of(np.array([quad(x, 240, 50) for x in (100, 320, 540)]))
    pictures = [(upper, painted(upper.quads_px)), (lower, painted(lower.quads_px))]
    for _ in range(30):
        planes, heat, _, corners = draw_sample(rng, pictures)
        for corners_px in quads_in(heat, corners):
            if (
                corners_px.min() > 3
                and corners_px.max() < CROP_PX - 4
                and cv2.contourArea(corners_px.astype(np.float32)) > 200
            ):
                mask = np.zeros((CROP_PX, CROP_PX), np.uint8)
                cv2.fillConvexPoly(mask, np.round(corners_px).astype(np.int32), 1)
                assert (planes[:2].max(axis=0)[mask > 0] > 100).mean() > 0.75


@pytest.mark.usefixtures("no_degradation")
def test_rolling_shutter_moves_quads_and_ignored_areas(monkeypatch: pytest.MonkeyPatch) -> None:
    """The shear is 0.3 px per row; every tile is bright inside its quad and dark around it."""
    monkeypatch.setattr(detector_samples, "ROLLED", 1.0)
    monkeypatch.setattr(detector_samples, "row_shifts_px", lambda rng, rows, tile_px: (0.3 * (rows - 160)).astype("f4"))
    quads = np.array([quad(x, y, 40) for x in (80, 240, 400, 560) for y in (80, 240, 400)])
    whole, with_ignored_box = source_of(quads), source_of(quads, ignored_boxes=[[200, 0, 280, 480]])
    inside_count = beyond_count = 0
    for seed in range(40):
        planes, heat, _, corners = draw_sample(np.random.default_rng(seed), [(whole, painted(quads))])
        light = planes.max(axis=0)
        for quad_px in quads_in(heat, corners):
            if (
                quad_px.min() > 30
                and quad_px.max() < CROP_PX - 30
                and cv2.contourArea(quad_px.astype(np.float32)) > 600
            ):
                inner, outer = (
                    quad_px.mean(axis=0) + share * (quad_px - quad_px.mean(axis=0)) for share in (0.85, 1.15)
                )
                masks = [np.zeros(light.shape, np.uint8) for _ in range(2)]
                for mask, outline in zip(masks, (inner, outer), strict=True):
                    cv2.fillConvexPoly(mask, np.round(outline).astype(np.int32), 1)
                edge = cv2.morphologyEx(masks[1], cv2.MORPH_GRADIENT, np.ones((2, 2)))
                assert (light[masks[0] > 0] > 100).mean() > 0.97
                assert (light[edge > 0] < 60).mean() > 0.8
                inside_count += 1
        counted = draw_sample(np.random.default_rng(seed), [(with_ignored_box, painted(quads))])[2]
        monkeypatch.setattr(detector_samples, "ROLLED", 0.0)
        straight = draw_sample(np.random.default_rng(seed), [(with_ignored_box, painted(quads))])[2]
        _, plain, _, plain_corners = draw_sample(np.random.default_rng(seed), [(whole, painted(quads))])
        monkeypatch.setattr(detector_samples, "ROLLED", 1.0)
        for quad_px in quads_in(plain, plain_corners):  # the shear also moves corners outside the crop
            sheared = quad_px + np.stack([0.3 * (quad_px[:, 1] - 160), np.zeros(4)], axis=1)
            for other_px in quads_in(heat, corners):
                if np.linalg.norm(other_px.mean(axis=0) - sheared.mean(axis=0)) < 6:
                    assert np.abs(other_px - sheared).max() < 2.5
                    beyond_count += bool(quad_px[:, 1].min() < -8 or quad_px[:, 1].max() > CROP_PX + 8)
        for row in (8, 40, 72):  # cells of 4 px
            shift = round(0.3 * (4 * row - 160) / 4)
            actual, expected = counted[row, 20:-20] == 0, np.roll(straight[row] == 0, shift)[20:-20]
            assert (actual != expected).mean() < 0.12
    assert inside_count > 15
    assert beyond_count > 3


@pytest.mark.parametrize("session", ["s1", RENDERED])
def test_batches_have_the_shapes_for_training(tmp_path: Path, session: str) -> None:
    """Images are uint8 and maps float16, and batches follow the seed."""
    quads = np.array([quad(200, 200, 60), quad(400, 200, 60)])
    path = tmp_path / "a.png"
    cv2.imwrite(str(path), painted(quads))
    source = Source(path, session, quads, ("red-1", "red-2"), np.ones(2, bool), np.zeros((0, 4), np.float32))
    first, repeated, other_px = (next(batches([source], np.ones(1), 3, seed)) for seed in (1, 1, 2))
    side = CROP_PX // STRIDE_PX
    assert [part.shape for part in first] == [
        (3, 3, CROP_PX, CROP_PX), (3, side, side), (3, side, side), (3, 9, side, side),
    ]  # fmt: skip
    assert [part.dtype for part in first] == [np.uint8, np.float16, np.float16, np.float16]
    assert all(np.array_equal(a, b) for a, b in zip(first, repeated, strict=True))
    assert not np.array_equal(first[0], other_px[0])
    assert all(np.isfinite(part).all() for part in first)


def test_very_flat_tile_is_ignored() -> None:
    """A tile 5 px high is neither a tile nor background."""
    flat = np.array([[100, 100], [140, 100], [142, 105], [102, 105]], np.float32)
    heat, count, _ = draw_targets(flat[None], np.array([True]), np.zeros((CROP_PX, CROP_PX), bool))
    assert not heat.any()
    assert count[25, 30] == 0
    higher = flat + np.array([[0, 0], [0, 0], [0, 6], [0, 6]], np.float32)
    assert (draw_targets(higher[None], np.array([True]), np.zeros((CROP_PX, CROP_PX), bool))[0] == 1).sum() == 1


def test_images_of_low_cameras_are_hardly_tilted() -> None:
    """More tilt would show the table edge-on."""
    tiles = np.array([quad(320, 240, 40)])
    low, high = (replace(source_of(tiles), low=is_low) for is_low in (True, False))

    def anisotropy(source: Source) -> float:
        """Return the median ratio of the sides of a small square at the crop's centre, over forty views."""
        ratios = []
        for seed in range(40):
            view, _ = detector_samples._view(np.random.default_rng(seed), source, (WH[1], WH[0]))
            at = cv2.perspectiveTransform(np.array([[[CROP_PX / 2.0] * 2]]), np.linalg.inv(view))[0]
            ends = cv2.perspectiveTransform((at + np.array([[0, 0], [0.01, 0], [0, 0.01]]))[None], view)[0]
            sides = np.linalg.svd(ends[1:] - ends[0], compute_uv=False)
            ratios.append(float(sides[0] / sides[1]))
        return float(np.median(ratios))

    assert anisotropy(low) < 1.03 < anisotropy(high)
