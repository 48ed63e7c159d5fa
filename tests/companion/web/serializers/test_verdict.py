"""A verdict as the page shows it, by itself: what is said where the judge could not look into everything."""

import pytest

from tests.support.known_tables import TOO_MANY_WAYS, table_reading
from tilekeeper.companion.adjudication.turn import Turn
from tilekeeper.companion.text.verdicts import caveats
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
        (f"{AFTER} | K13", "illegal", "Mend it and press Done again, or put everything back as it lay."),
    ],
)
def test_what_could_not_be_looked_into_is_said(after: str, kind: str, first: str) -> None:
    """In a line of its own beside the advice, whether the turn is legal or not."""
    turn = Turn(RULES, opened=True).begin(table_reading(BEFORE)).done(table_reading(after), 1)
    assert turn.judged is not None
    assert not turn.judged.weighed.verdict.proved
    said = verdict_json(turn.judged, None, 1, photos=False)
    assert (said["kind"], said["advice"]) == (kind, first)
    assert said["caveat"] == caveats(turn.judged.weighed.verdict)[0]


def test_it_is_not_said_where_all_is_proved_or_tiles_are_asked_about() -> None:
    """While a doubtful tile turns the verdict that tile is asked about, and nothing else is said."""
    proved = Turn(RULES, opened=True).begin(table_reading("R3 R4 R5")).done(table_reading("R3 R4 R5 R6"), 1)
    assert proved.judged is not None
    assert verdict_json(proved.judged, None, 1, False)["caveat"] == ""
    place = len(parse_table(AFTER).melds)
    doubtful = table_reading(f"{AFTER} | K13 B13 O12", doubts={(place, 2): "orange-13"})
    unsure = Turn(RULES, opened=True).begin(table_reading(BEFORE)).done(doubtful, 1)
    assert unsure.judged is not None
    assert not unsure.judged.weighed.verdict.proved
    said = verdict_json(unsure.judged, None, 1, photos=False)
    assert (said["kind"], said["advice"], said["caveat"]) == ("unsure", "It turns on this tile. What is it?", "")
