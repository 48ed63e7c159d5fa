"""All that is seen changed at once: what is told and not seen counts, and for how long."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.benchmarks.vision import changes
from tests.benchmarks.vision.changes import KINDS, Followed, Shown, follow_changes, follow_noted, stale
from tests.support.known_tables import table_reading
from tilekeeper.models.evaluation import score
from tilekeeper.models.evaluation.measure import Pictured
from tilekeeper.vision.shipped import load_reader

BEFORE = table_reading("R3 R4 R5 | K8 B8 O8")
LYING = tuple((tile.label, tile.sighting.quad_px) for tile in BEFORE.tiles)


def pictured(image: np.ndarray) -> Pictured:
    """A picture with no tiles."""
    truth = score.Truth((), (), (), np.zeros((0, 4)), np.zeros((0, 4, 2)))
    return Pictured("a", "s1", truth, None, lambda: image)


def test_correct_reading_is_not_stale() -> None:
    """An identical reading, and a flagged tile that another reader misses."""
    assert stale(BEFORE, [BEFORE, BEFORE], BEFORE, LYING) == []


def test_unseen_tile_is_a_phantom_and_unreported_tile_is_listed() -> None:
    """Both directions of a difference count."""
    less = replace(BEFORE, tiles=BEFORE.tiles[:-1])
    assert [fault.split(" at ")[0] for fault in stale(BEFORE, [less, less], BEFORE, LYING[:-1])] == ["phantom orange-8"]
    assert [fault.split(" at ")[0] for fault in stale(less, [BEFORE, BEFORE], less, LYING)] == ["untold orange-8"]


def test_tile_reported_as_covered_but_seen_by_all_is_wrong() -> None:
    """With any label; it may be covered if one reader misses it or nothing is known of its place."""
    last = BEFORE.tiles[-1]
    covered = replace(last, sighting=replace(last.sighting, hidden=True))
    covered_reading, less = (replace(BEFORE, tiles=(*BEFORE.tiles[:-1], *rest)) for rest in ((covered,), ()))
    assert [fault.split(" at ")[0] for fault in stale(covered_reading, [BEFORE, BEFORE], BEFORE, LYING)] == [
        "untold orange-8 (covered)"
    ]
    assert stale(covered_reading, [BEFORE, less], BEFORE, LYING) == []
    under = (changes.UNTOLD, last.sighting.quad_px)
    assert stale(covered_reading, [BEFORE, BEFORE], BEFORE, (*LYING[:-1], under)) == []


@pytest.mark.parametrize("kind", ["shifted", "turned", "zoomed"])
def test_tile_cut_by_the_edge_is_not_completed(kind: str) -> None:
    """The area beyond a moved image has the colour of its edge and is no mirror image."""
    image = np.full((*changes.SIZE_WH[::-1], 3), 90, np.uint8)
    image[:20, 600:640] = image[-20:, 600:640] = image[300:340, :20] = image[300:340, -20:] = 230
    whites = []
    for seed in range(6):
        shown = KINDS[kind](Shown(image, ()), Shown(image, ()), np.random.default_rng(seed))
        whites.append(np.count_nonzero(shown.image_bgr > 160) / np.count_nonzero(image > 160))
    assert max(whites) < 1.6, "once nearer it is larger, but not twice there"


def test_new_cloth_shows_no_tile_of_the_other_table() -> None:
    """Neighbouring tiles are in each other's surroundings; all of them are painted over."""
    quads = [np.array([(x, 300), (x + 40, 300), (x + 40, 360), (x, 360)], float) for x in (400, 440, 480)]
    image = np.full((*changes.SIZE_WH[::-1], 3), 60, np.uint8)
    image[300:360, 400:520] = 230
    other = Shown(image, tuple(("red-3", quad) for quad in quads))
    bare = Shown(np.full_like(image, 120), ())
    assert KINDS["cloth"](bare, other, np.random.default_rng(0)).image_bgr.max() < 70
    here = Shown(image, other.tiles)
    under = KINDS["cloth"](here, bare, np.random.default_rng(0)).image_bgr
    assert (under[300:360, 400:520] == 230).all(), "the tiles themselves are whole, also where they touch"


def test_true_tile_is_no_phantom_and_absent_tile_is_not_missed() -> None:
    """A reader of the newest frame alone can be wrong, too."""
    less = replace(BEFORE, tiles=BEFORE.tiles[:-1])
    assert stale(BEFORE, [less, less], BEFORE, LYING) == []
    assert stale(less, [BEFORE, BEFORE], less, LYING[:-1]) == []


def test_tile_in_an_ignored_area_does_not_count() -> None:
    """A tile half under a hand may be reported and seen, or not."""
    less = replace(BEFORE, tiles=BEFORE.tiles[:-1])
    under = (changes.UNTOLD, BEFORE.tiles[-1].sighting.quad_px)
    assert stale(BEFORE, [less, less], BEFORE, (*LYING[:-1], under)) == []
    assert stale(less, [BEFORE, BEFORE], less, (*LYING[:-1], under)) == []


def test_wrong_label_counts_if_it_is_the_old_one() -> None:
    """Two readings may differ in a label; the label of the previous table was kept by mistake."""
    now = table_reading("R3 R4 R5 | K8 B8 O9")
    lying = tuple((tile.label, tile.sighting.quad_px) for tile in now.tiles)
    assert len(stale(BEFORE, [now, now], BEFORE, lying)) == 1
    assert stale(BEFORE, [now, now], now, lying) == []
    assert stale(BEFORE, [now, BEFORE], BEFORE, lying) == []


def test_true_label_is_right_whatever_single_readings_say() -> None:
    """In cold light an orange 8 looks red in a single frame."""
    now = table_reading("R3 R4 R5 | K8 B8 R8")
    assert stale(BEFORE, [now, now], BEFORE, LYING) == []


def test_image_of_another_size_is_another_image() -> None:
    """It contains nothing of the previous one."""
    assert stale(replace(BEFORE, image_wh=(640, 480)), [BEFORE, BEFORE], BEFORE, LYING) == [
        "phantom: all of another picture"
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_outlines_move_with_the_image(kind: str) -> None:
    """After each change a bright tile on a dark table is inside its outline."""
    image = np.full((720, 1280, 3), 40, np.uint8)
    image[300:400, 500:570] = 220
    outline = np.array([[500, 300], [569, 300], [569, 399], [500, 399.0]])
    shown = Shown(image, (("red-3", outline),))
    after = KINDS[kind](shown, shown, np.random.default_rng(2))
    ((label, moved),) = after.tiles
    assert label == "red-3"
    x, y = moved.mean(axis=0).round().astype(int)
    assert after.image_bgr[y, x].max() > 2 * np.median(after.image_bgr)


def test_same_number_gives_the_same_sequence_and_an_empty_table_has_no_errors() -> None:
    """Three changes, none with a delay."""
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
