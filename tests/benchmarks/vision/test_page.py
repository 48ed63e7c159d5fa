"""What is printed and written of the figures: targets met or not, the pages, and drawings that are well-formed."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from tests.benchmarks.report import NOT_MEASURED, figure
from tests.benchmarks.vision.figures import FOULS, HARD, figures_of
from tests.benchmarks.vision.page import (
    as_document,
    bench_page,
    calibration_page,
    drawings,
    silence_lines,
    with_earlier,
    write_docs,
)
from tests.benchmarks.vision.run import Measured
from tests.support.doubts import doubts_if
from tilekeeper.models.evaluation.harder import WAYS
from tilekeeper.models.evaluation.measure import ScoredTile
from tilekeeper.vision.types import ReadTile, Sighting, TileNames

NAMES = TileNames(np.full(15, -np.log(15)), np.full(4, -np.log(4)))

COMMAND = "python -m tests.benchmarks vision"


def told(count: int, seed: int = 1) -> list[ScoredTile]:
    """Tiles of all confidences, honest ones."""
    rng = np.random.default_rng(seed)
    tiles = []
    for confidence in 1 - rng.random(count) ** 4:
        tile = ReadTile(
            Sighting(0, np.zeros((4, 2), np.float32), NAMES), "red-1", confidence, "joker", doubts_if(confidence < 0.9)
        )
        tiles.append(ScoredTile(tile, "red-1" if rng.random() < confidence else "red-7"))
    return tiles


def measured() -> Measured:
    hard = {"right": 0.991, "silent_per_1000": 0.4, "doubted": 0.01, "faults": ["a.jpg: red-1 missed"] * 30}
    figures = {
        "photos": {"missed_or_misnamed": 1, "invented": 0, "silent_per_1000": 0.0, "doubted": 0.0019, "faults": []},
        "hard photos": {"lamp": hard},
        "fouls": {"fouls": 20, "hidden": 0, "hidden_by_kind": {"6/9": "0 of 3"}, "faults": []},
    }
    return Measured(
        figures,
        {"rendered tables kept out": told(3000), "photos made hard": told(2000, 2)},
        0.9,
        {"shipped": {"classifier": "12ab"}},
    )


@pytest.mark.parametrize(("right", "silent", "met"), [(0.995, 0.0, True), (0.9949, 0.0, False), (1.0, 0.01, False)])
def test_a_target_is_met_where_every_number_is_within_its_bound(right: float, silent: float, met: bool) -> None:
    """Bounds are themselves within."""
    row = figure("lamp", HARD, {"right": right, "silent_per_1000": silent, "doubted": 0.03})
    assert row.met is met
    assert row.target == "right ≥ 0.995, silent per 1,000 ≤ 0, doubted ≤ 0.03"


def test_what_was_not_measured_is_neither_met_nor_missed() -> None:
    """Nothing at all, or not all that the row needs."""
    assert figure("lamp", HARD, None).reached == NOT_MEASURED
    assert figure("lamp", HARD, {"right": 1.0}).met is None
    assert figure("fouls", FOULS, {"hidden": 3}).reached == "hidden 3"


def test_every_target_has_its_row() -> None:
    """Also where nothing was measured: one row for each way of being harder, and all the rest."""
    rows = figures_of({})
    assert len(rows) == 19 + len(WAYS)
    assert {row.met for row in rows} == {None}
    assert {row.name for row in figures_of(measured().figures) if row.met is not None} == {
        "photos never seen, as they are",
        "photos never seen, a 2700 K lamp",
        "tables with a planted foul read as legal, nobody asked",
    }


def test_the_page_has_targets_details_and_some_faults() -> None:
    """Every figure, the first faults of each set and how many there are."""
    some = measured()
    page = bench_page(as_document(some, COMMAND))
    assert f"    {COMMAND} --docs docs" in page
    assert "| photos never seen, a 2700 K lamp | right ≥ 1, silent per 1,000 ≤ 0, doubted ≤ 0.02 |" in page
    assert "**not met**" in page
    assert page.count("* a.jpg: red-1 missed") == 25
    assert "the first 25 of 30" in page
    assert "6/9: 0 of 3" in page


def test_what_passes_in_silence_is_told_with_its_bound() -> None:
    """Of sets that count tiles, also of hidden ones; none seen is not none."""
    figures = {
        "photos": {"tiles": 2154, "silent_per_1000": 0.0, "doubted": 0.0023, "silent_unreadable": 0},
        "hidden on photos": {"hidden": 1000, "silent_per_1000": 1.0},
        "models": {"models_mb": 2.6},
    }
    page = "\n".join(silence_lines(figures))
    assert "| Photos as they are, all sessions and empty tables | 2154 | 0 | 0 | 0.00 | 1.71 | 2.3 |" in page
    assert "| Tiles of the photos hidden from the detector in turn | 1000 | 1 |  | 1.00 | 5.56 |  |" in page
    assert silence_lines({}) == []


@pytest.mark.parametrize(
    ("figures", "unseen", "told"),
    [
        ({"photos": {"right": 1.0}}, "12ab", "All is read by the networks that ship, which saw none of the photos"),
        ({"photos": {"right": 1.0}}, "34cd", "The photos are read by other networks than those that ship"),
        ({"models": {"models_mb": 2.6}}, None, "All is read by the networks that ship."),
    ],
    ids=["those that ship", "others", "no photos"],
)
def test_the_page_says_who_read_the_photos(figures: dict[str, dict[str, float]], unseen: str | None, told: str) -> None:
    """Others may be named for them; of photos that nobody read it says nothing."""
    networks = {"shipped": {"classifier": "12ab"}} | ({"unseen": {"classifier": unseen}} if unseen else {})
    lines = bench_page(as_document(Measured(figures, networks=networks), COMMAND)).splitlines()
    assert next(line for line in lines if "read by" in line).startswith(told)
    assert ("All else is read by those that ship" in "\n".join(lines)) == (unseen == "34cd")


def test_the_calibration_page_counts_every_set() -> None:
    """Both sets, a row for each threshold, and tiles that add up."""
    page = calibration_page(measured(), COMMAND)
    assert "## Rendered tables kept out" in page
    assert "3000 tiles read" in page
    assert "| 0.9 | " in page


def test_drawings_are_well_formed_and_stay_inside() -> None:
    """Two pictures that any browser draws; no point lies outside of its frame."""
    for drawing in drawings(measured()).values():
        root = ElementTree.fromstring(drawing)
        width, height = (float(root.attrib[side]) for side in ("width", "height"))
        circles = root.findall("{http://www.w3.org/2000/svg}circle")
        assert circles
        assert all(0 < float(c.attrib["cx"]) < width and 0 < float(c.attrib["cy"]) < height for c in circles)
        assert "rendered tables kept out" in drawing


def test_everything_is_written(tmp_path: Path) -> None:
    """Pages, drawings, and JSON that names the networks and the command."""
    some = measured()
    write_docs(tmp_path / "docs", some, as_document(some, COMMAND))
    names = {path.name for path in (tmp_path / "docs").iterdir()}
    assert names == {
        "bench-vision.json",
        "bench-vision.md",
        "calibration.md",
        "calibration-reliability.svg",
        "calibration-trade.svg",
    }
    document = json.loads((tmp_path / "docs" / "bench-vision.json").read_text())
    assert document["networks"] == {"shipped": {"classifier": "12ab"}}
    assert document["details"]["fouls"]["fouls"] == 20
    assert len(document["figures"]) == len(figures_of(some.figures))


def test_sets_that_were_not_in_a_run_stay_as_they_were_measured(tmp_path: Path) -> None:
    """With the command that measured each; what other networks reached does not."""
    some = measured()
    write_docs(tmp_path, some, as_document(some, COMMAND))
    fast = Measured({"models": {"MB": 4.35, "warm_s": 0.2}}, networks=some.networks)
    both = with_earlier(as_document(fast, f"{COMMAND} --only speed"), tmp_path)
    assert both["details"] == {**some.figures, **fast.figures}
    assert both["earlier"] == dict.fromkeys(some.figures, COMMAND)
    page = bench_page(both)
    assert f"    {COMMAND} --only speed --docs docs\n    {COMMAND} --docs docs\n" in page
    write_docs(tmp_path, fast, both)
    third = with_earlier(as_document(fast, f"{COMMAND} --only streams"), tmp_path)
    assert third["earlier"] == both["earlier"]
    strangers = Measured(fast.figures, networks={"shipped": {"classifier": "34cd"}})
    assert with_earlier(as_document(strangers, COMMAND), tmp_path)["details"] == fast.figures
