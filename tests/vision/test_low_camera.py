"""A table before a camera that may be low is read again in a stretched view and in a rectified view.

Another view replaces the image only if it shows more tiles. Stretched views are 1.8 times as high as the image.
"""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.projected_tiles import row_mm, seen_by_camera
from tests.support.truthful_networks import Truth
from tilekeeper.vision.geometry.quads import areas_px, axes_px, centred_corners
from tilekeeper.vision.geometry.rectification import MIN_FIRM_RECTIFICATION_TILES, fit_rectification
from tilekeeper.vision.low_camera import certain_px, may_be_low
from tilekeeper.vision.pipeline import Reader
from tilekeeper.vision.scene import Scene
from tilekeeper.vision.tile_table import Appearances
from tilekeeper.vision.types import NO_TILE_LABEL, Detections, Doubt, DoubtReason, TileSet

LABELS = ["red-5", "red-6", "red-7", "blue-9", "orange-9", "black-9"]
DOUBTFUL_LABELS = dict.fromkeys(range(2, 6), 0.6)
"""Probabilities of the labels that are doubtful, by index of the tile; the first two tiles are certain."""


@pytest.mark.parametrize(("score", "is_flagged"), [(0.6, False), (0.53, True)])
def test_weak_detection_that_only_a_stretched_view_shows_is_flagged(score: float, is_flagged: bool) -> None:
    """Stretched to twice its height, half a domino on an empty table got the score 0.53 and the label joker."""
    quad = np.array([[[300, 400], [348, 400], [348, 466], [300, 466]]], np.float64)
    truth = Truth(quad, ["joker"], (960, 972), scores={0: score})

    picture = np.ascontiguousarray(truth.picture()[:540])
    reading = Reader(views := ViewsInTurn(None, truth), views.classifier).read(picture)
    assert [(tile.label, tile.doubtful) for tile in reading.tiles] == [("joker", is_flagged)]


class ViewsInTurn:
    """Networks that know the truth of each view in turn and stay at the last one; `None` is an empty view."""

    def __init__(self, *views: Truth | None) -> None:
        self._views = list(views)

    def detect(self, scene: Scene) -> Detections:
        """Find the tiles of the next view."""
        self._seen = self._views.pop(0) if len(self._views) > 1 else self._views[0]
        return self._seen.detect(scene) if self._seen else Detections()

    def detect_in(self, scene: Scene, boxes_px: np.ndarray, known_px: np.ndarray) -> Detections:
        """Find the tiles of the next view in the boxes."""
        return self.detect(scene).select_inside(boxes_px)

    def classifier(self, image_bgr: np.ndarray, quads_px: np.ndarray) -> Appearances:
        """Classify the tiles of the view in which the detector ran last."""
        assert self._seen is not None
        return self._seen.classifier(image_bgr, quads_px)


def from_above(count: int, fit_px: np.ndarray | None = None, **faults: object) -> Truth:
    """Return the first `count` of the eight tiles of `low_px(72, 2)` in a rectified view.

    The rectification is fitted to `fit_px (N, 4, 2)`, by default to the first six tiles.
    """
    quads = low_px(72, 2)
    view = fit_rectification(quads[:6] if fit_px is None else fit_px, np.zeros((1080, 1920, 3), np.uint8))
    assert view is not None
    labels = [*LABELS, "black-10", "black-11"][:count]
    return Truth(view.to_view(quads[:count]), labels, view.view_wh, misread_off=0.5, **faults)


@pytest.mark.parametrize(("more", "count"), [(6, 7), (5, 6)])
def test_stretched_view_that_loses_no_tile_leads_to_a_rectified_view(more: int, count: int) -> None:
    """The stretched tiles show the plane of the table, and its rectified view shows one more tile.

    A stretched view with one tile less leads nowhere.
    """
    square = Truth([*square_quads_px(72), low_px(72, 1)[6]], [*LABELS, "no-tile"], (1920, 1080))
    stretched = Truth(low_px(72)[:more] * [1, 1.8], LABELS[:more], (1920, 1944))
    reading = Reader(views := ViewsInTurn(square, stretched, from_above(7)), views.classifier).read(LOW_PICTURE)
    assert len(reading.tiles) == count
    assert not any(tile.doubtful for tile in reading.tiles)


def test_stretched_view_without_new_tiles_keeps_the_corners() -> None:
    """In the stretched view the detector finds two tiles too square. In the image they then look foreshortened."""
    square_px = square_quads_px(0)[[0, 5]]
    centres, width = square_px.mean(axis=1), np.linalg.norm(square_px[0, 1] - square_px[0, 0])
    stretched_px = centres[:, None] * [1, 1.8] + 1.4 * width * centred_corners(1.4)
    square, fit_px = Truth(square_px, LABELS[:2], (1920, 1080)), stretched_px / [1, 1.8]
    view = fit_rectification(fit_px, square.picture())
    assert view is not None
    assert view.firm
    stretched = Truth(stretched_px, LABELS[:2], (1920, 1944))
    views = ViewsInTurn(square, stretched, Truth(view.to_view(fit_px), LABELS[:2], view.view_wh))
    reading = Reader(views, views.classifier).read(square.picture())
    assert np.array([tile.sighting.quad_px for tile in reading.tiles]) == pytest.approx(square_px, abs=2)


@pytest.mark.parametrize("widening", [1.0, 1.3])
def test_stretched_view_with_widened_tiles_still_shows_the_table_plane(widening: float) -> None:
    """The detector widens stretched tiles until they look like tiles; their overlaps show the true width."""
    square = Truth(square_quads_px(72), LABELS, (1920, 1080), sure=DOUBTFUL_LABELS)
    low_quads, wider = low_px(72), np.array([[-1, 0], [1, 0], [1, 0], [-1, 0]]) * (widening - 1) / 2
    low_quads = low_quads + wider * axes_px(low_quads)[0][:, :1, None]
    stretched = Truth(low_quads * [1, 1.8], LABELS, (1920, 1944))
    reading = Reader(views := ViewsInTurn(square, stretched, from_above(7)), views.classifier).read(LOW_PICTURE)
    assert len(reading.tiles) == 7


def test_stretched_view_with_too_high_tiles_is_rejected() -> None:
    """The camera is above the table. Stretching distorts the tiles, and makes keys look like tiles."""
    keys = row_mm((-100, 0), 4)
    flat = seen_by_camera([*row_mm((-60, -140), 3), *row_mm((-60, 140), 3), *keys])
    plain = Truth(flat, [*LABELS, *["no-tile"] * 4], (1920, 1080), sure=DOUBTFUL_LABELS)
    stretched = Truth(flat * [1, 1.8], [*LABELS, "black-1", "black-2", "black-3", "black-4"], (1920, 1944))
    reading = Reader(views := ViewsInTurn(plain, stretched), views.classifier).read(plain.picture())
    assert len(reading.tiles) == len(LABELS)


def test_stretched_view_with_tiles_widened_until_they_overlap_is_rejected() -> None:
    """The camera is above the table. Each widened quad alone, mapped back to the image, looks like a low camera's."""
    flat = seen_by_camera([*row_mm((-60, -140), 3), *row_mm((-60, 140), 3), *row_mm((90, 0), 1)])
    plain = Truth(flat[:6], LABELS, (1920, 1080), sure=DOUBTFUL_LABELS)
    centres = flat.mean(axis=1)[:, None]
    wide = centres + (flat - centres) * [1.5, 1]
    stretched = Truth(wide * [1, 1.8], [*LABELS, "black-10"], (1920, 1944))
    reading = Reader(views := ViewsInTurn(plain, stretched), views.classifier).read(plain.picture())
    assert len(reading.tiles) == 6


@pytest.mark.parametrize("most", [2, 3])
def test_single_leaning_tile_does_not_confirm_a_stretched_view(most: int) -> None:
    """Most tiles, mapped back to the image, show a camera above the table. Only the leaning tile shows a low one."""
    flat = square_quads_px(0)[[0, 3, 5]]
    leaning = flat[0].mean(axis=0) + (flat[0] - flat[0].mean(axis=0)) * [1, 0.6]
    plain = Truth(flat[:2], LABELS[:2], (1920, 1080), sure={1: 0.6})
    stretched = Truth(np.array([leaning, *flat[1:]])[:most] * [1, 1.8], LABELS[:most], (1920, 1944))
    reading = Reader(views := ViewsInTurn(plain, stretched), views.classifier).read(plain.picture())
    assert sum(tile.doubtful for tile in reading.tiles) == 1


@pytest.mark.parametrize(
    ("keys", "labels"), [(2, ["red-5", "red-6"]), (4, ["black-1", "black-2", "black-3", "black-4"])]
)
def test_stretched_view_must_show_more_tiles_than_it_loses(keys: int, labels: list[str]) -> None:
    """Two other tiles do not replace the two tiles of the image, but four other tiles do."""
    low_quads = low_px(55, 4)
    plain = Truth(low_quads[[0, 1, 6, 7]], ["red-5", "red-6", "no-tile", "no-tile"], (1920, 1080))
    other_tiles = Truth(
        low_quads[6 : 6 + keys] * [1, 1.8], labels[:keys] if keys > 2 else ["black-1", "black-2"], (1920, 1944)
    )
    reading = Reader(views := ViewsInTurn(plain, other_tiles), views.classifier).read(plain.picture())
    assert [tile.label for tile in reading.tiles] == labels


@pytest.mark.parametrize("first", [6, 7])
def test_rectified_view_of_a_low_camera_may_add_a_flagged_tile(first: int) -> None:
    """The first rectified view shows the same tiles. The second shows one more and flags it, and is kept."""
    low_quads = Truth(low_px(72), LABELS, (1920, 1080))
    second = from_above(first + 1, low_px(72, 2)[:first], sure={first: 0.6})
    views = ViewsInTurn(low_quads, from_above(first), second)
    reading = Reader(views, views.classifier).read(LOW_PICTURE)
    assert [tile.doubtful for tile in reading.tiles] == [False] * first + [True]


@pytest.mark.parametrize("spacing", [0.5, 1.0])
def test_tile_read_as_two_in_the_image_counts_once_beside_a_rectified_view(spacing: float) -> None:
    """Each digit of a number looks like a tile at a flat angle. Two whole tiles are one more than the view shows."""
    low_quads = low_px(72)
    across = axes_px(low_quads)[0][0]
    digits = low_quads[0].mean(axis=0) + 0.65 * (low_quads[0] - low_quads[0].mean(axis=0)) * [1, 1 / 0.65]
    image_px = np.concatenate([[digits - spacing / 2 * across, digits + spacing / 2 * across], low_quads[1:]])
    plain = Truth(image_px, ["red-1", *LABELS], (1920, 1080))
    view = from_above(7, image_px, sure={6: 0.6})
    reading = Reader(views := ViewsInTurn(plain, view), views.classifier).read(LOW_PICTURE)
    assert [tile.label for tile in reading.tiles if tile.doubtful] == (["black-10"] if spacing < 1 else [])


@pytest.mark.parametrize(
    ("known", "visible", "kept"),
    [
        ([], [0], []),
        ([0, 1], [0, 1, 3], [0, 1, 3]),
        ([0, 1], [0, 3, 4], [0, 1]),
        ([0, 1, 3], [0, 1, 3, 4], [0, 1, 3]),
    ],
    ids=["nothing was read", "one more", "one is lost", "three were read"],
)
def test_view_with_more_doubtful_tiles_replaces_a_reading_of_two(
    known: list[int], visible: list[int], kept: list[int]
) -> None:
    """All labels are doubtful in both views. A reading of no tile or of three tiles is not replaced."""
    square, low_quads = square_quads_px(72), low_px(72)
    plain = Truth(square[known], [LABELS[at] for at in known], (1920, 1080), sure=0.6, misread_off=0.5)
    stretched = Truth(
        low_quads[visible] * [1, 1.8], [LABELS[at] for at in visible], (1920, 1944), sure=0.6, misread_off=0.5
    )
    reading = Reader(views := ViewsInTurn(plain, stretched), views.classifier).read(LOW_PICTURE)
    assert {tile.label for tile in reading.tiles} == {LABELS[at] for at in kept}
    assert all(tile.doubtful for tile in reading.tiles)


def test_stretched_view_with_more_flagged_tiles_keeps_certain_labels() -> None:
    """Two tiles are certain. The stretched view gives them other labels and shows a doubtful third tile."""
    square, low_quads = square_quads_px(72)[:2], low_px(72)[:3]
    plain = Truth(square, LABELS[:2], (1920, 1080))
    stretched = Truth(low_quads * [1, 1.8], ["red-1", "red-8", "blue-9"], (1920, 1944), sure=0.6, misread_off=0.5)
    reading = Reader(views := ViewsInTurn(plain, stretched), views.classifier).read(LOW_PICTURE)
    assert [tile.label for tile in reading.tiles] == LABELS[:2]


def test_tile_rejected_by_a_person_does_not_count_as_one_more() -> None:
    """The other view shows the tile again, because it does not know the person's answer."""
    square, low_quads = square_quads_px(72)[:2], low_px(72)[:2]
    plain, stretched = (
        Truth(square, LABELS[:2], (1920, 1080), sure=0.6),
        Truth(low_quads, LABELS[:2], (1920, 1080), sure=0.6),
    )
    before, after = (
        Reader(truth, truth.classifier).read_scene(Scene(truth.picture()), TileSet()) for truth in (plain, stretched)
    )
    rejected = replace(before.reading.tiles[1], label=NO_TILE_LABEL)
    assert after.shows_more(replace(before.reading, tiles=before.reading.tiles[:1], rows=()))
    assert not after.shows_more(replace(before.reading, tiles=(before.reading.tiles[0], rejected)))


def test_detection_inside_a_stretched_tile_is_no_other_tile() -> None:
    """In the stretched view the maker's name below the number looks like another tile."""
    square = square_quads_px(0)[:1]
    across, down = (axes[0] for axes in axes_px(square))
    halves = np.array([square[0].mean(axis=0) + at * down for at in (-0.25, 0.25)])
    corners = [-across - down / 2, across - down / 2, across + down / 2, down / 2 - across]
    quads = halves[:, None] + 0.5 * np.array(corners)
    plain = Truth(square, LABELS[:1], (1920, 1080))
    stretched = Truth(quads * [1, 1.8], [LABELS[0], "orange-1"], (1920, 1944), sure={1: 0.6})
    reading = Reader(views := ViewsInTurn(plain, stretched), views.classifier).read(plain.picture())
    assert [(tile.label, tile.doubtful) for tile in reading.tiles] == [(LABELS[0], False)]


def low_px(tilt_deg: float, more: int = 0) -> np.ndarray:
    """Return two rows of three tiles and one of `more`, `(6 + more, 4, 2)`, from `tilt_deg` off the vertical."""
    rows = [*row_mm((-60, -140), 3), *row_mm((-60, 140), 3), *row_mm((90, 0), more)]
    return seen_by_camera(rows, tilt_deg=tilt_deg)


LOW_PICTURE = Truth(low_px(72, 2), [*LABELS, "black-10", "black-11"], (1920, 1080)).picture()
"""The image of all eight tiles before a low camera."""


def square_quads_px(tilt_deg: float) -> np.ndarray:
    """Return the six tiles of `low_px` as a detector finds them that does not foreshorten them."""
    quads = low_px(tilt_deg)
    centres, widths = quads.mean(axis=1), np.sqrt(areas_px(quads) / 1.4)
    return centres[:, None] + widths[:, None, None] * centred_corners(1.4)


def test_camera_may_be_low_if_few_tiles_are_read_or_a_few_are_doubtful() -> None:
    """Two tiles or less are few. Among few tiles, a doubt or a rejected detection is enough; among many it is not."""
    truth = Truth(square_quads_px(20), LABELS, (1920, 1080))
    reading = Reader(truth, truth.classifier).read(truth.picture())
    assert not may_be_low(reading, 0)
    assert may_be_low(reading, 1)
    for count, is_kept in ((0, True), (2, True), (3, False)):
        assert may_be_low(replace(reading, tiles=reading.tiles[:count], rows=()), 0) is is_kept
    doubtful = replace(reading.tiles[0], doubts=(Doubt(DoubtReason.UNSURE_INK),))
    firm = MIN_FIRM_RECTIFICATION_TILES
    for count, is_kept in ((firm - 1, True), (firm, False)):
        many_tiles = replace(reading, tiles=(doubtful, *[reading.tiles[1]] * (count - 1)), rows=())
        assert may_be_low(many_tiles, 1) is is_kept
    rejected = tuple(replace(tile, label=NO_TILE_LABEL) for tile in reading.tiles)
    assert may_be_low(replace(reading, tiles=(*reading.tiles[:2], *rejected[2:]), rows=()), 0)


@pytest.mark.parametrize(("count", "looks"), [(6, 1), (16, 0)])
def test_doubt_on_a_large_table_costs_no_stretched_view(count: int, looks: int) -> None:
    """Among many tiles, some already show the plane of the table, so a second reading would be wasted."""
    rows = [tile for y in (-140, 0, 140) for tile in row_mm((-160, y), 6)][:count]
    names = [f"{ink}-{number}" for ink in ("red", "blue", "black") for number in range(1, 7)][:count]
    plain = Truth(seen_by_camera(rows), names, (1920, 1080), sure={3: 0.6})
    stretched = Truth(plain.quads_px * [1, 1.8], names, (1920, 1944))
    reading = Reader(views := ViewsInTurn(plain, stretched), views.classifier).read(plain.picture())
    assert len(stretched.looks) == looks
    assert len(reading.tiles) == count


@pytest.mark.parametrize("tilt_deg", [0, 60])
def test_overlapping_tiles_of_a_row_show_a_low_camera(tilt_deg: float) -> None:
    """The row runs away from the camera, and each tile is detected as wide as from above."""
    row = seen_by_camera(row_mm((0, -80), 7, angle_deg=90), tilt_deg=tilt_deg)
    across, down = axes_px(row)
    wide = row.mean(axis=1)[:, None] + (row - row.mean(axis=1)[:, None]) * [
        1,
        np.linalg.norm(down, axis=1).mean() / 1.4 / np.linalg.norm(across, axis=1).mean(),
    ]
    truth = Truth(wide, [*LABELS, "black-10"], (1920, 1080))
    reading = Reader(truth, truth.classifier).read_scene(Scene(truth.picture()), TileSet()).reading
    assert (fit_rectification(certain_px(reading), truth.picture()) is not None) is (tilt_deg > 0)
