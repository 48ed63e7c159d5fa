"""The JSON of a verdict: caveats of an incomplete check, and faults from before the turn."""

import pytest

from tests.support.known_tables import TOO_MANY_WAYS, judged_turn, table_reading
from tilekeeper.companion.web.schemas.verdict import VerdictJson
from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.engine.rules.house_rules import with_house_rules
from tilekeeper.engine.tiles.notation import parse_table

RULES = with_house_rules(rule_set("large-numbers"), ["stock.jokers=8"])
BEFORE, AFTER = TOO_MANY_WAYS


@pytest.mark.parametrize(
    ("after", "kind", "first"),
    [
        (AFTER, "undecided", "Please check together. Is it allowed?"),
        (f"{AFTER} | K13", "illegal", "Fix it and press Done again, or put everything back."),
    ],
)
def test_incomplete_check_gives_a_caveat(after: str, kind: str, first: str) -> None:
    """The caveat is separate from the advice, for an illegal turn and for an undecided one."""
    judged = judged_turn(RULES, BEFORE, table_reading(after))
    assert not judged.weighed.verdict.proved
    verdict = VerdictJson.from_judged(judged, None, 1)
    assert (verdict.kind, verdict.advice) == (kind, first)
    assert verdict.caveat == judged.weighed.verdict.caveats[0]


def test_complete_check_or_open_question_gives_no_caveat() -> None:
    """If a doubtful tile decides the verdict, only the question about it is shown."""
    proved = judged_turn(RULES, "R3 R4 R5", table_reading("R3 R4 R5 R6"))
    assert VerdictJson.from_judged(proved, None, 1).caveat == ""
    place = len(parse_table(AFTER).melds)
    doubtful = table_reading(f"{AFTER} | K13 B13 O12", doubts={(place, 2): "orange-13"})
    unsure = judged_turn(RULES, BEFORE, doubtful)
    assert not unsure.weighed.verdict.proved
    verdict = VerdictJson.from_judged(unsure, None, 1)
    assert (verdict.kind, verdict.advice, verdict.caveat) == ("unsure", "I can't read this tile. What is it?", "")


def test_faults_from_before_the_turn_are_listed_as_standing() -> None:
    """Whether the turn is legal or not; if a doubtful tile decides the verdict, only the question is shown."""

    def verdict_json(after: str, doubts: dict[tuple[int, int], str] | None = None) -> VerdictJson:
        judged = judged_turn(RULES, "R1 R2 | B1 B2 B3", table_reading(after, doubts))
        return VerdictJson.from_judged(judged, None, 1)

    note = (
        "Already wrong before the turn, so it does not count: red 1 and red 2: only 2 tiles, "
        "but a set needs at least 3."
    )
    legal, illegal = verdict_json("R1 R2 | B1 B2 B3 B4"), verdict_json("R1 R2 | B1 B2 B3 B5")
    assert (legal.kind, legal.standing, legal.faults) == ("legal", [note], [])
    assert (illegal.kind, illegal.standing, len(illegal.faults)) == ("illegal", [note], 1)
    unsure = verdict_json("R1 R2 | B1 B2 B3 B4", {(1, 3): "blue-5"})
    assert (unsure.kind, unsure.standing) == ("unsure", [])
