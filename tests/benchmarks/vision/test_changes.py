"""The bench that changes the whole image at once: phantoms, missed tiles and delays."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.benchmarks.vision import changes
from tests.benchmarks.vision.changes import KINDS, Followed, MarkedImage, follow_changes, follow_noted, stale
from tests.support.known_tables import table_reading
from tilekeeper.models.evaluation import score
from tilekeeper.models.evaluation.measure import Pictured
from tilekeeper.vision.shipped import load_reader

BEFORE = table_reading("R3 R4 R5 | K8 B8 O8")
TRUE_TILES = tuple((tile.label, tile.sighting.quad_px) for tile in BEFORE.tiles)


def pictured(image: np.ndarray) -> Pictured:
    """Return an image without tiles."""
    truth = score.Truth((), (), (), np.zeros((0, 4)), np.zeros((0, 4, 2)))
    return Pictured("a", "s1", truth, None, lambda: image)


def test_correct_reading_is_not_stale() -> None:
    assert stale(BEFORE, [BEFORE, BEFORE], BEFORE, TRUE_TILES) == []


def test_unseen_tile_is_a_phantom_and_unreported_tile_is_listed() -> None:
    without_last = replace(BEFORE, tiles=BEFORE.tiles[:-1])
    assert [
        fault.split(" at ")[0] for fault in stale(BEFORE, [without_last, without_last], BEFORE, TRUE_TILES[:-1])
    ] == ["phantom orange-8"]
    assert [fault.split(" at ")[0] for fault in stale(without_last, [BEFORE, BEFORE], without_last, TRUE_TILES)] == [
        "untold orange-8"
    ]


def test_tile_reported_as_covered_but_seen_by_all_is_wrong() -> None:
    """It may be covered if one reading misses it or if its place is an ignored area."""
    last = BEFORE.tiles[-1]
    covered = replace(last, sighting=replace(last.sighting, hidden=True))
    covered_reading, without_last = (replace(BEFORE, tiles=(*BEFORE.tiles[:-1], *rest)) for rest in ((covered,), ()))
    assert [fault.split(" at ")[0] for fault in stale(covered_reading, [BEFORE, BEFORE], BEFORE, TRUE_TILES)] == [
        "untold orange-8 (covered)"
    ]
    assert stale(covered_reading, [BEFORE, without_last], BEFORE, TRUE_TILES) == []
    covered_area = (changes.UNTOLD, last.sighting.quad_px)
    assert stale(covered_reading, [BEFORE, BEFORE], BEFORE, (*TRUE_TILES[:-1], covered_area)) == []


@pytest.mark.parametrize("kind", ["shifted", "turned", "zoomed"])
def test_tile_cut_by_the_edge_is_not_completed(kind: str) -> None:
    """The area beyond a moved image has the colour of its edge and is no mirror image."""
    image = np.full((*changes.SIZE_WH[::-1], 3), 90, np.uint8)
    image[:20, 600:640] = image[-20:, 600:640] = image[300:340, :20] = image[300:340, -20:] = 230
    whites = []
    for seed in range(6):
        shown = KINDS[kind](MarkedImage(image, ()), MarkedImage(image, ()), np.random.default_rng(seed))
        whites.append(np.count_nonzero(shown.image_bgr > 160) / np.count_nonzero(image > 160))
    assert max(whites) < 1.6, "once nearer it is larger, but not twice there"


def test_new_cloth_shows_no_tile_of_the_other_table() -> None:
    """Neighbouring tiles are inside each other's margins, and all of them are painted over."""
    quads = [np.array([(x, 300), (x + 40, 300), (x + 40, 360), (x, 360)], float) for x in (400, 440, 480)]
    image = np.full((*changes.SIZE_WH[::-1], 3), 60, np.uint8)
    image[300:360, 400:520] = 230
    other = MarkedImage(image, tuple(("red-3", quad) for quad in quads))
    bare = MarkedImage(np.full_like(image, 120), ())
    assert KINDS["cloth"](bare, other, np.random.default_rng(0)).image_bgr.max() < 70
    shown = MarkedImage(image, other.tiles)
    covered_area = KINDS["cloth"](shown, bare, np.random.default_rng(0)).image_bgr
    assert (covered_area[300:360, 400:520] == 230).all(), "the tiles themselves are whole, also where they touch"


def test_true_tile_is_no_phantom_and_absent_tile_is_not_missed() -> None:
    """A reading of the newest frame alone can be wrong, too."""
    without_last = replace(BEFORE, tiles=BEFORE.tiles[:-1])
    assert stale(BEFORE, [without_last, without_last], BEFORE, TRUE_TILES) == []
    assert stale(without_last, [BEFORE, BEFORE], without_last, TRUE_TILES[:-1]) == []


def test_tile_in_an_ignored_area_does_not_count() -> None:
    """A tile half under a hand may be reported or not."""
    without_last = replace(BEFORE, tiles=BEFORE.tiles[:-1])
    covered_area = (changes.UNTOLD, BEFORE.tiles[-1].sighting.quad_px)
    assert stale(BEFORE, [without_last, without_last], BEFORE, (*TRUE_TILES[:-1], covered_area)) == []
    assert stale(without_last, [BEFORE, BEFORE], without_last, (*TRUE_TILES[:-1], covered_area)) == []


def test_wrong_label_counts_if_it_is_the_old_one() -> None:
    """Two readings may differ in a label, but the label of the previous table must not stay."""
    later = table_reading("R3 R4 R5 | K8 B8 O9")
    true_tiles = tuple((tile.label, tile.sighting.quad_px) for tile in later.tiles)
    assert len(stale(BEFORE, [later, later], BEFORE, true_tiles)) == 1
    assert stale(BEFORE, [later, later], later, true_tiles) == []
    assert stale(BEFORE, [later, BEFORE], BEFORE, true_tiles) == []


def test_true_label_is_right_whatever_single_readings_say() -> None:
    """In cold light an orange 8 looks red in a single frame."""
    later = table_reading("R3 R4 R5 | K8 B8 R8")
    assert stale(BEFORE, [later, later], BEFORE, TRUE_TILES) == []


def test_image_of_another_size_is_another_image() -> None:
    assert stale(replace(BEFORE, image_wh=(640, 480)), [BEFORE, BEFORE], BEFORE, TRUE_TILES) == [
        "phantom: all of another picture"
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_outlines_move_with_the_image(kind: str) -> None:
    """After each change a bright tile on a dark table is inside its outline."""
    image = np.full((720, 1280, 3), 40, np.uint8)
    image[300:400, 500:570] = 220
    outline = np.array([[500, 300], [569, 300], [569, 399], [500, 399.0]])
    shown = MarkedImage(image, (("red-3", outline),))
    after = KINDS[kind](shown, shown, np.random.default_rng(2))
    ((label, moved),) = after.tiles
    assert label == "red-3"
    x, y = moved.mean(axis=0).round().astype(int)
    assert after.image_bgr[y, x].max() > 2 * np.median(after.image_bgr)


def test_same_number_gives_the_same_sequence_and_an_empty_table_has_no_errors() -> None:
    """None of the three changes has a delay."""
    pictures = [pictured(np.full((720, 1280, 3), level, np.uint8)) for level in (60, 90, 120)]
    followed = [follow_changes(pictures, [3], load_reader(1), Followed()) for _ in range(2)]
    assert followed[0].figures() == followed[1].figures()
    figures = followed[0].figures()
    assert (figures["changes"], figures["never"], figures["phantoms"]) == (changes.CHANGES, 0, 0)


def test_recorded_sequences_are_not_repeated(tmp_path: Path) -> None:
    """Their results are read from the file and added to those of new sequences."""
    pictures = [pictured(np.full((720, 1280, 3), level, np.uint8)) for level in (60, 90, 120)]
    notes = tmp_path / "kept" / "photos.jsonl"
    both = follow_noted(pictures, [3, 4], load_reader(1), notes)
    assert len(notes.read_text("utf-8").splitlines()) == 2
    assert follow_noted((), [3, 4], load_reader(1), notes).figures() == both.figures()
    assert both.figures()["changes"] == 2 * changes.CHANGES
