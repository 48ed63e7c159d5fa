"""Uncertain tiles are classified at other quads, and an answer must be more certain to count."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from tests.support.projected_tiles import row_mm, seen_by_camera
from tests.support.truthful_networks import Truth
from tilekeeper.vision.geometry.quads import turn_upside_down
from tilekeeper.vision.recognition.classifier import AUGMENTED_CROP_COUNT
from tilekeeper.vision.recognition.refinement.refine import (
    MAX_AUGMENTED_TILES,
    MAX_REFINED_TILES,
    MIN_CONFIDENT_TILES,
    PROPOSED_DIRECTION_COUNT,
    classify_tiles,
)
from tilekeeper.vision.tile_table import Appearances
from tilekeeper.vision.types import JOKER, NOT_A_TILE

TOLERANCE_RAD = 0.25
"""The stand-in classifier rejects crops that are turned further than this."""


def rotate(quad_px: np.ndarray, by_rad: float) -> np.ndarray:
    """Return the quad turned clockwise around its centre."""
    cos, sin = np.cos(by_rad), np.sin(by_rad)
    middle = quad_px.mean(axis=0)
    return ((quad_px - middle) @ np.array([[cos, sin], [-sin, cos]]) + middle).astype(np.float32)


class UprightClassifier:
    """Knows tiles in upright or upside-down crops; any other crop gets `askew`.

    It corrects no corners, so that `calls` shows the crops. Right labels have probability `sure`; of the rest, `none`
    goes to no tile.
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
            up, true_up = quad[0] - quad[3], self.true_px[at][0] - self.true_px[at][3]
            turned_by = np.arctan2(up[0] * true_up[1] - up[1] * true_up[0], up @ true_up)
            on_head = abs(turned_by) > np.pi / 2
            upright = min(abs(turned_by), np.pi - abs(turned_by)) < TOLERANCE_RAD
            odds.append(3.0 if on_head else -3.0)
            rest = 1 - self.sure[at]
            known = Counter({NOT_A_TILE: self.none * rest}) + Counter({self.numbers[at]: self.sure[at]})
            shares = known if upright else self.askew
            probs = np.full(15, 1e-6)
            probs[:13] += (1 - sum(shares.values())) / 13
            for number, share in shares.items():
                probs[number] += share
            numbers.append(np.log(probs / probs.sum()))
        inks = np.tile(np.log([0.001, 0.001, 0.001, 0.997]), (len(quads_px), 1))
        colours = np.tile([0.3, 0.7, 0.6], (len(quads_px), 1))
        figures = np.zeros((len(quads_px), 0))
        return Appearances(np.array(numbers), inks, np.array(odds), np.array(quads_px, np.float32), colours, figures)


def tiles(count: int = 6, gaps_mm: float = 12.0) -> np.ndarray:
    """Return tiles in a row with these gaps, seen from straight above."""
    return seen_by_camera(row_mm((-100, 0), count, gaps_mm=gaps_mm))


def image() -> np.ndarray:
    return np.zeros((1080, 1920, 3), np.uint8)


def labels_of_tiles(appearances: Appearances) -> list[int]:
    return appearances.number_log_probs.argmax(axis=1).tolist()


@pytest.mark.parametrize("by_deg", [-80, -45, 30, 60, 90, 120, 150])
def test_tile_with_a_wrong_direction_is_labelled_and_straightened(by_deg: float) -> None:
    """The other tiles do not change."""
    true = tiles()
    detected = true.copy()
    detected[2] = rotate(true[2], np.radians(by_deg))
    appearances = classify_tiles(UprightClassifier(true, [4, 5, 0, 7, 8, 9]), image(), detected)
    assert labels_of_tiles(appearances) == [4, 5, 0, 7, 8, 9]
    assert appearances.upside_down_log_odds.max() < 0
    up, true_up = appearances.quads_px[2][0] - appearances.quads_px[2][3], true[2][0] - true[2][3]
    assert up @ true_up > np.cos(np.pi / PROPOSED_DIRECTION_COUNT) * np.linalg.norm(up) * np.linalg.norm(true_up)
    unchanged = [0, 1, 3, 4, 5]
    assert np.array_equal(appearances.quads_px[unchanged], true[unchanged])


def test_collapsed_quad_is_tried_in_the_nearest_tiles_shape_in_all_directions() -> None:
    true = tiles()
    detected = true.copy()
    detected[5] = (rotate(true[5], 1.0) - true[5].mean(axis=0)) * 0.2 + true[5].mean(axis=0)
    classifier = UprightClassifier(true, [4, 5, 6, 7, 8, 9])
    classify_tiles(classifier, image(), detected)
    crops = next(call for call in classifier.calls if len(call) >= PROPOSED_DIRECTION_COUNT)[:PROPOSED_DIRECTION_COUNT]
    assert np.allclose(crops.mean(axis=1), true[5].mean(axis=0), atol=0.01)
    assert crops[0] - crops[0].mean(axis=0) == pytest.approx(true[4] - true[4].mean(axis=0), abs=0.01)
    along = crops[:, 1] - crops[:, 0]
    angles = np.unwrap(np.arctan2(along[:, 1], along[:, 0]))
    assert np.diff(angles) == pytest.approx(np.pi / PROPOSED_DIRECTION_COUNT, abs=0.01)


def test_once_quads_follow_in_the_result_without_refinement() -> None:
    """They are classified in the first batch."""
    true = tiles()
    askew = rotate(true[5], 0.9)[None]
    classifier = UprightClassifier(true, [4, 5, 6, 7, 8, 9])
    appearances = classify_tiles(classifier, image(), true[:5], None, askew)
    assert labels_of_tiles(appearances)[:5] == [4, 5, 6, 7, 8]
    assert np.array_equal(appearances.quads_px, np.concatenate([true[:5], askew]))
    assert [len(quads) for quads in classifier.calls] == [6]


class DriftingClassifier(UprightClassifier):
    """Corrects the corners of a wrong quad to an empty place two tiles away."""

    def __call__(self, image_bgr: np.ndarray, quads_px: np.ndarray) -> Appearances:
        output = super().__call__(image_bgr, quads_px)
        is_rejected = output.number_log_probs.argmax(axis=1) == NOT_A_TILE
        output.quads_px[is_rejected] += np.float32([0, 2 * np.linalg.norm(self.true_px[0][3] - self.true_px[0][0])])
        distances = np.linalg.norm(quads_px.mean(axis=1)[:, None] - self.true_px.mean(axis=1)[None], axis=2).min(axis=1)
        is_far = distances > np.linalg.norm(self.true_px[0][1] - self.true_px[0][0])
        output.number_log_probs[is_far] = np.log(np.where(np.arange(15) == NOT_A_TILE, 0.986, 0.001))
        return output


def test_tile_drifted_to_an_empty_place_is_tried_where_it_was_detected() -> None:
    true = tiles()
    detected = true.copy()
    detected[2] = rotate(true[2], 1.0)
    classifier = DriftingClassifier(true, [4, 5, 0, 7, 8, 9])
    appearances = classify_tiles(classifier, image(), detected)
    assert labels_of_tiles(appearances) == [4, 5, 0, 7, 8, 9]
    assert max(map(len, classifier.calls)) >= 2 * PROPOSED_DIRECTION_COUNT
    assert np.linalg.norm(appearances.quads_px[2].mean(axis=0) - true[2].mean(axis=0)) < 1


def test_non_tile_in_all_directions_stays_a_non_tile() -> None:
    true = tiles()
    appearances = classify_tiles(UprightClassifier(true, [4, 5, NOT_A_TILE, 7, 8, 9]), image(), true)
    assert labels_of_tiles(appearances) == [4, 5, NOT_A_TILE, 7, 8, 9]


def test_uncertain_label_is_replaced_only_by_a_much_more_certain_one() -> None:
    true = tiles()
    detected = true.copy()
    detected[1] = rotate(true[1], np.pi / 2)
    for certainty, expected in ((0.62, 10), (0.9, 3)):
        classifier = UprightClassifier(true, [4, 3, 6, 7, 8, 9], [0.99, certainty, *[0.99] * 4])
        classifier.askew = {10: 0.5, NOT_A_TILE: 0.3}
        assert labels_of_tiles(classify_tiles(classifier, image(), detected))[1] == expected


@pytest.mark.parametrize("other_count", range(MIN_CONFIDENT_TILES + 1))
def test_too_few_certain_tiles_give_no_shape(other_count: int) -> None:
    true = tiles(other_count + 1)
    detected = true.copy()
    detected[0] = rotate(true[0], np.pi / 4)
    classifier = UprightClassifier(true, [3] * (other_count + 1))
    appearances = classify_tiles(classifier, image(), detected)
    assert (max(map(len, classifier.calls)) >= PROPOSED_DIRECTION_COUNT) is (other_count >= MIN_CONFIDENT_TILES)
    assert labels_of_tiles(appearances)[1:] == [3] * other_count


def test_number_of_refined_tiles_is_limited() -> None:
    true = np.concatenate([tiles(MIN_CONFIDENT_TILES), tiles(3 * MAX_REFINED_TILES + 8) + np.float32((0, 200))])
    detected = true.copy()
    detected[MIN_CONFIDENT_TILES:] = [rotate(quad, np.pi / 2) for quad in true[MIN_CONFIDENT_TILES:]]
    classifier = UprightClassifier(true, [3] * len(true))
    appearances = classify_tiles(classifier, image(), detected)
    # around two centres, if they differ
    assert max(map(len, classifier.calls)) <= MAX_REFINED_TILES * 2 * PROPOSED_DIRECTION_COUNT
    assert labels_of_tiles(appearances) == [3] * (MIN_CONFIDENT_TILES + MAX_REFINED_TILES) + [NOT_A_TILE] * (
        2 * MAX_REFINED_TILES + 8
    )


def test_upside_down_tiles_are_turned() -> None:
    true = tiles(3)
    detected = true.copy()
    detected[1] = turn_upside_down(true[1])
    appearances = classify_tiles(UprightClassifier(true, [3, 5, 8]), image(), detected)
    assert np.allclose(appearances.quads_px, true, atol=0.01)
    assert appearances.upside_down_log_odds.max() < 0


def test_tile_upside_down_in_both_directions_stays() -> None:
    truth = Truth(tiles(4), ["red-1"] * 4, (1920, 1080))

    def always_upside_down(picture: np.ndarray, quads_px: np.ndarray) -> Appearances:
        output = truth.classifier(picture, quads_px)
        odds = np.full(len(quads_px), 3.0)
        return Appearances(
            output.number_log_probs, output.ink_log_probs, odds, quads_px, output.ink_colours, output.figures
        )

    appearances = classify_tiles(always_upside_down, truth.picture(), truth.quads_px)
    assert np.array_equal(appearances.quads_px, truth.quads_px)


class WrongAtFirstCrop(UprightClassifier):
    """Labels the first crop of tile 2 an uncertain 13; every other crop correctly."""

    def __init__(self, true_px: np.ndarray, numbers: list[int], first: float) -> None:
        super().__init__(true_px, numbers)
        self.first = first

    def __call__(self, image_bgr: np.ndarray, quads_px: np.ndarray) -> Appearances:
        output = super().__call__(image_bgr, quads_px)
        for log_probs, quad in zip(output.number_log_probs, quads_px, strict=True):
            if np.allclose(quad, self.true_px[2], atol=0.01):
                log_probs[:] = np.log((1 - self.first) / 14)
                log_probs[12] = np.log(self.first)
        return output


@pytest.mark.parametrize(("first", "number"), [(0.9, 5), (0.99, 12)])
def test_uncertain_tile_gets_the_mean_label_of_several_crops(first: float, number: int) -> None:
    """Corners stay, and certain tiles are not classified again."""
    true = tiles()
    classifier = WrongAtFirstCrop(true, [4, 3, 5, 7, 8, 9], first)
    appearances = classify_tiles(classifier, image(), true)
    assert labels_of_tiles(appearances) == [4, 3, number, 7, 8, 9]
    assert [len(call) for call in classifier.calls] == [6, AUGMENTED_CROP_COUNT][: 2 if number == 5 else 1]
    assert np.array_equal(appearances.quads_px, true)
    assert np.exp(appearances.number_log_probs).sum(axis=1) == pytest.approx(1)
    assert np.exp(appearances.ink_log_probs).sum(axis=1) == pytest.approx(1)


def test_number_of_augmented_tiles_is_limited_to_the_least_certain() -> None:
    true = seen_by_camera(np.concatenate([row_mm((-250, y), 10, gaps_mm=12.0) for y in (-120, -40, 40, 120)]))
    certainties = list(np.linspace(0.7, 0.9, len(true)))
    classifier = UprightClassifier(true, [3] * len(true), certainties)
    classify_tiles(classifier, image(), true)
    assert len(classifier.calls[-1]) == MAX_AUGMENTED_TILES * AUGMENTED_CROP_COUNT
    centres = classifier.calls[-1].reshape(-1, AUGMENTED_CROP_COUNT, 4, 2).mean(axis=(1, 2))
    distances = np.linalg.norm(centres - true[:MAX_AUGMENTED_TILES].mean(axis=1), axis=1)
    assert distances.max() < 0.1 * np.linalg.norm(true[0][1] - true[0][0])
