"""The scorer counts found, right, false, exact, silent and flagged tiles, and the published script agrees."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tilekeeper.models.evaluation.score import Prediction, Tally, Truth, ignored, match, rows_right

NO_BOXES = np.zeros((0, 4))


def quad(x: float, y: float, width: float = 20.0) -> np.ndarray:
    """Return an upright tile at `x, y`."""
    half = np.array([width / 2, 0.7 * width])
    return np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * half + (x, y)


def truth_of(*places: tuple[float, float], cut: frozenset[int] = frozenset(), boxes: np.ndarray = NO_BOXES) -> Truth:
    """Return the truth of tiles red-1, red-2 ... at these places."""
    quads = tuple(quad(x, y) for x, y in places)
    labels = tuple(f"red-{i + 1}" for i in range(len(places)))
    corners = np.array(quads).reshape(-1, 4, 2)
    return Truth(labels, quads, tuple(i in cut for i in range(len(places))), boxes, corners)


def figures_of(truth: Truth, *predictions: Prediction) -> dict[str, float]:
    """Return the figures of one image."""
    tally = Tally()
    tally.add("a.jpg", truth, predictions)
    return tally.figures()


ROW = truth_of((20, 20), (42, 20), (64, 20))
ALL = (
    Prediction("red-1", quad(21, 20), False),
    Prediction("red-2", quad(42, 21), False),
    Prediction("red-3", quad(63, 20), False),
)


@pytest.mark.parametrize(
    ("what", "predictions", "wanted"),
    [
        ("everything right", ALL, (3, 3, 0, 1, 0, 0)),
        ("one missed", ALL[:2], (2, 2, 0, 0, 1, 0)),
        ("one misnamed in silence", (*ALL[:2], Prediction("red-8", quad(64, 20), False)), (3, 2, 0, 0, 1, 0)),
        ("one misnamed and doubted", (*ALL[:2], Prediction("red-8", quad(64, 20), True)), (3, 2, 0, 0, 0, 0)),
        ("one right and doubted", (*ALL[:2], Prediction("red-3", quad(64, 20), True)), (3, 3, 0, 1, 0, 1)),
        ("one invented", (*ALL, Prediction("red-8", quad(20, 90), False)), (3, 3, 1, 0, 1, 0)),
        ("one invented and doubted", (*ALL, Prediction("red-8", quad(20, 90), True)), (3, 3, 1, 0, 0, 0)),
        ("one read twice", (*ALL, Prediction("red-3", quad(66, 20), False)), (3, 3, 1, 0, 1, 0)),
        ("nothing read", (), (0, 0, 0, 0, 3, 0)),
    ],
)
def test_each_kind_of_outcome_is_counted(
    what: str, predictions: tuple[Prediction, ...], wanted: tuple[int, ...]
) -> None:
    """`wanted` is found, right, false, exact (per image), silent and flagged."""
    tally = Tally()
    tally.add("a.jpg", ROW, predictions)
    assert (tally.found, tally.right, tally.invented, tally.exact, tally.silent, tally.doubted) == wanted
    assert len(tally.faults) == (3 - tally.right) + tally.invented
    assert all(fault.startswith("a.jpg: ") for fault in tally.faults)


def test_nearer_one_of_two_read_tiles_matches() -> None:
    """The order does not matter, and the other tile is a false detection."""
    far, near = Prediction("red-9", quad(26, 20), False), Prediction("red-1", quad(21, 20), False)
    for predictions in ((far, near), (near, far)):
        figures = figures_of(truth_of((20, 20)), *predictions)
        assert figures["right"] == 1
        assert figures["invented"] == 1


def test_cut_tiles_do_not_count() -> None:
    """A cut tile may be missed, misread or right, and a read tile at its place is no false detection."""
    truth = truth_of((20, 20), (42, 20), cut=frozenset({1}))
    right_tile = Prediction("red-1", quad(20, 20), False)
    for predictions in (
        (right_tile,),
        (right_tile, Prediction("red-2", quad(42, 20), False)),
        (right_tile, Prediction("red-7", quad(42, 20), False)),
    ):
        figures = figures_of(truth, *predictions)
        assert figures["tiles"] == 1
        assert figures["exact"] == 1
        assert figures["invented"] == figures["silent_per_1000"] == 0


def test_cut_tile_takes_no_match_from_a_whole_one() -> None:
    """The read tile is nearer to the centre of the cut tile, which comes first."""
    truth = truth_of((20, 20), (22, 22), cut=frozenset({0}))
    prediction = Prediction("red-2", quad(20, 20), False)
    assert match(truth, [prediction]) == [None, 0]
    assert figures_of(truth, prediction)["exact"] == 1


def test_ignored_box_excuses_false_detections_but_no_misses() -> None:
    """True tiles in the box still count."""
    truth = truth_of((20, 20), boxes=np.array([[0.0, 0.0, 100.0, 40.0]]))
    stray = Prediction("red-7", quad(80, 30), False)
    assert figures_of(truth, Prediction("red-1", quad(20, 20), False), stray)["exact"] == 1
    assert figures_of(truth, stray)["missed_or_misnamed"] == 1
    assert ignored(truth, [stray, Prediction("red-7", quad(80, 41), False)]) == {0}


def test_images_without_tiles_have_figures() -> None:
    """Neither an empty table nor an empty tally divides by zero."""
    assert figures_of(truth_of())["exact"] == 1
    assert figures_of(truth_of(), Prediction("joker", quad(5, 5), True))["exact"] == 0
    assert Tally().figures()["right"] == 0


def test_corner_error_is_in_widths_and_separate_from_the_way_up() -> None:
    """A shift of 2 px on a tile of 20 px is 0.1; a quad with another first corner is not upright."""
    turned = np.roll(quad(20, 20), 2, axis=0)
    tally = Tally()
    tally.add("a.jpg", truth_of((20, 20)), [Prediction("red-1", quad(22, 20), False)])
    tally.add("b.jpg", truth_of((20, 20)), [Prediction("red-1", turned, False)])
    assert tally.figures()["corner_error_of_width"] == pytest.approx(0.05)
    assert tally.figures()["upright"] == 0.5


def test_matches_map_true_tiles_to_read_tiles() -> None:
    """A missed tile has None, and each read tile matches once."""
    predictions = [Prediction("red-3", quad(64, 20), False), Prediction("red-1", quad(20, 20), False)]
    assert match(ROW, predictions) == [1, None, 0]
    both = Truth(("red-1", "red-2"), (quad(20, 20), quad(22, 20)), (False, False), NO_BOXES)
    assert match(both, predictions) == [1, None]


@pytest.mark.parametrize(
    ("what", "read_rows", "right"),
    [
        ("as they lie", [(0, 1, 2), (3, 4)], True),
        ("in another order of rows", [(3, 4), (0, 1, 2)], True),
        ("mirrored", [(2, 1, 0), (4, 3)], True),
        ("in another order of tiles", [(0, 2, 1), (3, 4)], False),
        ("one row parted", [(0, 1), (2,), (3, 4)], False),
        ("two rows joined", [(0, 1, 2, 3, 4)], False),
        ("a tile in the wrong row", [(0, 1), (2, 3, 4)], False),
        ("a row missing", [(0, 1, 2)], False),
        ("an invented tile that lies alone", [(0, 1, 2), (3, 4), (5,)], False),
        ("an invented tile in a row", [(0, 1, 2, 5), (3, 4)], False),
    ],
)
def test_melds_are_right_only_as_a_whole(what: str, read_rows: list[tuple[int, ...]], right: bool) -> None:
    """All melds must be complete and in order. A meld equals its mirror image."""
    assert rows_right([(0, 1, 2), (3, 4)], read_rows, [0, 1, 2, 3, 4], frozenset()) is right


def test_melds_are_compared_by_true_indices() -> None:
    """Read tiles have other indices; a missed tile makes its meld wrong."""
    assert rows_right([(0, 1), (2,)], [(2, 0), (1,)], [2, 0, 1], frozenset())
    assert not rows_right([(0, 1), (2,)], [(0,), (1,)], [0, None, 1], frozenset())


def test_cut_and_ignored_tiles_are_removed_from_melds() -> None:
    """They may be single or in a row."""
    cut = frozenset({2})
    for matches, read in (([0, 1, None], [(0, 1)]), ([0, 1, 2], [(0, 1, 2)]), ([0, 1, 2], [(0, 1), (2,)])):
        assert rows_right([(0, 1, 2)], read, matches, cut)
    assert rows_right([(0, 1)], [(5, 0, 1), (6,)], [0, 1], frozenset(), frozenset({5, 6}))
    assert not rows_right([(0, 1)], [(5, 0, 1), (6,)], [0, 1], frozenset(), frozenset({5}))
    # a true tile inside an ignored box still counts
    assert not rows_right([(0, 1)], [(0,), (1,)], [0, 1], frozenset(), frozenset({0, 1}))


@pytest.fixture
def script(photos_folder: Path) -> Path:
    """Return the published scorer, beside the photos."""
    path = photos_folder.parent / "score_reading.py"
    if not path.is_file():
        pytest.skip(f"no score_reading.py in {path.parent}")
    return path


def random_reading(rng: np.random.Generator, tiles: list[dict]) -> list[dict]:
    """Return a reading with missed, misread, flagged, shifted, duplicate and false tiles."""
    read = []
    for tile in tiles:
        polygon = np.array(tile["polygon_px"])
        low, high = polygon.min(axis=0), polygon.max(axis=0)
        box = np.array([low, [high[0], low[1]], high, [low[0], high[1]]])
        for _ in range(int(rng.choice([0, 1, 2], p=[0.05, 0.9, 0.05]))):
            shift = rng.normal(0, 0.25, 2) * (high - low)
            label = tile["label"] if rng.random() < 0.9 else "blue-13"
            read.append({"label": label, "corners_px": (box + shift).tolist(), "doubtful": bool(rng.random() < 0.15)})
    for _ in range(int(rng.integers(0, 3))):
        box = quad(rng.uniform(0, 750), rng.uniform(0, 750), 60)
        read.append({"label": "joker", "corners_px": box.tolist(), "doubtful": bool(rng.random() < 0.5)})
    return [read[i] for i in rng.permutation(len(read))]


def test_published_script_gives_the_same_figures_on_the_real_photos(
    script: Path, photos_folder: Path, tmp_path: Path
) -> None:
    """The readings of all 204 photos are random, with some ignored boxes."""
    rng = np.random.default_rng(11)
    photos = json.loads((photos_folder / "photos.json").read_text("utf-8"))["photos"]
    tally, readings = Tally(), []
    for photo in photos:
        photo["ignore_px"] = [[0, 0, 300, 200]] if rng.random() < 0.4 else []
        read = random_reading(rng, photo["tiles"])
        readings.append({"file": f"images/{photo['file']}", "tiles": read})
        truth = Truth(
            tuple(t["label"] for t in photo["tiles"]),
            tuple(np.array(t["polygon_px"]) for t in photo["tiles"]),
            tuple(t["cut"] for t in photo["tiles"]),
            np.array(photo["ignore_px"]).reshape(-1, 4),
        )
        tally.add(
            photo["file"], truth, [Prediction(t["label"], np.array(t["corners_px"]), t["doubtful"]) for t in read]
        )
    (tmp_path / "truth.json").write_text(json.dumps({"photos": photos}), "utf-8")
    (tmp_path / "readings.json").write_text(json.dumps({"photos": readings}), "utf-8")
    arguments = [sys.executable, str(script), str(tmp_path / "truth.json"), str(tmp_path / "readings.json")]
    *faults, line = subprocess.run(arguments, capture_output=True, text=True, check=True).stdout.splitlines()
    figures = tally.figures()
    assert line == (
        f"photos {figures['photos']} tiles {figures['tiles']} found {figures['found']:.4f} "
        f"right {figures['right']:.4f} spurious {figures['spurious_per_1000']:.1f} exact {figures['exact']:.4f} "
        f"silent {figures['silent_per_1000']:.1f} doubted {figures['doubted']:.4f}"
    )
    assert len(faults) == len(tally.faults)
    assert 0.5 < figures["right"] < 0.95
    assert figures["invented"] > 50
