"""What a player could have laid, in words."""

import pytest

from tilekeeper.companion.languages import translations_of
from tilekeeper.companion.text.review import hint_words
from tilekeeper.engine.language import use_language
from tilekeeper.engine.solver.best_play import Play
from tilekeeper.engine.tiles.table import Table
from tilekeeper.engine.tiles.tile import Tile


@pytest.mark.parametrize(
    ("language", "laid", "sentence"),
    [
        ("en", "R6", "You can lay 1 of 5 tiles."),
        ("de", "R6", "Du kannst 1 von 5 Steinen ablegen."),
        ("fi", "R6", "Voit pelata 5 laatasta 1."),
        ("fi", "R6 R7", "Voit pelata 5 laatasta 2."),
    ],
)
def test_hint_for_one_tile_and_for_several_is_good_grammar(language, laid, sentence):
    play = Play(Table(()), tuple(map(Tile, laid.split())), points=6, opens=False, proved=True)
    with use_language(translations_of(language)):
        assert hint_words(play, 5) == sentence
