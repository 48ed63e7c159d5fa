"""Files for spreadsheets contain no formulas, whatever the players' names are."""

import csv
import io

import pytest

from tests.support.games import start_game
from tilekeeper.companion.text.spreadsheet import harmless, sheet_csv
from tilekeeper.engine.game.events import GameStarted
from tilekeeper.engine.game.game import Game


@pytest.mark.parametrize(
    "name", ["=1+1", "  =1+1", "\n=1+1", "\uff1d1+1", "\t@SUM(A1)", "\tx", "\rx", "\nx", "+1", "-1", "|cmd", "%0"]
)
def test_name_that_looks_like_a_formula_is_escaped(name):
    game = Game.start(GameStarted((name, "Bo"), "large-numbers"))
    (head, *_) = csv.reader(io.StringIO(sheet_csv(game.state.sheet)))
    assert (head[1][0], head[1].replace("'", "")) == ("'", name)


@pytest.mark.parametrize("sign", ["=", "\uff1d", "+", "-", "@", "|", "%"])
@pytest.mark.parametrize("between", [",", ";", "; ", "\uff0c"])
def test_formula_after_a_sign_between_cells_is_escaped(between, sign):
    """A file with commas may be opened by a program that expects semicolons, and the other way round."""
    safe = harmless(f"Ada{between}{sign}1+2")
    assert safe == f"Ada{between}'{sign}1+2"


def test_plain_name_is_unchanged():
    (head, *_) = csv.reader(io.StringIO(sheet_csv(start_game().state.sheet)))
    assert head == ["", "Ada", "Bo"]
