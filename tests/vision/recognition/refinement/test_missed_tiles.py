"""Missed tiles are found where the image shows a tile's face, and no others."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from tests.support.projected_tiles import row_mm, seen_by_camera, tile_mm
from tests.support.truthful_networks import Truth, face_map
from tilekeeper.vision.recognition.refinement.missed_tiles import (
    add_missed_tiles,
    select_new_tiles,
)
from tilekeeper.vision.recognition.refinement.refine import classify_tiles
from tilekeeper.vision.tile_table import Appearances
from tilekeeper.vision.types import JOKER, NOT_A_TILE

WH = (1920, 1080)
LABELS = ["red-4", "red-5", "red-6", "red-7", "red-8"]
WHITE_CLOTH = np.full((WH[1], WH[0], 3), 235, np.uint8)


def table(certainty: dict[int, float] | None = None) -> Truth:
    """Return five red tiles in a row in the middle of the image."""
    return Truth(seen_by_camera(row_mm((-60, 0), 5)), LABELS, WH, certainty or {}, misread_off=0.3)


def search(truth: Truth, indices: list[int]) -> Appearances:
    """Return these tiles, and the other tiles that are found."""
    known = classify_tiles(truth.classifier, truth.picture(), truth.quads_px[indices].astype(np.float32))
    return search_from(truth, known)


def search_from(truth: Truth, known: Appearances) -> Appearances:
    """Return the known tiles, and the tiles that are found at the faces of the image."""
    return add_missed_tiles(truth.classifier, truth.picture(), known, face_map(truth.quads_px, WH))


def numbers(appearances: Appearances) -> list[int]:
    return (appearances.number_log_probs.argmax(axis=1) + 1).tolist()


@pytest.mark.parametrize("missed", [0, 2, 4])
def test_missed_tile_of_a_row_is_found(missed: int) -> None:
    """The missed tile is at either end or in the gap, and gets its own corners."""
    truth = table()
    rest = [index for index in range(5) if index != missed]
    appearances = search(truth, rest)
    assert numbers(appearances) == [*(4 + index for index in rest), 4 + missed]
    assert appearances.quads_px[4] == pytest.approx(truth.quads_px[missed], abs=1.5)


@pytest.mark.parametrize(("figure", "read"), [(0.94, 7), (0.9, 14)])
def test_number_at_a_place_beats_a_similar_joker(figure: float, read: int) -> None:
    """Half a number resembles a joker."""
    truth = table()
    appearances = truth.classifier(truth.picture(), truth.quads_px[[2, 2]])
    appearances.quads_px[1] += 4
    chances = np.full((2, 15), 1e-4)
    chances[0, 5:7], chances[1, [5, JOKER]] = (1 - figure, figure), (0.02, 0.98)
    appearances = replace(appearances, number_log_probs=np.log(chances / chances.sum(axis=1, keepdims=True)))
    none_prob = np.zeros((0, 4, 2))
    assert numbers(select_new_tiles(appearances, np.ones(2, bool), none_prob, none_prob, np.full(2, 20.0))) == [read]


@pytest.mark.parametrize("turn_deg", [0, 40, 90, 200])
def test_single_tile_in_another_direction_is_found(turn_deg: float) -> None:
    """It is classified along its face: a quad in the direction of the row shows no tile."""
    quads = seen_by_camera([*row_mm((-60, 0), 5), tile_mm((10, 90), turn_deg)])
    truth = Truth(quads, [*LABELS, "red-12"], WH, misread_off=0.3)

    def classifier(image_bgr: np.ndarray, quads_px: np.ndarray) -> Appearances:
        answers = truth.classifier(image_bgr, quads_px)
        answers.number_log_probs[answers.number_log_probs.argmax(axis=1) == 12, NOT_A_TILE] = 0.0
        return answers

    known = truth.classifier(truth.picture(), quads[:5])
    appearances = add_missed_tiles(classifier, truth.picture(), known, face_map(quads, WH))
    assert numbers(appearances)[5:] == [12]


def test_tile_beside_a_face_down_tile_is_found() -> None:
    """Both show one wide face: half a tile beside its middle is the tile."""
    quads = seen_by_camera([*row_mm((-60, 0), 5), *row_mm((0, 90), 2)])
    truth = Truth(quads[:6], [*LABELS, "red-12"], WH, misread_off=0.3)
    known = truth.classifier(truth.picture(), quads[:5])
    faces = face_map(quads, WH)
    faces = replace(faces, logits=cv2.GaussianBlur(faces.logits, (0, 0), 4.0))
    appearances = add_missed_tiles(truth.classifier, truth.picture(), known, faces)
    assert numbers(appearances)[5:] == [12]
    assert appearances.quads_px[5] == pytest.approx(quads[5], abs=1.5)


def test_complete_row_gets_no_further_tile() -> None:
    """The table beside it is not even classified."""
    truth = table()
    calls = len(truth.named)
    assert numbers(search(truth, [0, 1, 2, 3, 4])) == [4, 5, 6, 7, 8]
    assert len(truth.named) == calls + 1


def found_too_high(truth: Truth, by: float, probs: np.ndarray) -> list[int]:
    """Return all five tiles, of which the third was detected too high and got these probabilities."""
    image = truth.picture()
    known = truth.classifier(image, truth.quads_px)
    known.quads_px[2] += by * (known.quads_px[2, 0] - known.quads_px[2, 3])
    known.number_log_probs[2] = np.log(probs)
    return numbers(search_from(truth, known))[5:]


@pytest.mark.usefixtures("first_crops_only")
@pytest.mark.parametrize(
    ("none_prob", "by", "is_flagged"), [(0.15, 0.14, True), (0.15, 0.43, False), (0.6, 0.14, False)]
)
def test_detected_non_tile_with_a_likely_number_beside_is_flagged(
    none_prob: float, by: float, is_flagged: bool
) -> None:
    truth, probs = replace(table({2: 0.45}), none={2: none_prob}), np.full(15, 0.01)
    probs[NOT_A_TILE] = 0.86
    assert found_too_high(truth, by, probs) == ([6] if is_flagged else [])


def test_lone_tile_is_found_in_the_shape_of_an_unreadable_detection() -> None:
    truth = Truth(seen_by_camera(row_mm((-60, 0), 1)), LABELS[:1], WH, misread_off=0.3)
    known = truth.classifier(truth.picture(), truth.quads_px)
    known.quads_px[0] += (known.quads_px[0, 0] - known.quads_px[0, 3]) / 3
    known.number_log_probs[0] = np.log([*np.full(14, 0.01), 0.86])
    assert numbers(search_from(truth, known))[1:] == [4]


@pytest.mark.parametrize(("certain", "is_found"), [(0.4, True), (0.6, False)])
def test_unreadable_quad_does_not_block_a_place(certain: float, is_found: bool) -> None:
    probs = np.full(15, (1 - certain) / 14)
    probs[3] = certain
    assert found_too_high(table(), 1 / 3, probs) == ([6] if is_found else [])


@pytest.mark.parametrize(("size", "is_found"), [(1.4, True), (1.1, False)])
def test_uncertain_oversized_quad_does_not_block_a_place(size: float, is_found: bool) -> None:
    truth = table()
    image = truth.picture()
    known = truth.classifier(image, truth.quads_px)
    middle = truth.quads_px[2].mean(axis=0)
    up = 0.3 * (truth.quads_px[2, 0] - truth.quads_px[2, 3])
    known.quads_px[2] = middle + size * (truth.quads_px[2] - middle) + up
    known.number_log_probs[2] = -np.log(15)
    known.number_log_probs[2, 3] = np.log(0.6)
    appearances = search_from(truth, known)
    assert numbers(appearances)[5:] == ([6] if is_found else [])


@pytest.mark.usefixtures("first_crops_only")
def test_gap_with_a_sure_tile_of_unknown_number_is_flagged() -> None:
    assert numbers(search(table({2: 0.45}), [0, 1, 3, 4])) == [4, 5, 7, 8, 6]
    assert numbers(search(replace(table(), none={2: 0.4}), [0, 1, 3, 4])) == [4, 5, 7, 8]


@pytest.mark.usefixtures("first_crops_only")
def test_uncertain_tile_has_no_searched_neighbours() -> None:
    truth = table(dict.fromkeys(range(5), 0.45))
    assert numbers(search(truth, [0, 1, 3, 4])) == [4, 5, 7, 8]
    centres, missed = np.concatenate(truth.named).mean(axis=1), truth.quads_px[2].mean(axis=0)
    assert np.linalg.norm(centres - missed, axis=1).min() > 20


def test_place_outside_the_image_is_not_classified() -> None:
    truth = table()
    middle = truth.quads_px.mean(axis=(0, 1))
    truth.quads_px = (truth.quads_px - middle + (WH[0] - 60, middle[1])).astype(np.float32)
    inside = [index for index in range(5) if truth.quads_px[index].max() < WH[0] - 1 and index < 3]
    appearances = search(truth, inside)
    assert (appearances.quads_px[:, :, 0] < WH[0]).all()


class WrongFarAway:
    """Rejects crops that are off by more than 0.2 widths, but corrects each crop by up to 0.15 widths.

    Nearer crops get the label of the tile. A crop at no known tile is a joker if `joker`, else an 8.
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
        is_nowhere = np.linalg.norm(names.quads_px.mean(axis=1) - known[at], axis=1) > 0.5 * widths
        labels = np.where(is_nowhere & self.joker, JOKER, np.where(is_nowhere, 7, at + 3))
        probs[np.arange(len(quads_px)), np.where(far > 0.2 * widths, NOT_A_TILE, labels)] = 0.99
        corrected = quads_px + share * (names.quads_px - quads_px)
        return replace(names, number_log_probs=np.log(probs), quads_px=corrected.astype(np.float32))


@pytest.mark.parametrize(("off", "joker", "more"), [(0.42, False, 1), (0.42, True, 0), (0.65, False, 0)])
def test_place_a_third_of_a_tile_off_is_classified_at_its_corrected_corners(off: float, joker: bool, more: int) -> None:
    """A joker is not accepted after a non-tile, and half a tile is too far."""
    quads = seen_by_camera(row_mm((-60, 0), 5, gaps_mm=[0.6, 0.6, 0.6, 40.0]))
    truth = Truth(quads, LABELS, WH, {})
    classifier, known = WrongFarAway(truth, joker), quads[:4].astype(np.float32)
    shown_px = np.concatenate([known, quads[4:] - off * (quads[4, 1] - quads[4, 0])])
    tiles = classify_tiles(classifier, WHITE_CLOTH, known)
    appearances = add_missed_tiles(classifier, WHITE_CLOTH, tiles, face_map(shown_px, WH))
    assert len(appearances.quads_px) == 4 + more
    if more:
        assert appearances.quads_px[4] == pytest.approx(quads[4], abs=2.0)


@pytest.mark.parametrize(("out", "more"), [(0.1, 1), (0.3, 0)])
def test_place_slightly_cut_by_the_image_edge_is_classified(out: float, more: int) -> None:
    truth = table()
    width = np.ptp(truth.quads_px[4, :, 0])
    truth.quads_px[..., 0] += WH[0] - truth.quads_px[4, :, 0].max() + out * width
    assert len(search(truth, [0, 1, 2, 3]).quads_px) == 4 + more


@pytest.mark.parametrize(("overlap", "more"), [(0.35, 1), (0.45, 0)])
def test_tile_a_third_under_its_neighbours_quad_is_found(overlap: float, more: int) -> None:
    """A larger overlap may be two half tiles."""
    quads = seen_by_camera(row_mm((-60, 0), 5))
    truth = Truth(quads, LABELS, WH, {})
    image, known = WHITE_CLOTH, quads[:4].astype(np.float32)
    shift = (quads[4, 1] - quads[4, 0]) * (overlap + 0.02)

    def classifier(image_bgr: np.ndarray, quads_px: np.ndarray) -> Appearances:
        names = truth.classifier(image_bgr, quads_px)
        last = np.linalg.norm(names.quads_px.mean(axis=1) - quads[4].mean(axis=0), axis=1) < 1
        corrected = np.where(last[:, None, None], names.quads_px - shift, names.quads_px)
        return replace(names, quads_px=corrected.astype(np.float32))

    appearances = add_missed_tiles(classifier, image, classify_tiles(classifier, image, known), face_map(quads, WH))
    assert len(appearances.quads_px) == 4 + more
