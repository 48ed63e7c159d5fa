"""What is found askew is looked at from all sides, in the shape of sure tiles near it, and believed only then."""

from __future__ import annotations

from collections import Counter

import cv2
import numpy as np
import pytest

from tests.support.projected_tiles import row_mm, seen_by_camera
from tests.support.truthful_networks import Truth
from tilekeeper.vision.geometry.quads import turn_upside_down
from tilekeeper.vision.recognition.appearance import Appearances
from tilekeeper.vision.recognition.augmentation import AUGMENTED_CROP_COUNT
from tilekeeper.vision.recognition.refinement.generators import (
    MIN_CONFIDENT_TILES,
    PROPOSED_DIRECTION_COUNT,
)
from tilekeeper.vision.recognition.refinement.proposals import MAX_REFINED_TILES
from tilekeeper.vision.recognition.refinement.refine import MAX_AUGMENTED_TILES, classify_tiles
from tilekeeper.vision.types import JOKER, NOT_A_TILE

TOLERANCE_RAD = 0.25
"""A tile that is cut out further turned than this is none, for the classifier here."""


def turned(quad_px: np.ndarray, by_rad: float) -> np.ndarray:
    """The quad turned on the picture about its middle, clockwise."""
    cos, sin = np.cos(by_rad), np.sin(by_rad)
    middle = quad_px.mean(axis=0)
    return ((quad_px - middle) @ np.array([[cos, sin], [-sin, cos]]) + middle).astype(np.float32)


class UprightClassifier:
    """Knows tiles that are cut out about upright or on their heads; of any other look it says `askew`.

    It mends no corners, so that where a look was taken shows in `calls`, and gives `sure` to right names; of the rest
    `none` goes to no tile.
    """

    def __init__(
        self, true_px: np.ndarray, numbers: list[int], sure: list[float] | None = None, none: float = 0.0
    ) -> None:
        self.true_px, self.numbers, self.none = true_px, numbers, none
        self.sure = sure or [0.99] * len(numbers)
        self.askew = {NOT_A_TILE: 0.98, JOKER: 0.02}
        self.calls: list[np.ndarray] = []

    def __call__(self, image_bgr: np.ndarray, quads_px: np.ndarray) -> Appearances:
        self.calls.append(np.array(quads_px))
        numbers, odds = [], []
        for quad in quads_px:
            at = int(np.linalg.norm(self.true_px.mean(axis=1) - quad.mean(axis=0), axis=1).argmin())
            up, own_up = quad[0] - quad[3], self.true_px[at][0] - self.true_px[at][3]
            off = np.arctan2(up[0] * own_up[1] - up[1] * own_up[0], up @ own_up)
            on_head = abs(off) > np.pi / 2
            upright = min(abs(off), np.pi - abs(off)) < TOLERANCE_RAD
            odds.append(3.0 if on_head else -3.0)
            rest = 1 - self.sure[at]
            known = Counter({NOT_A_TILE: self.none * rest}) + Counter({self.numbers[at]: self.sure[at]})
            seen = known if upright else self.askew
            probs = np.full(15, 1e-6)
            probs[:13] += (1 - sum(seen.values())) / 13
            for number, share in seen.items():
                probs[number] += share
            numbers.append(np.log(probs / probs.sum()))
        inks = np.tile(np.log([0.001, 0.001, 0.001, 0.997]), (len(quads_px), 1))
        colours = np.tile([0.3, 0.7, 0.6], (len(quads_px), 1))
        figures = np.zeros((len(quads_px), 0))
        return Appearances(np.array(numbers), inks, np.array(odds), np.array(quads_px, np.float32), colours, figures)


def tiles(count: int = 6, gaps_mm: float = 12.0) -> np.ndarray:
    """Tiles in a row, each some way from the next, seen from straight above."""
    return seen_by_camera(row_mm((-100, 0), count, gaps_mm=gaps_mm))


def image() -> np.ndarray:
    return np.zeros((1080, 1920, 3), np.uint8)


def named(seen: Appearances) -> list[int]:
    return seen.number_log_probs.argmax(axis=1).tolist()


@pytest.mark.parametrize("by_deg", [-80, -45, 30, 60, 90, 120, 150])
def test_a_tile_found_askew_is_named_as_it_lies(by_deg: float) -> None:
    """Whichever way its quad is turned, it gets its number and corners that stand upright, and nothing else changes."""
    true = tiles()
    found = true.copy()
    found[2] = turned(true[2], np.radians(by_deg))
    seen = classify_tiles(UprightClassifier(true, [4, 5, 0, 7, 8, 9]), image(), found)
    assert named(seen) == [4, 5, 0, 7, 8, 9]
    assert seen.upside_down_log_odds.max() < 0
    up, own_up = seen.quads_px[2][0] - seen.quads_px[2][3], true[2][0] - true[2][3]
    assert up @ own_up > np.cos(np.pi / PROPOSED_DIRECTION_COUNT) * np.linalg.norm(up) * np.linalg.norm(own_up)
    others = [0, 1, 3, 4, 5]
    assert np.array_equal(seen.quads_px[others], true[others])


def test_looks_are_taken_in_the_shape_of_the_nearest_sure_tile_about_the_middle_that_was_found() -> None:
    """A quad that collapsed is looked at as large as its neighbour: all round, half a turn in all."""
    true = tiles()
    found = true.copy()
    found[5] = (turned(true[5], 1.0) - true[5].mean(axis=0)) * 0.2 + true[5].mean(axis=0)
    classifier = UprightClassifier(true, [4, 5, 6, 7, 8, 9])
    classify_tiles(classifier, image(), found)
    looks = next(call for call in classifier.calls if len(call) >= PROPOSED_DIRECTION_COUNT)[:PROPOSED_DIRECTION_COUNT]
    assert np.allclose(looks.mean(axis=1), true[5].mean(axis=0), atol=0.01)
    assert looks[0] - looks[0].mean(axis=0) == pytest.approx(true[4] - true[4].mean(axis=0), abs=0.01)
    along = looks[:, 1] - looks[:, 0]
    angles = np.unwrap(np.arctan2(along[:, 1], along[:, 0]))
    assert np.diff(angles) == pytest.approx(np.pi / PROPOSED_DIRECTION_COUNT, abs=0.01)


class TakenIn(UprightClassifier):
    """Takes what lies on its side for a joker, as surely as `as_joker`, and mends nothing."""

    def __init__(self, true_px: np.ndarray, numbers: list[int], as_joker: float) -> None:
        super().__init__(true_px, numbers)
        self.askew = {JOKER: as_joker}


@pytest.mark.parametrize("quarters", [1, 3])
@pytest.mark.parametrize(("count", "as_joker"), [(6, 0.97), (6, 0.7), (2, 0.97)])
def test_a_quad_on_its_side_is_looked_at_upright(quarters: int, count: int, as_joker: float) -> None:
    """Its corners lie on the tile's, but the long side is taken for the short one: whatever it is named then."""
    true = tiles(count)
    numbers = [4, 5, 0, 7, 8, 9][:count]
    found = true.copy()
    found[1] = np.roll(true[1], quarters, axis=0)
    seen = classify_tiles(TakenIn(true, numbers, as_joker), image(), found)
    assert named(seen) == numbers
    assert seen.quads_px == pytest.approx(true, abs=0.5)


@pytest.mark.parametrize("quarters", [1, 3])
def test_what_is_no_tile_is_looked_at_a_quarter_turned(quarters: int) -> None:
    """From so far aside that a tile's height looks no longer than its width, and nothing tells which is which."""
    true = tiles(2) * np.float32([1, 0.7])
    found = true.copy()
    found[1] = np.roll(true[1], quarters, axis=0)
    seen = classify_tiles(UprightClassifier(true, [4, 5]), image(), found)
    assert named(seen) == [4, 5]
    assert seen.quads_px == pytest.approx(true, abs=0.5)


def test_a_joker_stays_one_that_is_surer_than_what_it_looks_like_from_the_side() -> None:
    """Its face, seen from the side, may look like a number."""
    true = tiles()
    classifier = UprightClassifier(true, [4, 5, JOKER, 7, 8, 9])
    classifier.askew = {3: 0.95}
    seen = classify_tiles(classifier, image(), true)
    assert named(seen) == [4, 5, JOKER, 7, 8, 9]
    assert np.array_equal(seen.quads_px, true)


@pytest.mark.parametrize(("sure", "looks"), [(0.995, 0), (0.98, 1)])
def test_only_a_joker_that_is_not_quite_sure_is_looked_at_from_the_side(sure: float, looks: int) -> None:
    """A sure one has never turned out to be a number, and costs two looks on every table."""
    true = tiles()
    classifier = UprightClassifier(true, [4, 5, JOKER, 7, 8, 9], [0.999, 0.999, sure, 0.999, 0.999, 0.999])
    classify_tiles(classifier, image(), true)
    assert [len(quads) for quads in classifier.calls] == [6] + [1] * looks


def test_what_is_named_once_comes_after_what_is_looked_at_and_stays_as_it_is() -> None:
    """Where tiles lay it is looked at with all others, and not again, however askew it lies."""
    true = tiles()
    askew = turned(true[5], 0.9)[None]
    classifier = UprightClassifier(true, [4, 5, 6, 7, 8, 9])
    seen = classify_tiles(classifier, image(), true[:5], None, askew)
    assert named(seen)[:5] == [4, 5, 6, 7, 8]
    assert np.array_equal(seen.quads_px, np.concatenate([true[:5], askew]))
    assert [len(quads) for quads in classifier.calls] == [6]


@pytest.mark.parametrize("count", [1, 3])
def test_a_tile_with_no_others_around_is_looked_at_along_its_outline(count: int) -> None:
    """Found a quarter too small and askew, it is named, and has the corners of its face."""
    true = tiles(count)
    picture = np.full((1080, 1920, 3), 60, np.uint8)
    for quad in true:
        cv2.fillConvexPoly(picture, np.round(quad).astype(np.int32), (220, 230, 235), cv2.LINE_AA)
    found = true.copy()
    found[0] = (turned(true[0], 0.7) - true[0].mean(axis=0)) * 0.75 + true[0].mean(axis=0)
    classifier = UprightClassifier(true, [6, 7, 8][:count])
    seen = classify_tiles(classifier, picture, found)
    assert named(seen) == [6, 7, 8][:count]
    assert seen.quads_px == pytest.approx(true, abs=2.0)


class LedAstray(UprightClassifier):
    """Mends the corners of what it sees askew to a place two tiles away, where it sees nothing."""

    def __call__(self, image_bgr: np.ndarray, quads_px: np.ndarray) -> Appearances:
        names = super().__call__(image_bgr, quads_px)
        lost = names.number_log_probs.argmax(axis=1) == NOT_A_TILE
        names.quads_px[lost] += np.float32([0, 2 * np.linalg.norm(self.true_px[0][3] - self.true_px[0][0])])
        apart = np.linalg.norm(quads_px.mean(axis=1)[:, None] - self.true_px.mean(axis=1)[None], axis=2).min(axis=1)
        far = apart > np.linalg.norm(self.true_px[0][1] - self.true_px[0][0])
        names.number_log_probs[far] = np.log(np.where(np.arange(15) == NOT_A_TILE, 0.986, 0.001))
        return names


def test_what_was_mended_to_nothing_is_looked_at_where_it_was_found() -> None:
    """As well as where it was mended to; it is one tile all the same."""
    true = tiles()
    found = true.copy()
    found[2] = turned(true[2], 1.0)
    classifier = LedAstray(true, [4, 5, 0, 7, 8, 9])
    seen = classify_tiles(classifier, image(), found)
    assert named(seen) == [4, 5, 0, 7, 8, 9]
    assert max(map(len, classifier.calls)) >= 2 * PROPOSED_DIRECTION_COUNT
    assert np.linalg.norm(seen.quads_px[2].mean(axis=0) - true[2].mean(axis=0)) < 1


def test_what_is_nothing_from_all_sides_stays_nothing() -> None:
    """A knot in the wood, which is no tile whichever way it is turned."""
    true = tiles()
    seen = classify_tiles(UprightClassifier(true, [4, 5, NOT_A_TILE, 7, 8, 9]), image(), true)
    assert named(seen) == [4, 5, NOT_A_TILE, 7, 8, 9]


def test_a_doubtful_name_gives_way_to_one_that_is_surer_by_far_alone() -> None:
    """What is taken for an 11 at half certainty is not changed for another name that is hardly better."""
    true = tiles()
    found = true.copy()
    found[1] = turned(true[1], np.pi / 2)
    for sure, expected in ((0.62, 10), (0.9, 3)):
        classifier = UprightClassifier(true, [4, 3, 6, 7, 8, 9], [0.99, sure, *[0.99] * 4])
        classifier.askew = {10: 0.5, NOT_A_TILE: 0.3}
        assert named(classify_tiles(classifier, image(), found))[1] == expected


@pytest.mark.parametrize("others", range(MIN_CONFIDENT_TILES + 1))
def test_too_few_sure_tiles_lend_nobody_their_shape(others: int) -> None:
    """One tile, or two, askew: there is nothing to go by, and no look from all sides."""
    true = tiles(others + 1)
    found = true.copy()
    found[0] = turned(true[0], np.pi / 4)
    classifier = UprightClassifier(true, [3] * (others + 1))
    seen = classify_tiles(classifier, image(), found)
    assert (max(map(len, classifier.calls)) >= PROPOSED_DIRECTION_COUNT) is (others >= MIN_CONFIDENT_TILES)
    assert named(seen)[1:] == [3] * others


def test_not_more_is_looked_at_than_there_is_time_for() -> None:
    """A picture full of what is no tile beside a few that are: the best found come first, the rest is left."""
    true = np.concatenate([tiles(MIN_CONFIDENT_TILES), tiles(3 * MAX_REFINED_TILES + 8) + np.float32((0, 200))])
    found = true.copy()
    found[MIN_CONFIDENT_TILES:] = [turned(quad, np.pi / 2) for quad in true[MIN_CONFIDENT_TILES:]]
    classifier = UprightClassifier(true, [3] * len(true))
    seen = classify_tiles(classifier, image(), found)
    # about two middles, where they differ
    assert max(map(len, classifier.calls)) <= MAX_REFINED_TILES * 2 * PROPOSED_DIRECTION_COUNT
    # so many a quarter turned, and so many from all sides
    assert named(seen) == [3] * (MIN_CONFIDENT_TILES + 2 * MAX_REFINED_TILES) + [NOT_A_TILE] * (MAX_REFINED_TILES + 8)


def test_tiles_on_their_heads_are_turned() -> None:
    """The quad comes out upright."""
    true = tiles(3)
    found = true.copy()
    found[1] = turn_upside_down(true[1])
    seen = classify_tiles(UprightClassifier(true, [3, 5, 8]), image(), found)
    assert np.allclose(seen.quads_px, true, atol=0.01)
    assert seen.upside_down_log_odds.max() < 0


def test_a_tile_between_two_heads_stays_as_it_was_found() -> None:
    """Where it looks turned either way, turning it helps nobody."""
    truth = Truth(tiles(4), ["red-1"] * 4, (1920, 1080))

    def dizzy(picture: np.ndarray, quads_px: np.ndarray) -> Appearances:
        names = truth.classifier(picture, quads_px)
        odds = np.full(len(quads_px), 3.0)
        return Appearances(
            names.number_log_probs, names.ink_log_probs, odds, quads_px, names.ink_colours, names.figures
        )

    seen = classify_tiles(dizzy, truth.picture(), truth.quads_px)
    assert np.array_equal(seen.quads_px, truth.quads_px)


class MisledByOneCut(UprightClassifier):
    """Takes its first look at tile 2 for a 13, not quite surely; every other cut of it for what it is."""

    def __init__(self, true_px: np.ndarray, numbers: list[int], first: float) -> None:
        super().__init__(true_px, numbers)
        self.first = first

    def __call__(self, image_bgr: np.ndarray, quads_px: np.ndarray) -> Appearances:
        names = super().__call__(image_bgr, quads_px)
        for log_probs, quad in zip(names.number_log_probs, quads_px, strict=True):
            if np.allclose(quad, self.true_px[2], atol=0.01):
                log_probs[:] = np.log((1 - self.first) / 14)
                log_probs[12] = np.log(self.first)
        return names


@pytest.mark.parametrize(("first", "number"), [(0.9, 5), (0.99, 12)])
def test_what_is_not_quite_sure_is_named_by_the_mean_of_several_cuts(first: float, number: int) -> None:
    """One cut misled it; what is sure is not looked at again, and no corner moves."""
    true = tiles()
    classifier = MisledByOneCut(true, [4, 3, 5, 7, 8, 9], first)
    seen = classify_tiles(classifier, image(), true)
    assert named(seen) == [4, 3, number, 7, 8, 9]
    assert [len(call) for call in classifier.calls] == [6, AUGMENTED_CROP_COUNT][: 2 if number == 5 else 1]
    assert np.array_equal(seen.quads_px, true)
    assert np.exp(seen.number_log_probs).sum(axis=1) == pytest.approx(1)
    assert np.exp(seen.ink_log_probs).sum(axis=1) == pytest.approx(1)


def test_no_more_tiles_are_looked_at_in_several_cuts_than_there_is_time_for() -> None:
    """The least sure first."""
    true = seen_by_camera(np.concatenate([row_mm((-250, y), 10, gaps_mm=12.0) for y in (-120, -40, 40, 120)]))
    sure = list(np.linspace(0.7, 0.9, len(true)))
    classifier = UprightClassifier(true, [3] * len(true), sure)
    classify_tiles(classifier, image(), true)
    assert len(classifier.calls[-1]) == MAX_AUGMENTED_TILES * AUGMENTED_CROP_COUNT
    middles = classifier.calls[-1].reshape(-1, AUGMENTED_CROP_COUNT, 4, 2).mean(axis=(1, 2))
    apart = np.linalg.norm(middles - true[:MAX_AUGMENTED_TILES].mean(axis=1), axis=1)
    assert apart.max() < 0.1 * np.linalg.norm(true[0][1] - true[0][0])
