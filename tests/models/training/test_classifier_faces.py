"""Drawn training crops: labels, shares of jokers and non-tiles, and the place of the tile in the crop."""

from __future__ import annotations

from collections import Counter

import cv2
import numpy as np
import pytest

from tilekeeper.datasets.synthesis.printings.faces import BLANK, Face, number_box
from tilekeeper.datasets.synthesis.printings.printing import INKS, Printing
from tilekeeper.models.training import classifier_faces
from tilekeeper.models.training.classifier_faces import BETWEEN, BLANKS, JOKERS, Drawn, FaceStudio
from tilekeeper.vision.types import JOKER, NOT_A_TILE

WH = (88, 128)
QUAD = np.array([[16.5, 24], [71.5, 24], [71.5, 104], [16.5, 104]], np.float32)


def studio(seed: int) -> FaceStudio:
    cv2.setRNGSeed(seed)
    return FaceStudio(np.random.default_rng(seed), WH, QUAD)


@pytest.fixture
def faces(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Face]]:
    """Return every drawn face with its label, in order; the tile of a crop is drawn last."""
    drawn: list[tuple[str, Face]] = []
    real = classifier_faces.draw_face

    def draw(printing: Printing, label: str, width_px: int, seed: int = 0) -> Face:
        drawn.append((label, real(printing, label, width_px, seed)))
        return drawn[-1][1]

    monkeypatch.setattr(classifier_faces, "draw_face", draw)
    return drawn


def one_by_one(seed: int, count: int, faces: list[tuple[str, Face]]) -> list[tuple[Drawn, str, Face]]:
    """Return crops with the label and the face of their tile; each crop has its own printing."""
    source, crops = studio(seed), []
    for _ in range(count):
        (crop,) = source.draw_crops(1)
        crops.append((crop, *faces[-1]))
    return crops


def correlation(crop: np.ndarray, face: Face, shift: tuple[float, float] = (0, 0)) -> float:
    """Return the correlation of the crop's tile with a face, over all channels of the inner part."""
    height, width = face.alpha.shape
    outline = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) - np.float32(0.5)
    view = cv2.getPerspectiveTransform(QUAD + np.float32(shift), outline)
    middle = cv2.warpPerspective(crop, view, (width, height))[height // 10 : -height // 10, width // 10 : -width // 10]
    return float(
        np.corrcoef(middle.ravel(), face.bgr[height // 10 : -height // 10, width // 10 : -width // 10].ravel())[0, 1]
    )


def test_crops_have_the_labels_of_their_tiles(faces: list[tuple[str, Face]], monkeypatch: pytest.MonkeyPatch) -> None:
    """Jokers have no ink, and a face-down tile is a non-tile."""
    monkeypatch.setattr(classifier_faces, "RACK", 0.0)  # nothing in front, so the tile is drawn last
    counts = Counter()
    for (crop, number, ink), label, _ in one_by_one(3, 110, faces):
        assert crop.shape == (WH[1], WH[0], 3)
        assert crop.dtype == np.uint8
        kind = "none" if number == NOT_A_TILE else "joker" if number == JOKER else "number"
        counts[kind] += 1
        if kind == "none":
            assert ink == -1
        elif kind == "joker":
            assert (label, ink) == ("joker", -1)
        else:
            assert label == f"{INKS[ink]}-{number + 1}"
        if label == BLANK:
            assert kind == "none"
    assert min(counts.values()) > 3


def test_prints_are_bent_and_edges_are_not() -> None:
    """About half the faces are bent; their outermost pixels and their mean colour stay."""
    printed = np.full((92, 64, 3), 220, np.uint8)
    cv2.putText(printed, "8", (12, 60), cv2.FONT_HERSHEY_SIMPLEX, 2.0, (20, 20, 20), 6)
    bgr = printed.astype(np.float32)
    rng = np.random.default_rng(4)
    bent = [classifier_faces._bend_print(rng, bgr) for _ in range(60)]
    changed = [crop for crop in bent if not np.array_equal(crop, bgr)]
    assert 15 < len(changed) < 45
    for crop in changed:
        assert crop.shape == bgr.shape
        assert np.array_equal(crop[[0, -1]], bgr[[0, -1]])
        assert crop.mean() == pytest.approx(bgr.mean(), abs=8)
    assert max(np.abs(crop - bgr).mean() for crop in changed) > 3


def test_tile_fills_the_quad_of_the_stored_crop(faces: list[tuple[str, Face]], monkeypatch: pytest.MonkeyPatch) -> None:
    """The error is a fraction of a pixel. A crop between two tiles shows no whole face."""
    monkeypatch.setattr(classifier_faces, "_bend_print", lambda rng, bgr: bgr)
    monkeypatch.setattr(classifier_faces, "RACK", 0.0)
    tiles = between = 0
    for (crop, number, _), label, face in one_by_one(8, 90, faces):
        if label == BLANK or face.bgr.std() < 12:
            continue
        score = correlation(crop, face)
        if number == NOT_A_TILE:
            between += 1
            assert score < 0.75
        else:
            tiles += 1
            assert score > 0.9
            shifted_scores = [correlation(crop, face, shift) for shift in ((1.5, 0), (-1.5, 0), (0, 1.5), (0, -1.5))]
            assert score > max(shifted_scores)
    assert tiles > 50
    assert between > 2


def test_row_in_front_hides_the_lower_part_but_not_the_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """Above the lower edge of the number only a shadow and a turned edge of a tile in front change pixels."""
    monkeypatch.setattr(classifier_faces, "RACK", 1.0)
    real, hidden = FaceStudio._hide_below, 0

    def hide(self: FaceStudio, canvas: np.ndarray, printing: Printing, label: str, light: float) -> None:
        nonlocal hidden
        before = canvas.copy()
        real(self, canvas, printing, label, light)
        changed = np.abs(canvas - before).max(axis=(1, 2)) > 60
        shown = number_box(printing, label)[3] if label != BLANK else 0.5
        assert not changed[: int(QUAD[0, 1] + (shown - 0.06) * (QUAD[2, 1] - QUAD[0, 1]))].any()
        hidden += bool(changed[int(QUAD[2, 1]) - 8 :].any())

    monkeypatch.setattr(FaceStudio, "_hide_below", hide)
    source = studio(4)
    for _ in range(20):
        source.draw_crops(4)
    assert hidden > 40


def test_kinds_of_crops_have_their_shares(monkeypatch: pytest.MonkeyPatch) -> None:
    """All numbers and inks are equally frequent."""
    monkeypatch.setattr(
        FaceStudio, "_put", lambda *arguments: None
    )  # the labels are counted, so painting is not needed
    source = studio(1)
    drawn = [crop for _ in range(250) for crop in source.draw_crops(16)]
    numbers = np.array([number for _, number, _ in drawn])
    inks = np.array([ink for _, _, ink in drawn])
    places = BLANKS + (1 - BLANKS) * BETWEEN
    assert (numbers == NOT_A_TILE).mean() == pytest.approx(places, abs=0.015)
    assert (numbers == JOKER).mean() == pytest.approx(JOKERS * (1 - BETWEEN), abs=0.015)
    plain = numbers < JOKER
    assert ((inks >= 0) == plain).all()
    assert np.bincount(numbers[plain], minlength=13) / plain.sum() == pytest.approx(np.full(13, 1 / 13), abs=0.02)
    assert np.bincount(inks[plain], minlength=4) / plain.sum() == pytest.approx(np.full(4, 0.25), abs=0.03)


def test_same_seed_draws_the_same_tiles() -> None:
    first, repeated, other = (studio(seed).draw_crops(12) for seed in (5, 5, 6))
    assert all(np.array_equal(a[0], b[0]) and a[1:] == b[1:] for a, b in zip(first, repeated, strict=True))
    assert not all(np.array_equal(a[0], b[0]) for a, b in zip(first, other, strict=True))


def test_each_group_has_a_printing_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """All tiles of a group share it, and its digits are stretched."""
    printings: list[Printing] = []
    real = classifier_faces.draw_face

    def draw(printing: Printing, label: str, width_px: int, seed: int = 0) -> Face:
        printings.append(printing)
        return real(printing, label, width_px, seed)

    monkeypatch.setattr(classifier_faces, "draw_face", draw)
    source, digit_stretches = studio(2), []
    for _ in range(12):
        printings.clear()
        assert len(source.draw_crops(4)) == 4
        assert len({id(printing) for printing in printings}) == 1
        digit_stretches.append(printings[0].digit_stretch)
    assert len(set(digit_stretches)) == 12
    assert np.std(np.log(digit_stretches)) > 0.08
