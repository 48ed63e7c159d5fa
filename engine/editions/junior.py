"""The edition for ages 4 and up, with numbers 1 to 10 and star coins (in German); sections are named as it prints."""

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
    Stars,
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

JUNIOR: Final = RuleSet(
    name="junior",
    stock=Stock(
        inks=(Colour.BLACK, Colour.BLUE, Colour.YELLOW, Colour.RED),
        numbers=10,
        copies=1,
        jokers=4,
    ),
    setup=Setup(
        least_players=2,
        most_players=4,
        dealt=6,
        stack_size=None,
        starter=Starter.OLDEST,
        joker_drawn=None,
        next_round=NextRound.AS_FIRST,
        redeal_pairs=None,
        jokers_pair=False,
    ),
    melds=Melds(
        shortest=3,
        largest_group=None,
        wraps=False,
    ),
    opening=Opening(
        minimum_points=0,
        joker_points=None,
        several_sets=True,
        needs_empty_table=False,
        table=OpeningTable.FREE_ONCE_OPEN,
    ),
    manipulation=Manipulation(
        regrouping=Regrouping.EXTEND_ONLY,
        staying_together=0,
        take_back=False,
    ),
    joker=Joker(
        most_in_set=None,
        alone=False,
        past_end=PastEnd.NOTHING,
        sets=JokerSets.JOKER_MOVES,
        replaced_from=ReplacedFrom.RACK,
        freed=FreedJoker.RACK,
        rack_tiles=0,
    ),
    turn=Turn(
        least_tiles=1,
        drawn=1,
        plays_on_after_draw=False,
        limit_s=None,
        timed_before_opening=True,
    ),
    penalty=Penalty(
        restore=Restore.EVERYTHING,
        tiles=0,
        tiles_before_opening=0,
        for_wrong_layout=True,
        forgotten_to_pool=False,
    ),
    ending=Ending(
        pool_empty=PoolEmpty.ALL_PASS,
        drawer_plays_last=False,
    ),
    scoring=Scoring(
        tile_value=TileValue.ONE,
        joker_points=1,
        empty_pool=EmptyPoolScore.AS_USUAL,
        lowest=Lowest.SUM,
        fewer_tiles_win=True,
        totals=Totals.ROUNDS_WON,
    ),
    stars=Stars(
        bank=56,
        dealt=6,
        tile=1,
        replacing=0,
        new_run=1,
        empty_rack=1,
        passing=1,
        free_pass=True,
        draw_unpaid=False,
        tile_left=1,
        tiles_left_cost=True,
        finisher_wins_tie=True,
        debt_noted=True,
        found=1,
    ),
)
