"""The standard game with extra large numbers (in German, author E. Hertzano); sections are named as it prints them."""

from __future__ import annotations

from typing import Final

from tilekeeper.engine.rules import FreedJoker, Joker, Melds, Opening, RuleSet, Stock, Turn
from tilekeeper.engine.tile import Colour

LARGE_NUMBERS: Final = RuleSet(
    name="large-numbers",
    stock=Stock(
        # "Spielinhalt": two series of the numbers 1 to 13 in black, orange, blue and red, 104 tiles, and 2 jokers.
        inks=(Colour.BLACK, Colour.BLUE, Colour.ORANGE, Colour.RED),
        numbers=13,
        copies=2,
        jokers=2,
    ),
    melds=Melds(
        # "Serien", and the margin beside it: a run of 3 to 13 tiles, a group of 3 or 4.
        shortest=3,
        largest_group=4,
    ),
    opening=Opening(
        # "Spieleinstieg": at least 30 points, in one group or run or in several.
        points=30,
        # "Spieleinstieg": "Der Joker zählt den Wert der Zahl, die er ersetzt."
        joker_points=None,
    ),
    joker=Joker(
        # "Der Joker": used in the same turn "in einer neuen Kombination". The rulebook does not say what makes a
        # combination new; ruled here: everything but an old one to which nothing is done but that jokers come to it.
        freed=FreedJoker.NEW_COMBINATION,
    ),
    turn=Turn(
        # "Weitere Spielzüge": at least one tile from the rack, or one is drawn.
        least_tiles=1,
    ),
)
