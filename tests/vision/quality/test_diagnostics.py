"""Troubles of an image are reported with their places, and a good image has none."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.support.doubts import doubts_if
from tests.support.projected_tiles import row_mm, seen_by_camera
from tests.support.truthful_networks import Truth
from tilekeeper.vision import types as kinds
from tilekeeper.vision.layout.rows import group_rows
from tilekeeper.vision.quality.diagnostics import WORDS, box_px, troubles_of, whole_px
from tilekeeper.vision.scene import Scene
from tilekeeper.vision.types import LabelProbabilities, ReadTile, Sighting, Trouble

WH = (1920, 1080)
NO_QUADS = np.zeros((0, 4, 2), np.float32)


def table(px_per_mm: float = 2.0) -> tuple[np.ndarray, np.ndarray]:
    quads = seen_by_camera([*row_mm((-60, -60), 4), *row_mm((-40, 50), 4)], px_per_mm=px_per_mm)
    return Truth(quads, ["red-1"] * len(quads), WH).picture(), quads


def probs_of_a_1(red: float = 0.98) -> LabelProbabilities:
    """Return the label probabilities of a 1 that is red with this probability, else orange."""
    numbers = np.log(np.full(15, 1e-4))
    numbers[0] = np.log(0.998)
    return LabelProbabilities(numbers, np.log([0.001, 0.001, max(0.998 - red, 1e-4), red]))


def troubles_by_kind(
    image: np.ndarray, quads: np.ndarray, doubtful: tuple[int, ...] = (), reds: dict[int, float] | None = None
) -> dict[str, Trouble]:
    """Return the troubles by kind; each kind may occur only once."""
    tiles = tuple(
        ReadTile(
            Sighting(at, quad, probs_of_a_1((reds or {}).get(at, 0.98))),
            "red-1",
            0.9,
            "red-7",
            doubts_if(at in doubtful),
        )
        for at, quad in enumerate(quads)
    )
    found = troubles_of(Scene(image), tiles, group_rows(quads), NO_QUADS)
    assert len({trouble.kind for trouble in found}) == len(found)
    return {trouble.kind: trouble for trouble in found}


def holds(trouble: Trouble, point: np.ndarray) -> bool:
    low, high = trouble.region_px.min(axis=0), trouble.region_px.max(axis=0)
    return bool((low <= point).all() and (point <= high).all())


def test_good_image_has_no_troubles() -> None:
    image, quads = table()
    assert troubles_by_kind(image, quads) == {}
    assert troubles_by_kind(image, quads[:2], (0,)) == {}


def test_dark_or_blurred_image_is_reported_if_tiles_are_doubtful() -> None:
    image, quads = table()
    all_tiles = tuple(range(8))
    dark = troubles_by_kind(image // 8, quads, all_tiles)[kinds.TOO_DARK]
    assert np.array_equal(dark.region_px, whole_px(WH))
    assert kinds.TOO_DARK not in troubles_by_kind(image // 8, quads)
    assert [trouble.kind for trouble in troubles_of(Scene(np.full((90, 120, 3), 9, np.uint8)), (), (), NO_QUADS)] == [
        kinds.TOO_DARK
    ]
    blurred = cv2.GaussianBlur(image, (0, 0), 7)
    assert holds(troubles_by_kind(blurred, quads, all_tiles)[kinds.TOO_BLURRED], quads[0].mean(axis=0))
    assert kinds.TOO_BLURRED not in troubles_by_kind(blurred, quads)


def test_small_tiles_are_reported_without_any_doubt() -> None:
    """The tiles are 11 pixels wide."""
    assert kinds.TOO_SMALL in troubles_by_kind(*table(px_per_mm=0.4))


def test_glare_is_reported_where_it_affects_the_reading() -> None:
    """On or beside a doubtful tile, not on a certain one and not far away."""
    image, quads = table()
    lamp = image.copy()
    cv2.circle(lamp, tuple(int(v) for v in quads[2].mean(axis=0)), 40, (255, 255, 255), -1)
    assert holds(troubles_by_kind(lamp, quads, (2,))[kinds.GLARE], quads[2].mean(axis=0))
    far = image.copy()
    cv2.circle(far, (1700, 100), 40, (255, 255, 255), -1)
    assert kinds.GLARE not in troubles_by_kind(far, quads, (2,))
    beside = image.copy()
    middle = quads[3].mean(axis=0) + (quads[3].mean(axis=0) - quads[2].mean(axis=0)) * 1.2
    cv2.circle(beside, tuple(int(v) for v in middle), 26, (255, 255, 255), -1)
    assert kinds.GLARE in troubles_by_kind(beside, quads)


def test_lamp_among_bright_tiles_is_glare_and_paper_is_not() -> None:
    """The brightness around a lamp fades gradually; a white sheet has a sharp edge."""
    image, quads = table()
    image[(image > 200).all(axis=2)] = 246
    rest, lost = np.delete(quads, 2, axis=0), quads[2].mean(axis=0)
    ys, xs = np.mgrid[: WH[1], : WH[0]]
    light = 900 * np.exp(-((xs - lost[0]) ** 2 + (ys - lost[1]) ** 2) / (2 * 34.0**2))
    lamp = np.clip(image + light[..., None], 0, 255).astype(np.uint8)
    assert holds(troubles_by_kind(lamp, rest)[kinds.GLARE], lost)
    paper = image.copy()
    cv2.rectangle(paper, (int(lost[0]) - 60, int(lost[1]) - 60), (int(lost[0]) + 60, int(lost[1]) + 60), (255,) * 3, -1)
    assert kinds.GLARE not in troubles_by_kind(paper, rest)


@pytest.mark.parametrize(("shift", "edge"), [((-800, 0), "left"), ((820, 0), "right"), ((0, -400), "top")])
def test_tiles_cut_by_an_edge_are_reported_at_that_edge(shift: tuple[int, int], edge: str) -> None:
    _, quads = table()
    low, high = quads.min(axis=(0, 1)), quads.max(axis=(0, 1))
    beyond = {"left": (-low[0] - 20, 0), "right": (WH[0] - high[0] + 20, 0), "top": (0, -low[1] - 20)}[edge]
    cut = quads + np.float32(beyond)
    image = Truth(cut, ["red-1"] * 8, WH).picture()
    region = troubles_by_kind(image, cut)[kinds.CUT_OFF].region_px
    assert {"left": region[:, 0].min() == 0, "right": region[:, 0].max() == WH[0] - 1, "top": region[:, 1].min() == 0}[
        edge
    ]
    whole = quads + 0.9 * np.float32(beyond)
    assert kinds.CUT_OFF not in troubles_by_kind(Truth(whole, ["red-1"] * 8, WH).picture(), whole)


def test_thing_over_the_end_of_a_row_is_in_the_way() -> None:
    image, quads = table()
    covered_px = quads[3].mean(axis=0)
    hidden = image.copy()
    cv2.circle(hidden, (int(covered_px[0]) + 62, int(covered_px[1])), 62, (60, 90, 170), -1)
    rest = np.delete(quads, 3, axis=0)
    assert holds(troubles_by_kind(hidden, rest)[kinds.IN_THE_WAY], covered_px)
    assert kinds.IN_THE_WAY not in troubles_by_kind(image, quads)
    # the tile was read, but it is doubtful and partly covered
    assert kinds.IN_THE_WAY in troubles_by_kind(hidden, quads, (3,))


def test_several_tiles_of_red_or_orange_blame_the_light() -> None:
    image, quads = table()
    assert kinds.RED_AND_ORANGE not in troubles_by_kind(image, quads, reds={1: 0.6})
    either = troubles_by_kind(image, quads, reds={1: 0.6, 5: 0.5})[kinds.RED_AND_ORANGE]
    assert holds(either, quads[1].mean(axis=0))
    assert holds(either, quads[5].mean(axis=0))


def test_every_kind_of_trouble_has_words_and_no_other_is_accepted() -> None:
    assert set(WORDS) == set(kinds.TROUBLE_KINDS)
    with pytest.raises(ValueError, match="unknown kind"):
        Trouble("ugly", "ugly", whole_px(WH))
    with pytest.raises(ValueError, match=r"\(4, 2\)"):
        Trouble(kinds.GLARE, "", np.zeros(4))
    box = box_px(np.array([(-5, 10), (50, 2000)]), WH, 3)
    assert box.tolist() == [[0, 7], [53, 7], [53, 1079], [0, 1079]]
