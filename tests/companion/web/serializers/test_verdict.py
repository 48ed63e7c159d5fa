"""A verdict as the page shows it, by itself: what is said where the judge could not look into everything."""

import pytest

from tests.support.known_tables import TOO_MANY_WAYS, table_reading, turn_done
from tilekeeper.companion.adjudication.turn import Turn
from tilekeeper.companion.web.schemas.table import VerdictJson
from tilekeeper.companion.web.serializers.verdict import verdict_json
from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.engine.rules.house_rules import with_house_rules
from tilekeeper.engine.tiles.notation import parse_table

RULES = with_house_rules(rule_set("large-numbers"), ["stock.jokers=8"])
BEFORE, AFTER = TOO_MANY_WAYS


@pytest.mark.parametrize(
    ("after", "kind", "first"),
    [
        (AFTER, "legal", "The next turn starts from this table."),
        (f"{AFTER} | K13", "illegal", "Fix it and press Done again, or put everything back."),
    ],
)
def test_what_could_not_be_looked_into_is_said(after: str, kind: str, first: str) -> None:
    """In a line of its own beside the advice, whether the turn is legal or not."""
    turn = turn_done(Turn(RULES, opened=True).begin(table_reading(BEFORE)), table_reading(after), 1)
    assert turn.judged is not None
    assert not turn.judged.weighed.verdict.proved
    said = verdict_json(turn.judged, None, 1, photos=False)
    assert (said["kind"], said["advice"]) == (kind, first)
    assert said["caveat"] == turn.judged.weighed.verdict.caveats[0]


def test_it_is_not_said_where_all_is_proved_or_tiles_are_asked_about() -> None:
    """While a doubtful tile turns the verdict that tile is asked about, and nothing else is said."""
    proved = turn_done(Turn(RULES, opened=True).begin(table_reading("R3 R4 R5")), table_reading("R3 R4 R5 R6"), 1)
    assert proved.judged is not None
    assert verdict_json(proved.judged, None, 1, False)["caveat"] == ""
    place = len(parse_table(AFTER).melds)
    doubtful = table_reading(f"{AFTER} | K13 B13 O12", doubts={(place, 2): "orange-13"})
    unsure = turn_done(Turn(RULES, opened=True).begin(table_reading(BEFORE)), doubtful, 1)
    assert unsure.judged is not None
    assert not unsure.judged.weighed.verdict.proved
    said = verdict_json(unsure.judged, None, 1, photos=False)
    assert (said["kind"], said["advice"], said["caveat"]) == ("unsure", "I can’t read this tile. What is it?", "")


def test_what_was_wrong_before_the_turn_is_said_beside_the_faults() -> None:
    """Whether the turn is legal or not; while a doubtful tile turns the verdict that tile alone is asked about."""

    def said(after: str, doubts: dict[tuple[int, int], str] | None = None) -> VerdictJson:
        begun = Turn(RULES, opened=True).begin(table_reading("R1 R2 | B1 B2 B3"))
        turn = turn_done(begun, table_reading(after, doubts), 1)
        assert turn.judged is not None
        return verdict_json(turn.judged, None, 1, photos=False)

    note = (
        "Already wrong before the turn, so it does not count: red 1 and red 2: only 2 tiles, "
        "but a set needs at least 3."
    )
    legal, illegal = said("R1 R2 | B1 B2 B3 B4"), said("R1 R2 | B1 B2 B3 B5")
    assert (legal["kind"], legal["standing"], legal["faults"]) == ("legal", [note], [])
    assert (illegal["kind"], illegal["standing"], len(illegal["faults"])) == ("illegal", [note], 1)
    unsure = said("R1 R2 | B1 B2 B3 B4", {(1, 3): "blue-5"})
    assert (unsure["kind"], unsure["standing"]) == ("unsure", [])
