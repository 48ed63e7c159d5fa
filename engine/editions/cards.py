"""The card edition with a 40-point opening (in German); sections are named as it prints them."""

from __future__ import annotations

from typing import Final

from tilekeeper.engine.rules import (
    Ending,
    Joker,
    Manipulation,
    Melds,
    Opening,
    Penalty,
    RuleSet,
    Scoring,
    Setup,
    Stock,
    Turn,
)
from tilekeeper.engine.rules_policies import (
    EmptyPoolScore,
    FreedJoker,
    JokerSets,
    Lowest,
    NextRound,
    OpeningTable,
    PastEnd,
    PoolEmpty,
    Regrouping,
    ReplacedFrom,
    Restore,
    Starter,
    TileValue,
    Totals,
)
from tilekeeper.engine.tile import Colour

CARDS: Final = RuleSet(
    name="cards",
    stock=Stock(
        inks=(Colour.BLACK, Colour.BLUE, Colour.YELLOW, Colour.RED),
        numbers=13,
        copies=2,
        jokers=2,
    ),
    setup=Setup(
        least_players=2,
        most_players=4,
        dealt=14,
        stack_size=None,
        starter=Starter.CHOSEN,
        joker_drawn=None,
        next_round=NextRound.AS_FIRST,
        redeal_pairs=None,
        jokers_pair=False,
    ),
    melds=Melds(
        shortest=3,
        largest_group=4,
        wraps=False,
    ),
    opening=Opening(
        minimum_points=40,
        joker_points=25,
        several_sets=True,
        needs_empty_table=False,
        table=OpeningTable.FREE_ONCE_OPEN,
    ),
    manipulation=Manipulation(
        regrouping=Regrouping.ANY,
        staying_together=3,
        take_back=False,
    ),
    joker=Joker(
        most_in_set=None,
        alone=False,
        past_end=PastEnd.NOTHING,
        sets=JokerSets.JOKER_STAYS,
        replaced_from=ReplacedFrom.RACK,
        freed=FreedJoker.NEW_SET,
        rack_tiles=2,
    ),
    turn=Turn(
        least_tiles=1,
        drawn=1,
        plays_on_after_draw=False,
        limit_s=120,
        timed_before_opening=True,
    ),
    penalty=Penalty(
        restore=Restore.LOOSE_TO_RACK,
        tiles=0,
        tiles_before_opening=1,
        for_wrong_layout=True,
        forgotten_to_pool=False,
    ),
    ending=Ending(
        pool_empty=PoolEmpty.ALL_PASS,
        drawer_plays_last=False,
    ),
    scoring=Scoring(
        tile_value=TileValue.NUMBER,
        joker_points=25,
        empty_pool=EmptyPoolScore.DIFFERENCES,
        lowest=Lowest.SUM,
        fewer_tiles_win=True,
        totals=Totals.HIGHEST_TOTAL,
    ),
    stars=None,
)
