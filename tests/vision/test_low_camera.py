"""What may be seen from low is looked at from above, and a guess has to show more; the networks are stand-ins."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.projected_tiles import row_mm, seen_by_camera
from tests.support.truthful_networks import Truth
from tilekeeper.vision.geometry.quads import areas_px, axes_px, centred_corners
from tilekeeper.vision.geometry.rectification import MIN_FIRM_RECTIFICATION_TILES, fit_rectification
from tilekeeper.vision.low_camera import certain_px, may_be_low
from tilekeeper.vision.pipeline import Reader
from tilekeeper.vision.recognition.appearance import Appearances
from tilekeeper.vision.scene import Scene
from tilekeeper.vision.types import NO_TILE_LABEL, Detections, Doubt, DoubtReason, TileSet

LABELS = ["red-5", "red-6", "red-7", "blue-9", "orange-9", "black-9"]
HARDLY = dict.fromkeys(range(2, 6), 0.6)
"""How surely all but two of these are named where a low camera is guessed at."""


@pytest.mark.parametrize(("score", "is_flagged"), [(0.6, False), (0.53, True)])
def test_where_nothing_is_read_what_a_guess_at_a_low_camera_hardly_finds_is_asked_about(
    score: float, is_flagged: bool
) -> None:
    """Drawn out to twice its height, half a domino on an empty table was one with 0.53, and a joker to the
    classifier."""
    quad = np.array([[[300, 400], [348, 400], [348, 466], [300, 466]]], np.float64)
    truth = Truth(quad, ["joker"], (960, 972), scores={0: score})

    picture = np.ascontiguousarray(truth.picture()[:540])
    reading = Reader(views := InTurn(None, truth), views.classifier).read(picture)
    assert [(tile.label, tile.doubtful) for tile in reading.tiles] == [("joker", is_flagged)]


class InTurn:
    """Networks that know the truth of one view after the other, of the last ever after, and see nothing in `None`."""

    def __init__(self, *views: Truth | None) -> None:
        self._views = list(views)

    def detect(self, scene: Scene) -> Detections:
        """Find what the next view shows."""
        self._seen = self._views.pop(0) if len(self._views) > 1 else self._views[0]
        return self._seen.detect(scene) if self._seen else Detections()

    def detect_in(self, scene: Scene, boxes_px: np.ndarray, known_px: np.ndarray) -> Detections:
        """Find what the next view shows in the boxes."""
        return self.detect(scene).select_inside(boxes_px)

    def classifier(self, image_bgr: np.ndarray, quads_px: np.ndarray) -> Appearances:
        """Name the tiles of the view that was looked at last."""
        assert self._seen is not None
        return self._seen.classifier(image_bgr, quads_px)


def from_above(count: int, told_px: np.ndarray | None = None, **faults: object) -> Truth:
    """So many of eight tiles, as those of `low_px(72)` and two more are seen from straight above.

    How they lie is told by `told_px (N, 4, 2)`, by the first six themselves if nothing else does.
    """
    quads = low_px(72, 2)
    view = fit_rectification(quads[:6] if told_px is None else told_px, np.zeros((1080, 1920, 3), np.uint8))
    assert view is not None
    labels = [*LABELS, "black-10", "black-11"][:count]
    return Truth(view.to_view(quads[:count]), labels, view.view_wh, misread_off=0.5, **faults)


@pytest.mark.parametrize(("more", "count"), [(6, 7), (5, 6)])
def test_a_guess_at_a_low_camera_is_gone_on_from_where_it_shows_no_less(more: int, count: int) -> None:
    """Drawn out, the same tiles tell how the table lies, and seen so there is one more; not where some are lost."""
    square = Truth([*lying_px(72), low_px(72, 1)[6]], [*LABELS, "no-tile"], (1920, 1080))
    drawn_out = Truth(low_px(72)[:more] * [1, 1.8], LABELS[:more], (1920, 1944))
    reading = Reader(views := InTurn(square, drawn_out, from_above(7)), views.classifier).read(LOW_PICTURE)
    assert len(reading.tiles) == count
    assert not any(tile.doubtful for tile in reading.tiles)


def test_a_guess_that_shows_no_more_moves_no_corner() -> None:
    """Drawn out, two tiles are found too square, and so led back as from low, however surely they tell it."""
    square_px = lying_px(0)[[0, 5]]
    middles, width = square_px.mean(axis=1), np.linalg.norm(square_px[0, 1] - square_px[0, 0])
    drawn_out_px = middles[:, None] * [1, 1.8] + 1.4 * width * centred_corners(1.4)
    square, told_px = Truth(square_px, LABELS[:2], (1920, 1080)), drawn_out_px / [1, 1.8]
    view = fit_rectification(told_px, square.picture())
    assert view is not None
    assert view.firm
    drawn_out = Truth(drawn_out_px, LABELS[:2], (1920, 1944))
    views = InTurn(square, drawn_out, Truth(view.to_view(told_px), LABELS[:2], view.view_wh))
    reading = Reader(views, views.classifier).read(square.picture())
    assert np.array([tile.sighting.quad_px for tile in reading.tiles]) == pytest.approx(square_px, abs=2)


@pytest.mark.parametrize("swollen", [1.0, 1.3])
def test_a_guess_in_which_tiles_swell_tells_all_the_same_how_the_table_lies(swollen: float) -> None:
    """The detector makes tiles of what is drawn out by widening it; but tiles do not lie on each other."""
    square = Truth(lying_px(72), LABELS, (1920, 1080), sure=HARDLY)
    lying, wider = low_px(72), np.array([[-1, 0], [1, 0], [1, 0], [-1, 0]]) * (swollen - 1) / 2
    lying = lying + wider * axes_px(lying)[0][:, :1, None]
    drawn_out = Truth(lying * [1, 1.8], LABELS, (1920, 1944))
    reading = Reader(views := InTurn(square, drawn_out, from_above(7)), views.classifier).read(LOW_PICTURE)
    assert len(reading.tiles) == 7


def test_a_guess_in_which_tiles_are_too_high_is_none() -> None:
    """Tiles that lie as they are seen are drawn out with the picture, and so are the keys that look like tiles then."""
    keys = row_mm((-100, 0), 4)
    flat = seen_by_camera([*row_mm((-60, -140), 3), *row_mm((-60, 140), 3), *keys])
    plain = Truth(flat, [*LABELS, *["no-tile"] * 4], (1920, 1080), sure=HARDLY)
    drawn_out = Truth(flat * [1, 1.8], [*LABELS, "black-1", "black-2", "black-3", "black-4"], (1920, 1944))
    reading = Reader(views := InTurn(plain, drawn_out), views.classifier).read(plain.picture())
    assert len(reading.tiles) == len(LABELS)


def test_a_guess_in_which_tiles_are_widened_until_they_cover_each_other_is_refuted() -> None:
    """So the detector makes tiles of what was drawn out in vain: led back they look as from the side, each by
    itself."""
    flat = seen_by_camera([*row_mm((-60, -140), 3), *row_mm((-60, 140), 3), *row_mm((90, 0), 1)])
    plain = Truth(flat[:6], LABELS, (1920, 1080), sure=HARDLY)
    middles = flat.mean(axis=1)[:, None]
    wide = middles + (flat - middles) * [1.5, 1]
    drawn_out = Truth(wide * [1, 1.8], [*LABELS, "black-10"], (1920, 1944))
    reading = Reader(views := InTurn(plain, drawn_out), views.classifier).read(plain.picture())
    assert len(reading.tiles) == 6


@pytest.mark.parametrize("most", [2, 3])
def test_a_guess_is_not_upheld_by_one_tile_among_those_that_lie_as_from_above(most: int) -> None:
    """Led back, most of them tell where the camera is; what leans among them would have all others drawn out."""
    flat = lying_px(0)[[0, 3, 5]]
    leaning = flat[0].mean(axis=0) + (flat[0] - flat[0].mean(axis=0)) * [1, 0.6]
    plain = Truth(flat[:2], LABELS[:2], (1920, 1080), sure={1: 0.6})
    drawn_out = Truth(np.array([leaning, *flat[1:]])[:most] * [1, 1.8], LABELS[:most], (1920, 1944))
    reading = Reader(views := InTurn(plain, drawn_out), views.classifier).read(plain.picture())
    assert sum(tile.doubtful for tile in reading.tiles) == 1


@pytest.mark.parametrize(
    ("keys", "labels"), [(2, ["red-5", "red-6"]), (4, ["black-1", "black-2", "black-3", "black-4"])]
)
def test_a_guess_has_to_show_more_than_it_loses(keys: int, labels: list[str]) -> None:
    """Two tiles are not given for two others; for four they are, where all of them may have been misread."""
    low = low_px(55, 4)
    plain = Truth(low[[0, 1, 6, 7]], ["red-5", "red-6", "no-tile", "no-tile"], (1920, 1080))
    others = Truth(low[6 : 6 + keys] * [1, 1.8], labels[:keys] if keys > 2 else ["black-1", "black-2"], (1920, 1944))
    reading = Reader(views := InTurn(plain, others), views.classifier).read(plain.picture())
    assert [tile.label for tile in reading.tiles] == labels


@pytest.mark.parametrize("first", [6, 7])
def test_where_most_tiles_tell_that_the_camera_is_low_a_question_is_better_than_a_miss(first: int) -> None:
    """The first view from above stands that shows no less, and one after it that asks about one tile more."""
    low = Truth(low_px(72), LABELS, (1920, 1080))
    second = from_above(first + 1, low_px(72, 2)[:first], sure={first: 0.6})
    views = InTurn(low, from_above(first), second)
    reading = Reader(views, views.classifier).read(LOW_PICTURE)
    assert [tile.doubtful for tile in reading.tiles] == [False] * first + [True]


@pytest.mark.parametrize(
    ("read", "visible", "kept"),
    [
        ([], [0], []),
        ([0, 1], [0, 1, 3], [0, 1, 3]),
        ([0, 1], [0, 3, 4], [0, 1]),
        ([0, 1, 3], [0, 1, 3, 4], [0, 1, 3]),
    ],
    ids=["nothing was read", "one more", "one is lost", "three were read"],
)
def test_where_hardly_anything_is_read_a_question_is_better_than_a_miss(
    read: list[int], visible: list[int], kept: list[int]
) -> None:
    """A guess that sees what was read, and more, is taken, though unsure of all; of none and of many it is not."""
    found, low = lying_px(72), low_px(72)
    plain = Truth(found[read], [LABELS[at] for at in read], (1920, 1080), sure=0.6, misread_off=0.5)
    drawn_out = Truth(low[visible] * [1, 1.8], [LABELS[at] for at in visible], (1920, 1944), sure=0.6, misread_off=0.5)
    reading = Reader(views := InTurn(plain, drawn_out), views.classifier).read(LOW_PICTURE)
    assert {tile.label for tile in reading.tiles} == {LABELS[at] for at in kept}
    assert all(tile.doubtful for tile in reading.tiles)


def test_a_guess_that_asks_about_more_takes_no_certain_name_away() -> None:
    """Two tiles are certain; drawn out they are other ones, and a third is asked about."""
    found, low = lying_px(72)[:2], low_px(72)[:3]
    plain = Truth(found, LABELS[:2], (1920, 1080))
    drawn_out = Truth(low * [1, 1.8], ["red-1", "red-8", "blue-9"], (1920, 1944), sure=0.6, misread_off=0.5)
    reading = Reader(views := InTurn(plain, drawn_out), views.classifier).read(LOW_PICTURE)
    assert [tile.label for tile in reading.tiles] == LABELS[:2]


def test_what_a_person_rejected_is_nothing_more() -> None:
    """It is seen in the guess as well, which knows no such word."""
    found, low = lying_px(72)[:2], low_px(72)[:2]
    plain, drawn_out = Truth(found, LABELS[:2], (1920, 1080), sure=0.6), Truth(low, LABELS[:2], (1920, 1080), sure=0.6)
    before, after = (
        Reader(truth, truth.classifier).read_scene(Scene(truth.picture()), TileSet()) for truth in (plain, drawn_out)
    )
    rejected = replace(before.reading.tiles[1], label=NO_TILE_LABEL)
    assert after.shows_more(replace(before.reading, tiles=before.reading.tiles[:1], rows=()))
    assert not after.shows_more(replace(before.reading, tiles=(before.reading.tiles[0], rejected)))


def test_what_a_guess_sees_on_a_tile_is_no_other_tile() -> None:
    """Drawn out, a tile that lies as from above shows the maker's name below its number as a tile of its own."""
    found = lying_px(0)[:1]
    across, down = (axes[0] for axes in axes_px(found))
    halves = np.array([found[0].mean(axis=0) + at * down for at in (-0.25, 0.25)])
    corners = [-across - down / 2, across - down / 2, across + down / 2, down / 2 - across]
    quads = halves[:, None] + 0.5 * np.array(corners)
    plain = Truth(found, LABELS[:1], (1920, 1080))
    drawn_out = Truth(quads * [1, 1.8], [LABELS[0], "orange-1"], (1920, 1944), sure={1: 0.6})
    reading = Reader(views := InTurn(plain, drawn_out), views.classifier).read(plain.picture())
    assert [(tile.label, tile.doubtful) for tile in reading.tiles] == [(LABELS[0], False)]


def low_px(tilt_deg: float, more: int = 0) -> np.ndarray:
    """Two rows of three tiles, and one of more, as a camera so far off the vertical sees them, `(6 + more, 4, 2)`."""
    rows = [*row_mm((-60, -140), 3), *row_mm((-60, 140), 3), *row_mm((90, 0), more)]
    return seen_by_camera(rows, tilt_deg=tilt_deg)


LOW_PICTURE = Truth(low_px(72, 2), [*LABELS, "black-10", "black-11"], (1920, 1080)).picture()
"""What that camera sees of all eight, whatever the stand-ins say of it."""


def lying_px(tilt_deg: float) -> np.ndarray:
    """The same, found as squarely as from above."""
    quads = low_px(tilt_deg)
    middles, widths = quads.mean(axis=1), np.sqrt(areas_px(quads) / 1.4)
    return middles[:, None] + widths[:, None, None] * centred_corners(1.4)


def test_a_camera_may_be_low_where_little_is_read_or_some_of_few_tiles_is_open() -> None:
    """Where two are; where one of few is in doubt, or something was found and is no tile; not where many are read."""
    truth = Truth(lying_px(20), LABELS, (1920, 1080))
    reading = Reader(truth, truth.classifier).read(truth.picture())
    assert not may_be_low(reading, 0)
    assert may_be_low(reading, 1)
    for count, is_kept in ((0, True), (2, True), (3, False)):
        assert may_be_low(replace(reading, tiles=reading.tiles[:count], rows=()), 0) is is_kept
    in_doubt = replace(reading.tiles[0], doubts=(Doubt(DoubtReason.UNSURE_INK),))
    firm = MIN_FIRM_RECTIFICATION_TILES
    for count, is_kept in ((firm - 1, True), (firm, False)):
        many = replace(reading, tiles=(in_doubt, *[reading.tiles[1]] * (count - 1)), rows=())
        assert may_be_low(many, 1) is is_kept
    rejected = tuple(replace(tile, label=NO_TILE_LABEL) for tile in reading.tiles)
    assert may_be_low(replace(reading, tiles=(*reading.tiles[:2], *rejected[2:]), rows=()), 0)


@pytest.mark.parametrize(("count", "looks"), [(6, 1), (16, 0)])
def test_a_large_table_is_not_drawn_out_for_a_doubt(count: int, looks: int) -> None:
    """It would be read twice for nothing: of many tiles some tell how the table lies."""
    rows = [one for y in (-140, 0, 140) for one in row_mm((-160, y), 6)][:count]
    names = [f"{ink}-{number}" for ink in ("red", "blue", "black") for number in range(1, 7)][:count]
    plain = Truth(seen_by_camera(rows), names, (1920, 1080), sure={3: 0.6})
    drawn_out = Truth(plain.quads_px * [1, 1.8], names, (1920, 1944))
    reading = Reader(views := InTurn(plain, drawn_out), views.classifier).read(plain.picture())
    assert len(drawn_out.looks) == looks
    assert len(reading.tiles) == count


@pytest.mark.parametrize("tilt_deg", [0, 60])
def test_tiles_that_cover_each_other_tell_that_a_camera_is_low(tilt_deg: float) -> None:
    """Rows that run away from it, each tile found as wide as it is from above."""
    row = seen_by_camera(row_mm((0, -80), 7, angle_deg=90), tilt_deg=tilt_deg)
    across, down = axes_px(row)
    wide = row.mean(axis=1)[:, None] + (row - row.mean(axis=1)[:, None]) * [
        1,
        np.linalg.norm(down, axis=1).mean() / 1.4 / np.linalg.norm(across, axis=1).mean(),
    ]
    truth = Truth(wide, [*LABELS, "black-10"], (1920, 1080))
    reading = Reader(truth, truth.classifier).read_scene(Scene(truth.picture()), TileSet()).reading
    assert (fit_rectification(certain_px(reading), truth.picture()) is not None) is (tilt_deg > 0)
