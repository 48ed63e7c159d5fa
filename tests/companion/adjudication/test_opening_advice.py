"""A photographed rack can open, or can't, if all likely readings agree."""

import pytest

from tests.support.known_tables import table_reading
from tilekeeper.companion.adjudication.opening_advice import MOST_DOUBTFUL, OpeningAdvice, opening_advice
from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.engine.tiles.table import Table

YES, NO, UNSURE = OpeningAdvice.YES, OpeningAdvice.NO, OpeningAdvice.UNSURE
CONTEXT = TurnContext(rule_set("large-numbers"), opened=False)


@pytest.mark.parametrize(
    ("rack", "doubts", "tiles", "answer"),
    [
        ("R10 B10 K10 O2", {}, 4, YES),
        ("R9 B9 K9 O2", {}, 4, NO),
        # 4 of 14 tiles are visible: enough to open, or no answer.
        ("R10 B10 K10 O2", {}, 14, YES),
        ("R9 B9 K9 O2", {}, 14, UNSURE),
        ("R9 B9 K9 O2", {}, None, UNSURE),
        # More tiles than the rack holds: some do not belong to it.
        ("R10 B10 K10 O2", {}, 3, UNSURE),
        # A doubt that decides, one that does not, and one about a candidate.
        ("R10 B10 K10 O2", {(0, 2): "black-11"}, 4, UNSURE),
        ("R10 B10 K10 O2", {(0, 3): "orange-3"}, 4, YES),
        ("R9 B9 K9 O2", {(0, 3): "orange-3"}, 4, NO),
        ("R9 B9 K9 O2", {(0, 3): "no-tile"}, 4, UNSURE),
        ("R9 B9 K9 O2", {(0, 3): "joker"}, 4, UNSURE),
    ],
)
def test_opening_advice_for_readings_of_a_rack(rack, doubts, tiles, answer):
    assert opening_advice(table_reading(rack, doubts), tiles, Table(()), CONTEXT) is answer


def test_untrusted_picture_gives_unsure():
    assert opening_advice(table_reading("R10 B10 K10", status="too dark"), 3, Table(()), CONTEXT) is UNSURE
    assert opening_advice(table_reading(""), 14, Table(()), CONTEXT) is UNSURE


def test_many_doubtful_tiles_give_unsure_without_a_search():
    doubts = {(0, at): "red-1" for at in range(MOST_DOUBTFUL + 1)}
    reading = table_reading("R10 B10 K10 O1 O2 O3 O4", doubts)
    assert opening_advice(reading, 7, Table(()), CONTEXT) is UNSURE
