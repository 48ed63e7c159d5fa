"""The judge agrees with every golden turn in `golden/`, code for code."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tilekeeper.engine.judge.judge import judge
from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.engine.rules.house_rules import with_house_rules
from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.engine.rules.violations import Code
from tilekeeper.engine.tiles.notation import parse_table
from tilekeeper.engine.tiles.tile import Tile

FOLDER = Path(__file__).parent / "golden"
KEYS = {"rules", "house", "before", "after", "opened", "expect", "standing", "placed", "points", "opens", "source"}


@dataclass(frozen=True, slots=True)
class GoldenTurn:
    """One turn of a golden file, with values as text."""

    where: str
    values: dict[str, str]


def golden_turns() -> Iterator[GoldenTurn]:
    for path in sorted(FOLDER.glob("*.txt")):
        values: dict[str, str] = {}
        for number, line in enumerate([*path.read_text(encoding="utf-8").splitlines(), ""], start=1):
            if line.startswith("#"):
                continue
            if line:
                key, colon, value = line.partition(":")
                assert colon, f"{path.name}:{number}: {line}"
                assert key in KEYS - values.keys(), f"{path.name}:{number}: {line}"
                values[key] = value.strip()
            elif values:
                yield GoldenTurn(f"{path.stem}:{number - len(values)}", values)
                values = {}


def tiles(text: str) -> tuple[Tile, ...]:
    return tuple(tile for meld in parse_table(text).melds for tile in meld)


@pytest.mark.parametrize("turn", tuple(golden_turns()), ids=lambda turn: turn.where)
def test_verdict_agrees_with_the_golden_turn(turn: GoldenTurn) -> None:
    """The same codes, and the expected counts."""
    values = turn.values
    assert values["opened"] in {"yes", "no"}
    assert values["source"]
    rules = with_house_rules(rule_set(values["rules"]), values.get("house", "").split())
    context = TurnContext(rules, opened=values["opened"] == "yes")
    verdict = judge(parse_table(values["before"]), parse_table(values["after"]), context)
    expected = [] if values["expect"] == "legal" else sorted(values["expect"].split())
    assert sorted(violation.code.value for violation in verdict.violations) == expected
    assert verdict.legal == (values["expect"] == "legal")
    standing = sorted(values.get("standing", "").split())
    assert sorted(fault.code.value for fault in verdict.standing) == standing
    if "placed" in values:
        assert verdict.placed == tiles(values["placed"])
    if "points" in values:
        assert ("none" if verdict.points is None else str(verdict.points)) == values["points"]
    if "opens" in values:
        assert verdict.opens == (values["opens"] == "yes")


def test_golden_files_hold_the_expected_number_of_turns() -> None:
    """So that a wrong path does not pass as success."""
    files = {turn.where.split(":")[0] for turn in golden_turns()}
    assert files >= {
        *("jokers", "melds", "opening", "rulebook_examples", "turns"),
        *("cards", "finnish", "house", "junior", "travel"),
    }


def test_each_code_has_a_golden_turn() -> None:
    """There is also a turn with several violations."""
    expected = [turn.values["expect"].split() for turn in golden_turns()]
    assert {code for codes in expected for code in codes} == {"legal", *map(str, Code)}
    assert max(map(len, expected)) >= 4
