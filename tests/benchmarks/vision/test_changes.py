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


def test_what_is_told_as_it_is_seen_is_not_stale() -> None:
    """The very same, and a tile in doubt that another reader does not see."""
    assert stale(BEFORE, [BEFORE, BEFORE], BEFORE, LYING) == []


def test_a_tile_that_nobody_sees_is_a_phantom_and_one_that_is_not_told_is_named() -> None:
    """Either way round."""
    less = replace(BEFORE, tiles=BEFORE.tiles[:-1])
    assert [fault.split(" at ")[0] for fault in stale(BEFORE, [less, less], BEFORE, LYING[:-1])] == ["phantom orange-8"]
    assert [fault.split(" at ")[0] for fault in stale(less, [BEFORE, BEFORE], less, LYING)] == ["untold orange-8"]


def test_a_tile_told_as_covered_that_everybody_sees_is_untold() -> None:
    """By whatever name; where one does not see it, or nobody says what lies there, it may be."""
    last = BEFORE.tiles[-1]
    covered = replace(last, sighting=replace(last.sighting, hidden=True))
    told, less = (replace(BEFORE, tiles=(*BEFORE.tiles[:-1], *rest)) for rest in ((covered,), ()))
    assert [fault.split(" at ")[0] for fault in stale(told, [BEFORE, BEFORE], BEFORE, LYING)] == [
        "untold orange-8 (covered)"
    ]
    assert stale(told, [BEFORE, less], BEFORE, LYING) == []
    under = (changes.UNTOLD, last.sighting.quad_px)
    assert stale(told, [BEFORE, BEFORE], BEFORE, (*LYING[:-1], under)) == []


@pytest.mark.parametrize("kind", ["shifted", "turned", "zoomed"])
def test_a_tile_that_the_edge_cuts_is_not_made_whole(kind: str) -> None:
    """What the moved picture does not show has the colour of its edge, and is no mirror."""
    image = np.full((*changes.SIZE_WH[::-1], 3), 90, np.uint8)
    image[:20, 600:640] = image[-20:, 600:640] = image[300:340, :20] = image[300:340, -20:] = 230
    whites = []
    for seed in range(6):
        shown = KINDS[kind](Shown(image, ()), Shown(image, ()), np.random.default_rng(seed))
        whites.append(np.count_nonzero(shown.image_bgr > 160) / np.count_nonzero(image > 160))
    assert max(whites) < 1.6, "once nearer it is larger, but not twice there"


def test_under_another_cloth_nothing_is_left_of_the_other_tables_tiles() -> None:
    """Tiles side by side lie in each other's surroundings: all of these are drawn over."""
    quads = [np.array([(x, 300), (x + 40, 300), (x + 40, 360), (x, 360)], float) for x in (400, 440, 480)]
    image = np.full((*changes.SIZE_WH[::-1], 3), 60, np.uint8)
    image[300:360, 400:520] = 230
    other = Shown(image, tuple(("red-3", quad) for quad in quads))
    bare = Shown(np.full_like(image, 120), ())
    assert KINDS["cloth"](bare, other, np.random.default_rng(0)).image_bgr.max() < 70
    here = Shown(image, other.tiles)
    under = KINDS["cloth"](here, bare, np.random.default_rng(0)).image_bgr
    assert (under[300:360, 400:520] == 230).all(), "the tiles themselves are whole, also where they touch"


def test_what_is_there_is_no_phantom_and_what_is_not_is_not_missed() -> None:
    """A reader who knows the newest picture alone may be mistaken as well."""
    less = replace(BEFORE, tiles=BEFORE.tiles[:-1])
    assert stale(BEFORE, [less, less], BEFORE, LYING) == []
    assert stale(less, [BEFORE, BEFORE], less, LYING[:-1]) == []


def test_what_lies_where_nobody_says_what_does_counts_neither_way() -> None:
    """A tile half under a hand is told by one who saw it, and seen, or not, by one who did not."""
    less = replace(BEFORE, tiles=BEFORE.tiles[:-1])
    under = (changes.UNTOLD, BEFORE.tiles[-1].sighting.quad_px)
    assert stale(BEFORE, [less, less], BEFORE, (*LYING[:-1], under)) == []
    assert stale(less, [BEFORE, BEFORE], less, (*LYING[:-1], under)) == []


def test_another_name_counts_where_it_is_the_one_of_before() -> None:
    """Two looks may read a tile otherwise; the one of the table before is what was kept."""
    now = table_reading("R3 R4 R5 | K8 B8 O9")
    lying = tuple((tile.label, tile.sighting.quad_px) for tile in now.tiles)
    assert len(stale(BEFORE, [now, now], BEFORE, lying)) == 1
    assert stale(BEFORE, [now, now], now, lying) == []
    assert stale(BEFORE, [now, BEFORE], BEFORE, lying) == []


def test_what_is_told_by_its_true_name_is_right_whatever_is_read_of_the_picture_alone() -> None:
    """Under a cold light an orange 8 looks red to who sees it for the first time."""
    now = table_reading("R3 R4 R5 | K8 B8 R8")
    assert stale(BEFORE, [now, now], BEFORE, LYING) == []


def test_a_picture_of_another_size_is_another_picture() -> None:
    """Nothing of the one before lies in it."""
    assert stale(replace(BEFORE, image_wh=(640, 480)), [BEFORE, BEFORE], BEFORE, LYING) == [
        "phantom: all of another picture"
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_outlines_go_with_the_picture(kind: str) -> None:
    """A bright tile on a dark table is where its outline is, whatever the change."""
    image = np.full((720, 1280, 3), 40, np.uint8)
    image[300:400, 500:570] = 220
    outline = np.array([[500, 300], [569, 300], [569, 399], [500, 399.0]])
    shown = Shown(image, (("red-3", outline),))
    after = KINDS[kind](shown, shown, np.random.default_rng(2))
    ((label, moved),) = after.tiles
    assert label == "red-3"
    x, y = moved.mean(axis=0).round().astype(int)
    assert after.image_bgr[y, x].max() > 2 * np.median(after.image_bgr)


def test_the_same_number_is_the_same_sequence_and_an_empty_table_has_no_faults() -> None:
    """Three changes, none of them told late."""
    pictures = [pictured(np.full((720, 1280, 3), level, np.uint8)) for level in (60, 90, 120)]
    followed = [follow_changes(pictures, [3], load_reader(1), Followed()) for _ in range(2)]
    assert followed[0].figures() == followed[1].figures()
    figures = followed[0].figures()
    assert (figures["changes"], figures["never"], figures["phantoms"]) == (changes.CHANGES, 0, 0)


def test_noted_sequences_are_not_followed_again(tmp_path: Path) -> None:
    """What came of them is read from the notes and added up with what comes of new ones."""
    pictures = [pictured(np.full((720, 1280, 3), level, np.uint8)) for level in (60, 90, 120)]
    notes = tmp_path / "kept" / "photos.jsonl"
    both = follow_noted(pictures, [3, 4], load_reader(1), notes)
    assert len(notes.read_text("utf-8").splitlines()) == 2
    assert follow_noted((), [3, 4], load_reader(1), notes).figures() == both.figures()
    assert both.figures()["changes"] == 2 * changes.CHANGES
