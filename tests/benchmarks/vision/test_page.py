"""The page of the reader's figures: targets, upper bounds, and the results of earlier runs."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.benchmarks.report import NOT_MEASURED, figure
from tests.benchmarks.vision.figures import FOULS, HARD, figures_of
from tests.benchmarks.vision.page import (
    as_document,
    bench_page,
    set_lines,
    with_earlier,
    write_docs,
)
from tests.benchmarks.vision.run import Measured
from tests.support.doubts import doubts_if
from tilekeeper.models.evaluation.harder import WAYS
from tilekeeper.models.evaluation.measure import ScoredTile
from tilekeeper.vision.types import LabelProbabilities, ReadTile, Sighting

NAMES = LabelProbabilities(np.full(15, -np.log(15)), np.full(4, -np.log(4)))

COMMAND = "python -m tests.benchmarks vision"


def scored_tiles(count: int, seed: int = 1) -> list[ScoredTile]:
    """Return tiles with calibrated confidences of all values."""
    rng = np.random.default_rng(seed)
    tiles = []
    for confidence in 1 - rng.random(count) ** 4:
        tile = ReadTile(
            Sighting(0, np.zeros((4, 2), np.float32), NAMES), "red-1", confidence, "joker", doubts_if(confidence < 0.9)
        )
        tiles.append(ScoredTile(tile, "red-1" if rng.random() < confidence else "red-7"))
    return tiles


def measured() -> Measured:
    hard = {"tiles": 5000, "right": 0.991, "silent_per_1000": 0.4, "doubted": 0.01, "faults": ["a.jpg: red-1 missed"]}
    figures = {
        "photos": {"missed_or_misnamed": 1, "invented": 0, "silent_per_1000": 0.0, "doubted": 0.0019, "faults": []},
        "hard photos": {"lamp": hard},
        "fouls": {"fouls": 20, "hidden": 0, "hidden_by_kind": {"6/9": "0 of 3"}, "faults": []},
    }
    return Measured(
        figures,
        {"rendered tables, held out": scored_tiles(3000), "photos made hard": scored_tiles(2000, 2)},
        0.9,
        {"shipped": {"classifier": "12ab"}},
    )


@pytest.mark.parametrize(("right", "silent", "met"), [(0.995, 0.0, True), (0.9949, 0.0, False), (1.0, 0.01, False)])
def test_target_is_met_if_every_number_is_within_its_bound(right: float, silent: float, met: bool) -> None:
    """A value equal to its bound is within it."""
    row = figure("lamp", HARD, {"right": right, "silent_per_1000": silent, "doubted": 0.03})
    assert row.met is met
    assert row.target == "right ≥ 0.995, silent errors per 1,000 ≤ 0, flagged ≤ 0.03"


def test_figure_without_measurement_is_neither_met_nor_missed() -> None:
    """Some or all of the numbers of the row are missing."""
    assert figure("lamp", HARD, None).reached == NOT_MEASURED
    assert figure("lamp", HARD, {"right": 1.0}).met is None
    assert figure("fouls", FOULS, {"hidden": 3}).reached == "hidden 3"


def test_every_target_has_a_row_without_any_measurement() -> None:
    """There is one row for each degradation."""
    rows = figures_of({})
    assert len(rows) == 22 + len(WAYS)
    assert {row.met for row in rows} == {None}
    assert {row.name for row in figures_of(measured().figures) if row.met is not None} == {
        "photos",
        "photos, a 2700 K lamp",
        "planted fouls that read as legal, with no question",
    }


def test_page_has_commands_and_a_row_per_figure_and_no_faults() -> None:
    """The faults are only in the JSON."""
    page = bench_page(as_document(measured(), COMMAND))
    assert f"    {COMMAND} --docs docs" in page
    assert "| photos, a 2700 K lamp | 5000 | 0.9910 | 2 | 1.44 | 10.0 | 0 | **not met** |" in page
    assert "| planted fouls that read as legal, with no question | hidden ≤ 0 | hidden 0 | met |" in page
    assert "Calibration error of the confidence, photos made hard: " in page
    assert "red-1 missed" not in page


def test_silent_errors_have_an_upper_bound() -> None:
    """Without any observed error the bound depends on the number of tiles."""
    photos = {"tiles": 2154, "right": 1.0, "missed_or_misnamed": 0, "invented": 0}
    page = "\n".join(set_lines({"photos": {**photos, "silent_per_1000": 0.0, "doubted": 0.0023}}))
    assert "| photos | 2154 | 1.0000 | 0 | 1.71 | 2.3 | 0 | met |" in page
    assert len(set_lines({"models": {"models_mb": 2.6}})) == 2


@pytest.mark.parametrize(
    ("figures", "unseen", "sentence"),
    [
        (
            {"photos": {"right": 1.0}},
            "12ab",
            "The shipped networks read every set. They were trained on",
        ),
        ({"photos": {"right": 1.0}}, "34cd", "Other networks than the shipped ones read the photos"),
        ({"models": {"models_mb": 2.6}}, None, "The shipped networks read every set."),
    ],
    ids=["those that ship", "others", "no photos"],
)
def test_page_names_the_networks_that_read_the_photos(
    figures: dict[str, dict[str, float]], unseen: str | None, sentence: str
) -> None:
    """Other networks may read the photos; without photos the page does not mention them."""
    networks = {"shipped": {"classifier": "12ab"}} | ({"unseen": {"classifier": unseen}} if unseen else {})
    lines = bench_page(as_document(Measured(figures, networks=networks), COMMAND)).splitlines()
    assert lines[2].startswith(sentence)
    assert ("The shipped networks read every other set" in "\n".join(lines)) == (unseen == "34cd")


def test_confidence_of_each_set_is_counted() -> None:
    """The confidences of the tiles are calibrated, so the calibration error is small."""
    details = as_document(measured(), COMMAND)["details"]
    on_tables = details["confidence, rendered tables, held out"]
    assert on_tables["tiles"] == 3000
    assert 0 < on_tables["wrong"] < 3000
    assert on_tables["error"] < 0.02
    assert details["confidence, photos made hard"]["tiles"] == 2000


def test_page_and_json_are_written(tmp_path: Path) -> None:
    """The JSON has the digests of the networks."""
    all_measured = measured()
    write_docs(tmp_path / "docs", as_document(all_measured, COMMAND))
    assert {path.name for path in (tmp_path / "docs").iterdir()} == {"bench-vision.json", "bench-vision.md"}
    document = json.loads((tmp_path / "docs" / "bench-vision.json").read_text())
    assert document["networks"] == {"shipped": {"classifier": "12ab"}}
    assert document["details"]["fouls"]["fouls"] == 20
    assert len(document["figures"]) == len(figures_of(all_measured.figures))


def test_earlier_sets_stay_for_the_same_networks(tmp_path: Path) -> None:
    """They stay with the command that measured them. Figures of other networks are dropped."""
    all_measured = measured()
    first = as_document(all_measured, COMMAND)
    write_docs(tmp_path, first)
    fast = Measured({"models": {"MB": 4.35, "warm_s": 0.2}}, networks=all_measured.networks)
    both = with_earlier(as_document(fast, f"{COMMAND} --only speed"), tmp_path)
    assert both["details"] == {**first["details"], **fast.figures}
    assert both["earlier"] == dict.fromkeys(first["details"], COMMAND)
    page = bench_page(both)
    assert f"    {COMMAND} --only speed --docs docs\n    {COMMAND} --docs docs\n" in page
    write_docs(tmp_path, both)
    third = with_earlier(as_document(fast, f"{COMMAND} --only streams"), tmp_path)
    assert third["earlier"] == both["earlier"]
    other_networks = Measured(fast.figures, networks={"shipped": {"classifier": "34cd"}})
    assert with_earlier(as_document(other_networks, COMMAND), tmp_path)["details"] == fast.figures
