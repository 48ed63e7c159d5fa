"""The travel edition of 2012 (in German); sections are named as it prints them."""

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
    JokerDrawn,
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

TRAVEL: Final = RuleSet(
    name="travel",
    stock=Stock(
        inks=(Colour.BLACK, Colour.BLUE, Colour.ORANGE, Colour.RED),
        numbers=13,
        copies=2,
        jokers=2,
    ),
    setup=Setup(
        least_players=2,
        most_players=4,
        dealt=14,
        stack_size=None,
        starter=Starter.HIGHEST_DRAWN,
        joker_drawn=JokerDrawn.LOWEST,
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
        minimum_points=30,
        joker_points=None,
        several_sets=True,
        needs_empty_table=False,
        table=OpeningTable.LEFT_ALONE,
    ),
    manipulation=Manipulation(
        regrouping=Regrouping.ANY,
        staying_together=0,
        take_back=False,
    ),
    joker=Joker(
        most_in_set=None,
        alone=False,
        past_end=PastEnd.NOTHING,
        sets=JokerSets.LIKE_OTHERS,
        replaced_from=ReplacedFrom.ANYWHERE,
        freed=FreedJoker.NEW_COMBINATION,
        rack_tiles=0,
    ),
    turn=Turn(
        least_tiles=1,
        drawn=1,
        plays_on_after_draw=False,
        limit_s=60,
        timed_before_opening=True,
    ),
    penalty=Penalty(
        restore=Restore.LOOSE_TILES,
        tiles=3,
        tiles_before_opening=3,
        for_wrong_layout=True,
        forgotten_to_pool=True,
    ),
    ending=Ending(
        pool_empty=PoolEmpty.ALL_PASS,
        drawer_plays_last=False,
    ),
    scoring=Scoring(
        tile_value=TileValue.NUMBER,
        joker_points=30,
        empty_pool=EmptyPoolScore.AS_USUAL,
        lowest=Lowest.SUM,
        fewer_tiles_win=True,
        totals=Totals.HIGHEST_TOTAL,
    ),
    stars=None,
)
