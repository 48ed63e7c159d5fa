"""Each part of the eye can be switched off, and what that changes is counted."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from tests.benchmarks.vision.ablation import Shown, chance, held_against, lines_in, table, verdict
from tests.benchmarks.vision.remembered_networks import RememberedCrops, RememberedPictures
from tests.benchmarks.vision.switches import replaced, switches
from tilekeeper.models.evaluation.measure import Pictured
from tilekeeper.models.evaluation.score import Truth
from tilekeeper.vision.geometry import table_plane
from tilekeeper.vision.scoring import calibration, tileness

TRUTH = Truth((), (), (), np.zeros((0, 4)))
NOTHING = {"tiles": 2, "wrong": 0, "silent": 0, "melds": 0, "doubted": 0, "turned": 0, "corners": 0.0, "told": "a"}


class Doubling:
    """A network that doubles what it is shown, and counts how much that was."""

    def __init__(self) -> None:
        self.shown = 0

    def run(self, outputs: Sequence[str] | None, feeds: Mapping[str, np.ndarray]) -> list[np.ndarray]:
        (values,) = feeds.values()
        self.shown += len(values)
        return [2.0 * values.reshape(len(values), -1) for _ in outputs or ("maps",)]


def shown(part: str) -> Shown:
    return Shown(part, Pictured("a.jpg", "melds", TRUTH, None, lambda: np.zeros((8, 8, 3), np.uint8)))


def test_crops_are_answered_once_and_in_the_order_of_each_call() -> None:
    network = Doubling()
    remembered = RememberedCrops(network, ("logits", "features"))
    crops = np.arange(12.0).reshape(3, 4)
    first = remembered.run(["logits"], {"crops": crops})[0]
    again = remembered.run(["logits", "features"], {"crops": crops[[2, 0, 2]]})
    np.testing.assert_array_equal(first, 2 * crops)
    np.testing.assert_array_equal(again[1], 2 * crops[[2, 0, 2]])
    assert (network.shown, remembered.asked) == (3, 6)


def test_of_the_finders_maps_what_could_be_a_tile_is_kept() -> None:
    class Maps:
        def run(self, outputs: Sequence[str] | None, feeds: Mapping[str, np.ndarray]) -> list[np.ndarray]:
            return [np.array([[[[-9.0, 1.0]], [[4.0, 5.0]]]], np.float32)]

    remembered = RememberedPictures(Maps())
    for _ in range(2):
        maps = remembered.run(None, {"picture": np.zeros((1, 2, 2, 3), np.uint8)})[0]
        np.testing.assert_array_equal(maps, [[[[-60.0, 1.0]], [[0.0, 5.0]]]])


def test_a_replaced_name_is_replaced_where_it_is_imported_and_comes_back() -> None:
    before = table_plane.straightened
    with replaced("geometry.table_plane", {"straightened": len}):
        from tilekeeper.vision.recognition.refinement import refine

        assert refine.straightened is len
        assert table_plane.straightened is len
    assert refine.straightened is before


def test_every_switch_finds_what_it_switches_off() -> None:
    middles = {"calibration": np.zeros(len(calibration.SIGNS)), "tileness": np.zeros(len(tileness.SIGNS))}
    every = switches(middles)
    assert len({switch.name for switch in every}) == len(every) > 100
    for switch in every:
        with switch.off():
            pass


@pytest.mark.parametrize(("worse", "better", "expected"), [(0, 0, 1.0), (6, 0, 0.03125), (1, 1, 1.0), (3, 0, 0.25)])
def test_chance_is_that_of_a_fair_coin(worse: int, better: int, expected: float) -> None:
    assert chance(worse, better) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        ([NOTHING] * 6, "never acts"),
        ([NOTHING | {"wrong": 1, "told": "b"}] * 6, "pays"),
        ([NOTHING | {"wrong": 1, "told": "b"}] * 2 + [NOTHING] * 4, "can't tell"),
        ([NOTHING | {"told": "b"}] + [NOTHING] * 5, "brings nothing"),
    ],
)
def test_the_verdict_is_by_what_got_worse(now: list[dict[str, Any]], expected: str) -> None:
    parts = held_against([shown("photos")] * 6, [NOTHING] * 6, now)
    assert verdict(parts) == expected


def test_what_was_measured_of_other_code_is_measured_again(tmp_path: Any) -> None:
    path = tmp_path / "ablation.jsonl"
    path.write_text('{"switch": "a", "code": "old"}\n{"switch": "b", "code": "new"}\n')
    assert list(lines_in(path, {"code": "new"})) == ["b"]


def test_the_table_tells_each_loss_by_set() -> None:
    parts = held_against([shown("photos")], [NOTHING], [NOTHING | {"silent": 2, "told": "b"}])
    line = {"switch": "look round", "verdict": verdict(parts), "crops": -3, "seconds": 1.5, "parts": parts}
    assert "| look round | can't tell | 1 | silent +2 (1:0) | – | – | – | – | -3 | 1.5 |" in table([line])
