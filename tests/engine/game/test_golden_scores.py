"""Scores and stars agree with the golden files in `golden_scores/`."""

from fractions import Fraction
from pathlib import Path

import pytest

from tests.support.games import rack
from tilekeeper.engine.game.score_sheet import ScoreSheet
from tilekeeper.engine.game.scoring import RoundScore, rack_left, score_round
from tilekeeper.engine.game.stars import turn_stars
from tilekeeper.engine.judge.judge import judge
from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.engine.tiles.notation import parse_table

FOLDER = Path(__file__).parent / "golden_scores"


def golden(name: str) -> list[dict[str, str]]:
    """Return the entries of a golden file, with values as text."""
    entries = []
    for block in (FOLDER / f"{name}.txt").read_text(encoding="utf-8").split("\n\n"):
        lines = [line for line in block.splitlines() if not line.startswith("#")]
        if lines:
            entries.append({key: value.strip() for key, _, value in (line.partition(":") for line in lines)})
    return entries


def name(entry: dict[str, str]) -> str:
    """Return the id of an entry in a report."""
    return f"{entry['rules']}: {entry['source']}"


def scored(entry: dict[str, str]) -> RoundScore:
    """Return the score of the round with the racks of an entry."""
    rules = rule_set(entry["rules"])
    racks = [rack("" if text.strip() == "-" else text) for text in entry["racks"].split("/")]
    racks_left = [rack_left(tiles, rules.scoring) for tiles in racks]
    return score_round(racks_left, racks.index(()) if () in racks else None, rules)


@pytest.mark.parametrize("entry", golden("rounds"), ids=name)
def test_round_is_scored_like_the_golden_file(entry: dict[str, str]) -> None:
    """Printed results and rulings."""
    score = scored(entry)
    assert list(score.points) == [Fraction(word) for word in entry["points"].split()]
    assert list(score.winners) == [int(word) for word in entry["winners"].split()]
    assert not score.zero_sum or sum(score.points) == 0


@pytest.mark.parametrize("edition", ["large-numbers", "finnish", "travel", "cards"])
def test_first_three_golden_rounds_are_the_printed_sheet(edition: str) -> None:
    """Scored from racks; their totals too."""
    sheet = ScoreSheet(tuple("ABCD"), rule_set(edition).scoring.totals)
    for entry in [entry for entry in golden("rounds") if entry["rules"] == edition][:3]:
        sheet = sheet.with_round(scored(entry))
    assert sheet.totals == (-14, -29, 4, 39)
    assert sheet.leaders == (3,)
    assert (sheet.unbalanced_rounds, sheet.imbalance) == ((), 0)


@pytest.mark.parametrize("entry", golden("stars"), ids=name)
def test_turn_earns_the_stars_of_the_golden_file(entry: dict[str, str]) -> None:
    """Legal turns of `junior`."""
    rules = rule_set(entry["rules"])
    assert rules.stars is not None
    verdict = judge(parse_table(entry["before"]), parse_table(entry["after"]), TurnContext(rules, opened=True))
    assert verdict.legal
    assert turn_stars(verdict, entry.get("emptied") == "yes", rules.stars) == int(entry["stars"])


def test_golden_files_hold_the_expected_number_of_entries() -> None:
    """So that a wrong path does not pass as success."""
    assert {entry["rules"] for entry in golden("rounds")} == {"large-numbers", "finnish", "travel", "cards"}
    assert len(golden("stars")) == 16
