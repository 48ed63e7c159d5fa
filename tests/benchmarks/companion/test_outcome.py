"""Counts of judged turns, and their page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.benchmarks.companion.false_fouls import Game, count_outcomes, game_from_line
from tests.benchmarks.companion.figures import figures_of
from tests.benchmarks.companion.outcome import Outcome, same_table
from tests.benchmarks.companion.page import as_document, with_earlier, write_docs

HERE = {"networks": {"detector": "0"}, "machine": {"cores": 2, "python": "3.11.0"}}


def outcome(number: int, legal: bool, said: str, answered: str | None = None, kind: str = "6/9") -> Outcome:
    exact = said == ("legal" if legal else "illegal")
    causes, details = ((), ()) if exact else (("misnamed",), ("red-9 read as red-6 (0.9700)",))
    return Outcome(3, number, "mend" if legal else kind, legal, said, answered, number % 2 == 0, exact, causes, details)


@pytest.fixture
def outcomes() -> list[Outcome]:
    """Return one turn with each possible outcome."""
    return [
        outcome(0, True, "legal"),
        outcome(1, False, "illegal"),
        outcome(2, True, "illegal"),
        outcome(3, False, "legal", kind="short-meld"),
        outcome(4, True, "unsure", "legal"),
        outcome(5, False, "unsure", "legal"),
        outcome(6, True, "unread"),
    ]


def test_each_kind_of_failure_is_counted_once(outcomes: list[Outcome]) -> None:
    figures = count_outcomes([Game(3, tuple(outcomes)), Game(4, (), "R1 R2 R3 read as R1 R2")])
    assert (figures["turns"], figures["legal"], figures["illegal"], figures["games"]) == (7, 4, 3, 1)
    assert (figures["false_fouls"], figures["passed"]) == (1, 1)
    assert (figures["asked"], figures["not_judged"], figures["wrong_after_answer"]) == (3, 1, 1)
    assert figures["asked_share"] == pytest.approx(3 / 7)
    assert figures["asked_by_when_done_was_pressed"] == {"as the hand left": "2 of 4", "on the still table": "1 of 3"}
    assert figures["easily_confused"] == 2
    assert figures["fouls_by_kind"] == {"6/9": 2, "short-meld": 1}
    assert figures["causes"] == {"misnamed": 5}
    assert figures["games_not_begun"] == 1
    assert len(figures["faults"]) == 6
    assert figures["faults"][0].startswith("game 3, turn 2: legal (mend), the app said illegal (misnamed): red-9")


def test_game_is_restored_from_its_line(outcomes: list[Outcome]) -> None:
    game = Game(3, tuple(outcomes), "why")
    assert game_from_line(game.as_line()) == game


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("R1 R2 R3 | K7 B7 O7", "O7 B7 K7 | R1 R2 R3", True),
        ("R1 R2 R3", "R3 R2 R1", True),
        ("R1 R2 R3", "R1 R3 R2", False),
        ("R1 R2 R3", "R1 R2 R3 R4", False),
    ],
)
def test_tables_with_melds_in_another_order_are_equal(one: str, other: str, same: bool) -> None:
    assert same_table(one, other) is same


def test_page_has_targets_figures_and_turns(outcomes: list[Outcome], tmp_path: Path) -> None:
    """Only the JSON lists the faults."""
    measured = {**HERE, "fouls": count_outcomes([Game(3, tuple(outcomes))])}
    rows = figures_of(measured)
    assert [row.met for row in rows] == [False, False, *[None] * (len(rows) - 2)]
    assert rows[0].reached == "legal called illegal 1, illegal passed 1, in an evening of 120 turns 34.286"
    write_docs(tmp_path, as_document(measured, "python -m tests.benchmarks companion --turns 7"))
    page = (tmp_path / "bench-companion.md").read_text("utf-8")
    assert "python -m tests.benchmarks companion --turns 7 --docs docs" in page
    cells = "in an evening of 120 turns ≤ 1 | in an evening of 120 turns 51.43"
    assert f"| rendered turns, questions | {cells} | **not met** |" in page
    assert "| rendered turns | 7 | 1 | 1 |" in page
    assert "game 3, turn" not in page
    document = json.loads((tmp_path / "bench-companion.json").read_text("utf-8"))
    assert document["parts"]["fouls"]["false_fouls"] == 1


def test_parts_of_earlier_runs_stay_on_the_page(tmp_path: Path) -> None:
    """New figures replace older ones, and the page marks parts that other networks measured."""
    start = {"starts": 5, "median_s": 1.5}
    write_docs(tmp_path, as_document({**HERE, "start": start, "memory": {"most_mb": 300.0}}, "first"))
    second = with_earlier(as_document({**HERE, "start": start | {"median_s": 2.5}}, "second"), tmp_path)
    assert {name: figures["command"] for name, figures in second["parts"].items()} == {
        "start": "second",
        "memory": "first",
    }
    assert second["parts"]["start"]["median_s"] == 2.5
    write_docs(tmp_path, second)
    other = HERE | {"networks": {"detector": "1"}}
    third = with_earlier(as_document({**other, "start": start}, "third"), tmp_path)
    assert third["parts"]["memory"] == second["parts"]["memory"] | {"networks": HERE["networks"]}
    assert "networks" not in third["parts"]["start"]
    write_docs(tmp_path, third)
    said = "Measured with the networks of an earlier version: *memory*."
    assert said in (tmp_path / "bench-companion.md").read_text("utf-8")
    fourth = with_earlier(as_document({**other, "memory": {"most_mb": 310.0}}, "fourth"), tmp_path)
    assert not any("networks" in figures for figures in fourth["parts"].values())
    assert with_earlier(as_document({**HERE, "start": start}, "fifth"), tmp_path)["parts"] == {
        "start": start | {"command": "fifth"},
        "memory": second["parts"]["memory"],
    }
