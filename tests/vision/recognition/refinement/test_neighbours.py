"""A tile that the detector missed is found beside those of its row; where none lies or can be told, none is found."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.support.projected_tiles import row_mm, seen_by_camera, tile_mm
from tests.support.truthful_networks import Truth
from tilekeeper.vision.recognition.appearance import Appearances
from tilekeeper.vision.recognition.refinement.neighbours import (
    MAX_TRIED_PLACES_COUNT,
    add_missed_tiles,
    select_new_tiles,
)
from tilekeeper.vision.recognition.refinement.refine import classify_tiles
from tilekeeper.vision.types import JOKER, NOT_A_TILE

WH = (1920, 1080)
LABELS = ["red-4", "red-5", "red-6", "red-7", "red-8"]
WHITE_CLOTH = np.full((WH[1], WH[0], 3), 235, np.uint8)


def table(sure: dict[int, float] | None = None) -> Truth:
    """Five red tiles in a row, in the middle of the picture."""
    return Truth(seen_by_camera(row_mm((-60, 0), 5)), LABELS, WH, sure or {})


def found(truth: Truth, which: list[int]) -> Appearances:
    """The best looks at some of the tiles, and what more is seen beside them."""
    image = truth.picture()
    return add_missed_tiles(
        truth.classifier, image, classify_tiles(truth.classifier, image, truth.quads_px[which].astype(np.float32))
    )


def numbers(seen: Appearances) -> list[int]:
    return (seen.number_log_probs.argmax(axis=1) + 1).tolist()


@pytest.mark.parametrize("missed", [0, 2, 4])
def test_a_tile_missed_in_a_row_is_found_beside_the_others(missed: int) -> None:
    """At either end and in the gap, after those that were found, with corners of its own."""
    truth = table()
    rest = [at for at in range(5) if at != missed]
    seen = found(truth, rest)
    assert numbers(seen) == [*(4 + at for at in rest), 4 + missed]
    assert seen.quads_px[4] == pytest.approx(truth.quads_px[missed], abs=1.5)


@pytest.mark.parametrize("on_their_heads", [slice(0), slice(2), slice(2, None)], ids=["none", "left", "right"])
@pytest.mark.parametrize("wide", [1.0, 1.35])
def test_a_gap_is_found_though_quads_beside_it_are_too_wide(wide: float, on_their_heads: slice) -> None:
    """A step to the side by the width of such a quad leads past the tile; half way between two it lies, as they may."""
    truth = replace(table(), misread_off=0.3)
    image, rest = truth.picture(), [0, 1, 3, 4]
    known = truth.classifier(image, truth.quads_px[rest])
    middles = known.quads_px.mean(axis=1, keepdims=True)
    known = replace(known, quads_px=(middles + (known.quads_px - middles) * (wide, 1)).astype(np.float32))
    known.quads_px[on_their_heads] = np.roll(known.quads_px[on_their_heads], 2, axis=1)
    assert sorted(numbers(add_missed_tiles(truth.classifier, image, known))) == [4, 5, 6, 7, 8]


def shown_beside(quads_px: np.ndarray, picture: np.ndarray = WHITE_CLOTH) -> np.ndarray:
    """The places `(M, 4, 2)` that the classifier is shown first, beside sure tiles at these quads."""
    truth = Truth(quads_px, ["red-7"] * len(quads_px), WH)
    known = truth.classifier(picture, quads_px)
    add_missed_tiles(truth.classifier, picture, replace(known, quads_px=quads_px))
    return truth.named[1]


def at_middle(places: np.ndarray, middle: np.ndarray) -> np.ndarray:
    """Those of the places whose middle is this one."""
    return places[np.linalg.norm(places.mean(axis=1) - middle, axis=1) < 0.5]


@pytest.mark.parametrize("first", [0, 1])
def test_half_way_between_two_a_place_is_as_wide_as_the_narrower(first: int) -> None:
    """Quads are too wide more often than too narrow, whichever of the two was found first."""
    narrow, other = seen_by_camera(row_mm((-30, 0), 2, gaps_mm=33.0))
    middle = other.mean(axis=0)
    wide = (middle + (other - middle) * (1.2, 1)).astype(np.float32)
    half_way = (narrow.mean(axis=0) + middle) / 2
    (place,) = at_middle(shown_beside(np.stack([[narrow, wide], [wide, narrow]][first])), half_way)
    assert np.ptp(place[:, 0]) == pytest.approx(np.ptp(narrow[:, 0]))


def test_a_place_beside_a_tile_crowds_out_none_half_way() -> None:
    """A quarter of a width apart they overlap, and the whiter of them may be the one that is off."""
    one, other = seen_by_camera(row_mm((-30, 0), 2, gaps_mm=1.5 * 27.0))
    half_way, step = (one + other) / 2, one[1] - one[0]
    picture = WHITE_CLOTH.copy()
    left, top, right, bottom = *half_way[0].astype(int), *half_way[2].astype(int)
    picture[top:bottom, (left + right) // 2 - 6 : (left + right) // 2 + 6] = 215
    places = shown_beside(np.stack([one, other]), picture)
    assert len(at_middle(places, half_way.mean(axis=0))) == 1
    assert len(at_middle(places, (one + step).mean(axis=0))) == 1


@pytest.mark.parametrize(
    ("middle_mm", "turn_deg", "looks"), [((62, 7), 0, 1), ((62, 9), 0, 0), ((62, 0), 20, 1), ((62, 0), 30, 0)]
)
def test_half_way_between_tiles_of_no_row_none_is_looked_for(
    middle_mm: tuple[float, float], turn_deg: float, looks: int
) -> None:
    """Tiles that lie diagonal to each other, or are turned, leave no gap that a tile would fill."""
    tiles = seen_by_camera([tile_mm((0, 0)), tile_mm(middle_mm, turn_deg)])
    assert len(at_middle(shown_beside(tiles), tiles.mean(axis=(0, 1)))) == looks


@pytest.mark.parametrize(("figure", "read"), [(0.94, 7), (0.9, 14)])
def test_of_two_looks_at_a_place_the_one_that_shows_a_figure_counts(figure: float, read: int) -> None:
    """Unless the other is much surer of a joker, which half of a figure may look like."""
    truth = table()
    seen = truth.classifier(truth.picture(), truth.quads_px[[2, 2]])
    seen.quads_px[1] += 4
    chances = np.full((2, 15), 1e-4)
    chances[0, 5:7], chances[1, [5, JOKER]] = (1 - figure, figure), (0.02, 0.98)
    seen = replace(seen, number_log_probs=np.log(chances / chances.sum(axis=1, keepdims=True)))
    none = np.zeros((0, 4, 2))
    assert numbers(select_new_tiles(seen, np.ones(2, bool), none, none, np.full(2, 20.0))) == [read]


def test_a_whole_row_is_not_lengthened() -> None:
    """The table beside a row is no tile, whatever the classifier makes of it, and is not even shown to it."""
    truth = table()
    calls = len(truth.named)
    assert numbers(found(truth, [0, 1, 2, 3, 4])) == [4, 5, 6, 7, 8]
    assert len(truth.named) == calls + 1


@pytest.mark.parametrize(("off", "more"), [(0.45, 0), (0.8, 2)])
def test_a_known_tile_seen_askew_is_not_read_twice(off: float, more: int) -> None:
    """A place beside a row may show part of its last tile: corners mended too near to a known tile are its own."""
    truth = table()
    image = WHITE_CLOTH
    known = truth.classifier(image, truth.quads_px)

    def classifier(image_bgr: np.ndarray, quads_px: np.ndarray) -> Appearances:
        names = truth.classifier(image_bgr, quads_px)
        sure = np.log(np.full((len(quads_px), 15), 1e-4))
        sure[:, 7] = np.log(0.99)
        towards = np.sign(quads_px.mean(axis=1) - names.quads_px.mean(axis=1))[:, None, :] * (1, 0)
        width = np.linalg.norm(truth.quads_px[0, 1] - truth.quads_px[0, 0])
        mended = names.quads_px + towards * off * width
        return replace(names, number_log_probs=sure, quads_px=mended.astype(np.float32))

    assert len(add_missed_tiles(classifier, image, known).quads_px) == 5 + more


def found_too_high(truth: Truth, by: float, probs: np.ndarray) -> list[int]:
    """What is found after all five tiles, of which the third was found so much of a height too high and named so."""
    image = truth.picture()
    known = truth.classifier(image, truth.quads_px)
    known.quads_px[2] += by * (known.quads_px[2, 0] - known.quads_px[2, 3])
    known.number_log_probs[2] = np.log(probs)
    return numbers(add_missed_tiles(truth.classifier, image, known))[5:]


@pytest.mark.usefixtures("one_cut")
@pytest.mark.parametrize(("none", "by", "told"), [(0.15, 0.14, True), (0.15, 0.43, False), (0.6, 0.14, False)])
def test_what_the_detector_found_too_is_asked_about(none: float, by: float, told: bool) -> None:
    """In its own quad the third tile is none, in that of the tile beside it some number, if hardly which."""
    truth, probs = replace(table({2: 0.45}), none={2: none}), np.full(15, 0.01)
    probs[NOT_A_TILE] = 0.86
    assert found_too_high(truth, by, probs) == ([6] if told else [])


@pytest.mark.parametrize(("certain", "found_anew"), [(0.4, True), (0.6, False)])
def test_what_can_hardly_be_named_keeps_no_tile_from_its_place(certain: float, found_anew: bool) -> None:
    """Between two sure tiles a third one was found a third of its height too high; as a tile it would be as good."""
    probs = np.full(15, (1 - certain) / 14)
    probs[3] = certain
    assert found_too_high(table(), 1 / 3, probs) == ([6] if found_anew else [])


@pytest.mark.parametrize(("swollen", "found_anew"), [(1.4, True), (1.1, False)])
def test_a_swollen_quad_keeps_no_tile_from_its_place(swollen: float, found_anew: bool) -> None:
    """One that is too large and not named surely lies across its tile; one that is as large as tiles stays one."""
    truth = table()
    image = truth.picture()
    known = truth.classifier(image, truth.quads_px)
    middle = truth.quads_px[2].mean(axis=0)
    up = 0.3 * (truth.quads_px[2, 0] - truth.quads_px[2, 3])
    known.quads_px[2] = middle + swollen * (truth.quads_px[2] - middle) + up
    known.number_log_probs[2] = -np.log(15)
    known.number_log_probs[2, 3] = np.log(0.6)
    seen = add_missed_tiles(truth.classifier, image, known)
    assert numbers(seen)[5:] == ([6] if found_anew else [])


@pytest.mark.usefixtures("one_cut")
def test_a_gap_that_holds_a_tile_of_some_name_is_told() -> None:
    """A person is asked which; where it may as well be none the gap stays."""
    assert numbers(found(table({2: 0.45}), [0, 1, 3, 4])) == [4, 5, 7, 8, 6]
    assert numbers(found(replace(table(), none={2: 0.4}), [0, 1, 3, 4])) == [4, 5, 7, 8]


@pytest.mark.usefixtures("one_cut")
def test_beside_what_is_not_sure_none_is_looked_for() -> None:
    """What a tile in doubt shows of a row is no more sure than it is."""
    truth = table(dict.fromkeys(range(5), 0.45))
    assert numbers(found(truth, [0, 1, 3, 4])) == [4, 5, 7, 8]
    middles, missed = np.concatenate(truth.named).mean(axis=1), truth.quads_px[2].mean(axis=0)
    assert np.linalg.norm(middles - missed, axis=1).min() > 20


def test_a_place_beyond_the_picture_is_not_looked_at() -> None:
    """A row that leaves the picture has no next tile that could be seen whole."""
    truth = table()
    middle = truth.quads_px.mean(axis=(0, 1))
    truth.quads_px = (truth.quads_px - middle + (WH[0] - 60, middle[1])).astype(np.float32)
    inside = [at for at in range(5) if truth.quads_px[at].max() < WH[0] - 1 and at < 3]
    seen = found(truth, inside)
    assert (seen.quads_px[:, :, 0] < WH[0]).all()


def test_a_white_cloth_costs_no_more_than_so_many_looks() -> None:
    """Where everything is as white as tiles the best places are looked at, and no tile is made up."""
    truth = Truth(
        np.concatenate([seen_by_camera(row_mm((-110, -80 + 45 * row), 5, gaps_mm=25.0)) for row in range(4)]),
        LABELS * 4,
        WH,
    )
    white = WHITE_CLOTH
    quads_px = truth.quads_px.astype(np.float32)
    seen = add_missed_tiles(truth.classifier, white, classify_tiles(truth.classifier, white, quads_px))
    assert len(seen.quads_px) == 20
    assert all(len(call) <= MAX_TRIED_PLACES_COUNT for call in truth.named[1:])
    assert len(truth.named) > 1


@pytest.mark.parametrize(("size", "more"), [(1.0, 1), (0.6, 1), (1.6, 1), (0.4, 0), (2.4, 0)])
def test_what_was_seen_too_faintly_is_looked_at_in_the_size_of_tiles(size: float, more: int) -> None:
    """A tile apart from all others, which no row leads to; what is half or twice as large is no tile of this table."""
    quads = np.concatenate([seen_by_camera(row_mm((-60, 0), 5)), seen_by_camera(row_mm((60, 90), 1))])
    truth = Truth(quads, [*LABELS, "red-12"], WH, {})
    image, known = truth.picture(), quads[:5].astype(np.float32)
    middle = quads[5].mean(axis=0)
    faint = (middle + size * (quads[5:] - middle)).astype(np.float32)
    seen = add_missed_tiles(truth.classifier, image, classify_tiles(truth.classifier, image, known), faint)
    assert numbers(seen) == [4, 5, 6, 7, 8] + more * [12]


def test_of_a_place_beside_and_one_that_was_seen_the_surer_is_kept() -> None:
    """On a rack tiles stand apart: the place beside one is half a tile off, where the faint one stands."""
    quads = seen_by_camera(row_mm((-60, 0), 5, gaps_mm=9.0))
    truth = Truth(quads, LABELS, WH, {})
    image, known = WHITE_CLOTH, quads[:4].astype(np.float32)
    seen = add_missed_tiles(
        truth.classifier, image, classify_tiles(truth.classifier, image, known), quads[4:].astype(np.float32)
    )
    assert len(seen.quads_px) >= 5
    assert np.abs(seen.quads_px[4:] - quads[4]).mean(axis=(1, 2)).min() < 1.0


def test_many_faint_finds_of_one_thing_crowd_out_no_other() -> None:
    """More finds than looks lie about where no tile is; the one tile that was seen more faintly still is found."""
    quads = np.concatenate([seen_by_camera(row_mm((-60, 0), 5)), seen_by_camera(row_mm((60, 90), 1))])
    truth = Truth(quads, [*LABELS, "red-12"], WH, {})
    image, known = WHITE_CLOTH, quads[:5].astype(np.float32)
    width = np.linalg.norm(quads[5, 1] - quads[5, 0])
    turns = np.linspace(0, 2 * np.pi, MAX_TRIED_PLACES_COUNT, endpoint=False)
    about = 0.125 * width * np.stack([np.cos(turns), np.sin(turns)], axis=1)
    nothing = quads[5] - (6 * width, 0) + about[:, None]
    faint = np.concatenate([nothing, quads[5:]]).astype(np.float32)
    seen = add_missed_tiles(truth.classifier, image, classify_tiles(truth.classifier, image, known), faint)
    assert 12 in numbers(seen)
    assert any(np.allclose(place, nothing[0]) for place in truth.named[1])


def test_faint_finds_half_a_tile_apart_are_both_looked_at() -> None:
    """They may be two tiles, seen askew."""
    quads = np.concatenate([seen_by_camera(row_mm((-60, 0), 5)), seen_by_camera(row_mm((60, 90), 1))])
    truth = Truth(quads, [*LABELS, "red-12"], WH, {})
    image, known = WHITE_CLOTH, quads[:5].astype(np.float32)
    faint = np.stack([quads[5] - 0.5 * (quads[5, 1] - quads[5, 0]), quads[5]]).astype(np.float32)
    add_missed_tiles(truth.classifier, image, classify_tiles(truth.classifier, image, known), faint)
    for place in faint:
        assert any(np.allclose(place, shown) for shown in truth.named[1])


class NearSighted:
    """Sees no tile where a look is off by more than a fifth of a width, and yet mends it by as much each time.

    From there on it sees what lies there, or as `joker` a joker.
    """

    def __init__(self, truth: Truth, joker: bool = False) -> None:
        self.truth, self.joker = truth, joker

    def __call__(self, image_bgr: np.ndarray, quads_px: np.ndarray) -> Appearances:
        names = self.truth.classifier(image_bgr, quads_px)
        off = names.quads_px.mean(axis=1) - quads_px.mean(axis=1)
        widths = np.linalg.norm(names.quads_px[:, 1] - names.quads_px[:, 0], axis=1)
        far = np.linalg.norm(off, axis=1)
        share = np.minimum(1, 0.15 * widths / np.maximum(far, 1e-6))[:, None, None]
        probs = np.full((len(quads_px), 15), 1e-4)
        known = self.truth.quads_px.mean(axis=1)[:4]
        at = np.linalg.norm(names.quads_px.mean(axis=1)[:, None] - known, axis=2).argmin(axis=1)
        lost = np.linalg.norm(names.quads_px.mean(axis=1) - known[at], axis=1) > 0.5 * widths
        sees = np.where(lost & self.joker, JOKER, np.where(lost, 7, at + 3))
        probs[np.arange(len(quads_px)), np.where(far > 0.2 * widths, NOT_A_TILE, sees)] = 0.99
        mended = quads_px + share * (names.quads_px - quads_px)
        return replace(names, number_log_probs=np.log(probs), quads_px=mended.astype(np.float32))


@pytest.mark.parametrize(("gap_mm", "joker", "more"), [(12.0, False, 1), (12.0, True, 0), (18.0, False, 0)])
def test_a_place_off_by_a_third_of_a_tile_is_looked_at_where_it_was_mended_to(
    gap_mm: float, joker: bool, more: int
) -> None:
    """What was no tile at first sight is no joker, which is what such a thing looks like; half a tile is too far."""
    quads = seen_by_camera(row_mm((-60, 0), 5, gaps_mm=[0.6, 0.6, 0.6, gap_mm]))
    truth = Truth(quads, LABELS, WH, {})
    image = WHITE_CLOTH
    classifier, known = NearSighted(truth, joker), quads[:4].astype(np.float32)
    seen = add_missed_tiles(classifier, image, classify_tiles(classifier, image, known))
    assert len(seen.quads_px) == 4 + more
    if more:
        assert seen.quads_px[4] == pytest.approx(quads[4], abs=2.0)


@pytest.mark.parametrize(("out", "more"), [(0.1, 1), (0.3, 0)])
def test_a_place_of_which_the_edge_cuts_a_little_is_looked_at(out: float, more: int) -> None:
    """Quads are off by as much: the tile itself may lie in the picture."""
    truth = table()
    width = np.ptp(truth.quads_px[4, :, 0])
    truth.quads_px[..., 0] += WH[0] - truth.quads_px[4, :, 0].max() + out * width
    assert len(found(truth, [0, 1, 2, 3]).quads_px) == 4 + more


@pytest.mark.parametrize(("overlap", "more"), [(0.35, 1), (0.45, 0)])
def test_a_tile_may_lie_a_third_under_the_quad_beside_it(overlap: float, more: int) -> None:
    """Seen from far aside quads are too wide; what is covered by more holds the halves of two tiles."""
    quads = seen_by_camera(row_mm((-60, 0), 5))
    truth = Truth(quads, LABELS, WH, {})
    image, known = WHITE_CLOTH, quads[:4].astype(np.float32)
    shift = (quads[4, 1] - quads[4, 0]) * (overlap + 0.02)

    def classifier(image_bgr: np.ndarray, quads_px: np.ndarray) -> Appearances:
        names = truth.classifier(image_bgr, quads_px)
        last = np.linalg.norm(names.quads_px.mean(axis=1) - quads[4].mean(axis=0), axis=1) < 1
        mended = np.where(last[:, None, None], names.quads_px - shift, names.quads_px)
        return replace(names, quads_px=mended.astype(np.float32))

    seen = add_missed_tiles(classifier, image, classify_tiles(classifier, image, known))
    assert len(seen.quads_px) == 4 + more
