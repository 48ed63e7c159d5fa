"""Tables are read in the camera's image or in a rectified view, and a better view replaces it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.support.truthful_networks import Truth
from tests.vision.test_low_camera import DOUBTFUL_LABELS, LABELS, low_px, square_quads_px
from tilekeeper.vision.geometry.rectification import (
    MIN_FIRM_RECTIFICATION_TILES,
    Rectification,
    fit_rectification,
    foreshortening_ratios,
    guess_rectification,
)
from tilekeeper.vision.pipeline import Reader, assemble, drop_cut_off
from tilekeeper.vision.scene import Rest, Scene, State
from tilekeeper.vision.scoring.calibration import Calibration
from tilekeeper.vision.tile_table import TileTable
from tilekeeper.vision.tracking.tracker import TableView
from tilekeeper.vision.types import TableReading, TileSet

WH, LARGER_WH = (1920, 1080), (2880, 1620)
PLACES_PX = np.array([[100, 200], [300, 200], [300, 500], [100, 500]], np.float32)
BOX_PX = np.array([[100, 200, 300, 500]], np.float32)
TWICE_AS_HIGH = np.array([1, 2], np.float32)
FIRM = MIN_FIRM_RECTIFICATION_TILES


def twice_as_high(wh: tuple[int, int]) -> TableView:
    """Return a view that is as wide as the image and twice as high."""
    return TableView(wh, Rectification(wh, np.diag([1.0, 2.0, 1.0]), (wh[0], 2 * wh[1]), (0.0, 0.0, 0.0)))


AS_IT_IS, FROM_ABOVE = TableView(WH), twice_as_high(WH)


def detections_of(truth: Truth) -> TileTable:
    """Return the detections of all tiles."""
    return TileTable.from_classification(
        truth.classifier(truth.picture(), truth.quads_px), np.full(len(truth.labels), 0.9)
    )


def tracks_and_reading(truth: Truth) -> tuple[TileTable, TableReading]:
    """Return the tracks of the tiles and their reading."""
    found = detections_of(truth) if truth.labels else TileTable.none()
    reading, tracks = assemble(Scene(truth.picture()), found, TileSet(), Calibration())
    return tracks, reading


def tracks_of(count: int) -> TileTable:
    """Return this number of tracks."""
    return detections_of(Truth(PLACES_PX[None], ["red-5"], WH)).at(np.zeros(count, int))


def test_view_without_rectification_returns_image_and_points_as_they_are() -> None:
    image, rest, found = np.zeros((WH[1], WH[0], 3), np.uint8), Rest(State.STILL, True, changed_px=BOX_PX), tracks_of(1)
    reading = TableReading((), (), WH)
    assert AS_IT_IS.scene(image, rest).image_bgr is image
    assert AS_IT_IS.rest_in_view(rest) is rest
    assert AS_IT_IS.reading_in_image(reading) is reading
    assert AS_IT_IS.to_image(PLACES_PX) is PLACES_PX
    assert drop_cut_off(AS_IT_IS.scene(image, rest), found) is found


def test_previous_image_is_used_only_for_a_partial_change_in_the_same_view() -> None:
    """Its size must be the size of the view."""
    above = guess_rectification(np.zeros((90, 160, 3), np.uint8))
    view = TableView((160, 90), above)
    image = np.random.default_rng(0).integers(0, 256, (90, 160, 3), np.uint8)
    before = above.warp(image)
    scene = view.scene(image, Rest(State.STILL, changed_px=BOX_PX), before)
    assert np.array_equal(scene.image_bgr, before)
    assert scene.before_bgr is before
    assert scene.view is above
    assert view.scene(image, Rest(State.STILL), before).before_bgr is None
    assert view.scene(image, Rest(State.STILL, changed_px=BOX_PX), image).before_bgr is None
    assert view.scene(image, Rest(State.STILL, changed_px=BOX_PX)).before_bgr is None


def test_rest_and_reading_are_mapped_between_image_and_view() -> None:
    rest = FROM_ABOVE.rest_in_view(Rest(State.STILL, True, hidden_px=(PLACES_PX,), changed_px=BOX_PX))
    assert rest.parts_px == pytest.approx(np.array([[100, 400, 300, 1000]]))
    assert rest.hidden_px[0].max(axis=0) == pytest.approx((300, 1000))
    reading = FROM_ABOVE.reading_in_image(
        TableReading((), (), (WH[0], 2 * WH[1]), face_down=PLACES_PX[None] * TWICE_AS_HIGH)
    )
    assert reading.image_wh == WH
    assert reading.face_down == pytest.approx(PLACES_PX[None])


@pytest.mark.parametrize(
    ("before", "after", "larger"),
    [
        pytest.param(AS_IT_IS, FROM_ABOVE, (1, 2), id="from above from now on"),
        pytest.param(FROM_ABOVE, AS_IT_IS, (1, 0.5), id="no more"),
        pytest.param(FROM_ABOVE, twice_as_high(WH), (1, 1), id="again"),
        pytest.param(AS_IT_IS, TableView(LARGER_WH), (1.5, 1.5), id="in a larger picture"),
        pytest.param(FROM_ABOVE, TableView(LARGER_WH), (1.5, 0.75), id="no more, in a larger picture"),
        pytest.param(FROM_ABOVE, twice_as_high(LARGER_WH), (1.5, 1.5), id="from above in a larger picture"),
    ],
)
def test_tracks_in_another_view_keep_their_places_on_the_table(
    before: TableView, after: TableView, larger: tuple[float, float]
) -> None:
    mapped_px = before.to_view(after, PLACES_PX)
    assert mapped_px == pytest.approx(PLACES_PX * larger)
    assert mapped_px.dtype == np.float32


def test_no_tracks_are_mapped_from_a_view_without_size() -> None:
    assert TableView((0, 0)).to_view(AS_IT_IS, np.zeros((0, 4, 2), np.float32)).shape == (0, 4, 2)


def test_tile_that_the_image_cuts_off_is_dropped_in_a_rectified_view() -> None:
    """The view is larger than the image, and a part of a tile may look like another tile."""
    beside = Rectification(WH, np.array([[1.0, 0, 250], [0, 1, 0], [0, 0, 1]]), WH, (0.0, 0.0, 0.0))
    part_px, all_px = PLACES_PX, PLACES_PX + np.array([200, 0])
    found = replace(tracks_of(2), quads_px=np.array([part_px, all_px], np.float32))
    scene = Scene(PICTURE, view=beside)
    assert drop_cut_off(scene, found).quads_px.tolist() == [all_px.tolist()]


@pytest.mark.parametrize(
    ("view", "changed_px", "count", "shown"),
    [
        pytest.param(AS_IT_IS, BOX_PX, 0, True, id="a part"),
        pytest.param(AS_IT_IS, None, 50, False, id="all"),
        pytest.param(FROM_ABOVE, BOX_PX, FIRM, True, id="a part, from above"),
        pytest.param(FROM_ABOVE, BOX_PX, FIRM - 1, False, id="few tiles tell how the table lies"),
        pytest.param(FROM_ABOVE, BOX_PX + 1000, FIRM, False, id="past the view"),
        pytest.param(FROM_ABOVE, None, FIRM, False, id="all, from above"),
    ],
)
def test_view_that_shows_the_change_stays(
    view: TableView, changed_px: np.ndarray | None, count: int, shown: bool
) -> None:
    assert view.shows(changed_px, tracks_of(count)) is shown


def test_non_tiles_among_the_tracks_do_not_make_a_view_firm() -> None:
    tracks = tracks_of(FIRM)
    tracks.number_log_probs[0] = np.log([0.01] * 14 + [0.86])
    assert not FROM_ABOVE.shows(BOX_PX, tracks)


LOW = Truth(low_px(72), LABELS, WH)
PICTURE = LOW.picture()
NOTHING = Truth(LOW.quads_px[:0], [], WH)


def in_view(above: Rectification) -> Truth:
    """Return the tiles that a low camera sees, in a rectified view."""
    return Truth(above.to_view(LOW.quads_px), LABELS, above.view_wh)


def low_from_above() -> Rectification:
    """Return the rectification fitted to the tiles of the low camera."""
    above = fit_rectification(LOW.quads_px, PICTURE)
    assert above is not None
    return above


def better_view(view: TableView, truth: Truth, networks: Truth) -> TableView | None:
    """Return a view that is better for `truth` than `view`, if any; `networks` read the candidate views."""
    return view.find_better(Reader(networks, networks.classifier), PICTURE, *tracks_and_reading(truth), TileSet())


def test_low_camera_gets_a_rectified_view() -> None:
    view = better_view(TableView(WH), LOW, in_view(low_from_above()))
    assert view is not None
    assert foreshortening_ratios(LOW.quads_px).min() > 2
    assert foreshortening_ratios(TableView(WH).to_view(view, LOW.quads_px)).max() < 1.1
    assert view.scene(PICTURE, Rest(State.STILL)).view is not None


@pytest.mark.parametrize("truth", [LOW, NOTHING], ids=["low", "bare"])
def test_view_stays_if_no_other_shows_more(truth: Truth) -> None:
    assert better_view(TableView(WH), truth, NOTHING) is None


@pytest.mark.parametrize("count", [1, 6], ids=["one tile", "one of six in doubt"])
def test_rectified_view_with_undistorted_tiles_stays(count: int) -> None:
    above = low_from_above()
    truth = Truth(above.to_view(LOW.quads_px[:count]), LABELS[:count], above.view_wh, sure={5: 0.6})
    assert better_view(TableView(WH, above), truth, truth) is None
    assert truth.looks == []


def test_clear_table_costs_no_search() -> None:
    """Three clear tiles need no search. Three doubtful tiles among five suggest a low camera."""
    truth = in_view(low_from_above())
    reader, view = Reader(truth, truth.classifier), TableView(WH)
    three, five = (
        Truth(square_quads_px(0)[:count], LABELS[:count], WH, sure=sure)
        for count, sure in ((3, {}), (5, DOUBTFUL_LABELS))
    )
    assert view.find_better(reader, PICTURE, *tracks_and_reading(three), TileSet()) is None
    assert truth.looks == []
    view.find_better(reader, PICTURE, *tracks_and_reading(five), TileSet())
    assert truth.looks


def test_failed_search_is_repeated_with_twice_as_many_tracks() -> None:
    truth = in_view(low_from_above())
    reader, (tracks, reading) = Reader(truth, truth.classifier), tracks_and_reading(LOW)
    view = TableView(WH, next_at=len(tracks) + 1)
    assert view.find_better(reader, PICTURE, tracks, reading, TileSet()) is None
    assert truth.looks == []
    doubled = TileTable.concatenate([tracks, tracks])
    for repeated in (view, view.find_better(reader, PICTURE, doubled, reading, TileSet())):
        assert repeated is not None
        truth.looks.clear()
        assert repeated.find_better(reader, PICTURE, doubled, reading, TileSet()) is None
        assert truth.looks == []
    assert view.find_better(reader, PICTURE, TileTable.concatenate([doubled, doubled]), reading, TileSet()) is not None


def test_table_read_well_in_a_rectified_view_costs_no_search() -> None:
    above = low_from_above()
    truth = in_view(above)
    assert better_view(TableView(WH, above), truth, truth) is None
    assert truth.looks == []


def test_rectified_view_without_tiles_is_left_for_the_image_itself() -> None:
    coins = Truth(LOW.quads_px[:2], ["no-tile"] * 2, WH)
    view = better_view(TableView(WH, low_from_above()), coins, NOTHING)
    assert view is not None
    assert view.scene(PICTURE, Rest(State.STILL)).image_bgr is PICTURE
    NOTHING.looks.clear()
    assert better_view(view, coins, NOTHING) is None
    assert NOTHING.looks == []


def test_rectified_view_of_another_table_with_doubtful_tiles_is_left() -> None:
    """Its tiles are undistorted in the image, and stretched in the view."""
    above = low_from_above()
    flat = Truth(above.to_view(square_quads_px(0)), LABELS, above.view_wh, sure=0.6)
    assert all(tile.doubtful for tile in tracks_and_reading(flat)[1].tiles)
    view = better_view(TableView(WH, above), flat, NOTHING)
    assert view is not None
    assert view.scene(PICTURE, Rest(State.STILL)).image_bgr is PICTURE


@pytest.mark.parametrize("is_better", [True, False], ids=["told better", "told no better"])
def test_guessed_view_stays_until_its_tiles_show_the_table_plane(is_better: bool) -> None:
    guess = guess_rectification(PICTURE)
    networks = in_view(low_from_above()) if is_better else NOTHING
    view = better_view(TableView(WH, guess), in_view(guess), networks)
    if not is_better:
        assert view is None
        return
    assert view is not None
    assert foreshortening_ratios(TableView(WH).to_view(view, LOW.quads_px)).max() < 1.1
