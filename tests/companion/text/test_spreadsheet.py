"""Files for spreadsheets contain no formulas, whatever the players' names are."""

import csv
import io

import pytest

from tests.support.games import started
from tilekeeper.companion.text.spreadsheet import sheet_csv
from tilekeeper.engine.game.events import GameStarted
from tilekeeper.engine.game.game import Game


@pytest.mark.parametrize(
    "name", ["=1+1", "  =1+1", "\n=1+1", "\uff1d1+1", "\t@SUM(A1)", "\tx", "\rx", "\nx", "+1", "-1", "|cmd", "%0"]
)
def test_name_that_looks_like_a_formula_is_escaped(name):
    game = Game.start(GameStarted((name, "Bo"), "large-numbers"))
    (head, *_) = csv.reader(io.StringIO(sheet_csv(game.state.sheet)))
    assert head == ["", f"'{name}", "Bo"]


def test_plain_name_is_unchanged():
    (head, *_) = csv.reader(io.StringIO(sheet_csv(started().state.sheet)))
    assert head == ["", "Ada", "Bo"]
