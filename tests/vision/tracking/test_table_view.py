"""What is read of a picture: itself, or the table as from straight above; and when another view takes its place."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.support.truthful_networks import Truth
from tests.vision.test_low_camera import HARDLY, LABELS, low_px, lying_px
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
from tilekeeper.vision.scoring.tile_table import TileTable
from tilekeeper.vision.tracking.table_view import TableView
from tilekeeper.vision.types import TableReading, TileSet

WH, LARGER_WH = (1920, 1080), (2880, 1620)
PLACES_PX = np.array([[100, 200], [300, 200], [300, 500], [100, 500]], np.float32)
BOX_PX = np.array([[100, 200, 300, 500]], np.float32)
TWICE_AS_HIGH = np.array([1, 2], np.float32)
FIRM = MIN_FIRM_RECTIFICATION_TILES


def twice_as_high(wh: tuple[int, int]) -> TableView:
    """A view in which all is as wide as in the picture and twice as high."""
    return TableView(wh, Rectification(wh, np.diag([1.0, 2.0, 1.0]), (wh[0], 2 * wh[1]), (0.0, 0.0, 0.0)))


AS_IT_IS, FROM_ABOVE = TableView(WH), twice_as_high(WH)


def found_all(truth: Truth) -> TileTable:
    """The tiles at their places."""
    return TileTable.from_classification(
        truth.classifier(truth.picture(), truth.quads_px), np.full(len(truth.labels), 0.9)
    )


def looked_at(truth: Truth) -> tuple[TileTable, TableReading]:
    """What is followed of tiles, and what is read of them."""
    found = found_all(truth) if truth.labels else TileTable.none()
    reading, tracks = assemble(Scene(truth.picture()), found, TileSet(), Calibration())
    return tracks, reading


def so_many(count: int) -> TileTable:
    """The tracks of tiles somewhere."""
    return found_all(Truth(PLACES_PX[None], ["red-5"], WH)).at(np.zeros(count, int))


def test_a_picture_is_read_as_it_is_until_another_view_is_better() -> None:
    """Nothing is copied or led anywhere."""
    image, rest, found = np.zeros((WH[1], WH[0], 3), np.uint8), Rest(State.STILL, True, changed_px=BOX_PX), so_many(1)
    reading = TableReading((), (), WH)
    assert AS_IT_IS.scene(image, rest).image_bgr is image
    assert AS_IT_IS.rest_in_view(rest) is rest
    assert AS_IT_IS.reading_in_image(reading) is reading
    assert AS_IT_IS.to_image(PLACES_PX) is PLACES_PX
    assert drop_cut_off(AS_IT_IS.scene(image, rest), found) is found


def test_what_was_read_before_counts_only_from_the_same_place() -> None:
    """A part of the image must have changed, and the image before must have the size of the view."""
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


def test_what_passes_between_picture_and_view_is_told_in_its_pixels() -> None:
    """What moved is told in those of the view, what was read in those of the picture."""
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
def test_what_is_followed_is_followed_in_another_view(
    before: TableView, after: TableView, larger: tuple[float, float]
) -> None:
    """It lies on the same places of the table."""
    led_px = before.to_view(after, PLACES_PX)
    assert led_px == pytest.approx(PLACES_PX * larger)
    assert led_px.dtype == np.float32


def test_before_the_first_picture_nothing_is_followed() -> None:
    """A picture of no size is as large as any."""
    assert TableView((0, 0)).to_view(AS_IT_IS, np.zeros((0, 4, 2), np.float32)).shape == (0, 4, 2)


def test_what_the_picture_cuts_off_is_not_followed_from_above() -> None:
    """The view reaches further than the picture: there a part of a tile may look like another."""
    beside = Rectification(WH, np.array([[1.0, 0, 250], [0, 1, 0], [0, 0, 1]]), WH, (0.0, 0.0, 0.0))
    part_px, all_px = PLACES_PX, PLACES_PX + np.array([200, 0])
    found = replace(so_many(2), quads_px=np.array([part_px, all_px], np.float32))
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
def test_a_view_stays_while_it_shows_what_changed(
    view: TableView, changed_px: np.ndarray | None, count: int, shown: bool
) -> None:
    """Where it may not, all is read anew in the picture itself."""
    assert view.shows(changed_px, so_many(count)) is shown


def test_what_is_no_tile_does_not_tell_how_the_table_lies() -> None:
    """Of enough tracks one is not likely to be a tile."""
    tracks = so_many(FIRM)
    tracks.number_log_probs[0] = np.log([0.01] * 14 + [0.86])
    assert not FROM_ABOVE.shows(BOX_PX, tracks)


LOW = Truth(low_px(72), LABELS, WH)
PICTURE = LOW.picture()
NOTHING = Truth(LOW.quads_px[:0], [], WH)


def seen_through(above: Rectification) -> Truth:
    """The tiles before a low camera as a view shows them."""
    return Truth(above.to_view(LOW.quads_px), LABELS, above.view_wh)


def low_from_above() -> Rectification:
    """How they tell that the table lies."""
    above = fit_rectification(LOW.quads_px, PICTURE)
    assert above is not None
    return above


def better(view: TableView, seen: Truth, networks: Truth) -> TableView | None:
    """The view that is better than one in which some tiles are seen, where the networks see others from above."""
    return view.find_better(Reader(networks, networks.classifier), PICTURE, *looked_at(seen), TileSet())


def test_what_a_low_camera_sees_is_better_seen_from_above() -> None:
    """Tiles that are a third as high as they are lie there in a tile's shape."""
    view = better(TableView(WH), LOW, seen_through(low_from_above()))
    assert view is not None
    assert foreshortening_ratios(LOW.quads_px).min() > 2
    assert foreshortening_ratios(TableView(WH).to_view(view, LOW.quads_px)).max() < 1.1
    assert view.scene(PICTURE, Rest(State.STILL)).view is not None


@pytest.mark.parametrize("seen", [LOW, NOTHING], ids=["low", "bare"])
def test_a_view_stays_where_none_shows_more(seen: Truth) -> None:
    """From above nothing is seen, of what was seen before or at all."""
    assert better(TableView(WH), seen, NOTHING) is None


@pytest.mark.parametrize("count", [1, 6], ids=["one tile", "one of six in doubt"])
def test_a_view_in_which_tiles_lie_as_they_are_stays(count: int) -> None:
    """What is in doubt in it is no reason to look from elsewhere, which would be as good."""
    above = low_from_above()
    seen = Truth(above.to_view(LOW.quads_px[:count]), LABELS[:count], above.view_wh, sure={5: 0.6})
    assert better(TableView(WH, above), seen, seen) is None
    assert seen.looks == []


def test_a_clear_table_spends_no_try() -> None:
    """Three clear tiles seen from above, then five of which three are in doubt, so that a low camera is thought of."""
    seen = seen_through(low_from_above())
    reader, view = Reader(seen, seen.classifier), TableView(WH)
    three, five = (Truth(lying_px(0)[:count], LABELS[:count], WH, sure=sure) for count, sure in ((3, {}), (5, HARDLY)))
    assert view.find_better(reader, PICTURE, *looked_at(three), TileSet()) is None
    assert seen.looks == []
    view.find_better(reader, PICTURE, *looked_at(five), TileSet())
    assert seen.looks


def test_another_view_is_tried_again_once_twice_as_much_is_followed() -> None:
    """Each try is a whole reading, and the next view remembers it."""
    seen = seen_through(low_from_above())
    reader, (tracks, reading) = Reader(seen, seen.classifier), looked_at(LOW)
    view = TableView(WH, next_at=len(tracks) + 1)
    assert view.find_better(reader, PICTURE, tracks, reading, TileSet()) is None
    assert seen.looks == []
    twice = TileTable.concatenate([tracks, tracks])
    for again in (view, view.find_better(reader, PICTURE, twice, reading, TileSet())):
        assert again is not None
        seen.looks.clear()
        assert again.find_better(reader, PICTURE, twice, reading, TileSet()) is None
        assert seen.looks == []
    assert view.find_better(reader, PICTURE, TileTable.concatenate([twice, twice]), reading, TileSet()) is not None


def test_a_table_seen_well_from_above_is_not_looked_at_again() -> None:
    """Its tiles lie as they are, and all of them are read."""
    above = low_from_above()
    seen = seen_through(above)
    assert better(TableView(WH, above), seen, seen) is None
    assert seen.looks == []


def test_where_nothing_is_read_from_above_the_picture_is_read_as_it_is() -> None:
    """The view was of another table; whether another is better is asked when more is found."""
    coins = Truth(LOW.quads_px[:2], ["no-tile"] * 2, WH)
    view = better(TableView(WH, low_from_above()), coins, NOTHING)
    assert view is not None
    assert view.scene(PICTURE, Rest(State.STILL)).image_bgr is PICTURE
    NOTHING.looks.clear()
    assert better(view, coins, NOTHING) is None
    assert NOTHING.looks == []


def test_a_view_of_another_table_is_left_though_all_that_is_seen_askew_is_in_doubt() -> None:
    """Tiles that lie as from above in the picture are drawn out in the view."""
    above = low_from_above()
    flat = Truth(above.to_view(lying_px(0)), LABELS, above.view_wh, sure=0.6)
    assert all(tile.doubtful for tile in looked_at(flat)[1].tiles)
    view = better(TableView(WH, above), flat, NOTHING)
    assert view is not None
    assert view.scene(PICTURE, Rest(State.STILL)).image_bgr is PICTURE


@pytest.mark.parametrize("again", [True, False], ids=["told better", "told no better"])
def test_a_guess_at_how_the_table_lies_stays_until_its_tiles_tell_it(again: bool) -> None:
    """A low camera's picture is not read as it is, for as long as what is read of it says that the camera is low."""
    guess = guess_rectification(PICTURE)
    networks = seen_through(low_from_above()) if again else NOTHING
    view = better(TableView(WH, guess), seen_through(guess), networks)
    if not again:
        assert view is None
        return
    assert view is not None
    assert foreshortening_ratios(TableView(WH).to_view(view, LOW.quads_px)).max() < 1.1
