"""The classic sheet in which sets with a joker are locked (in Finnish); section titles are quoted as printed."""

from __future__ import annotations

from typing import Final

from tilekeeper.engine.rules.editions.sources import SILENT, printed, ruling, sources
from tilekeeper.engine.rules.policies import (
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
from tilekeeper.engine.rules.ruleset import (
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
    TurnRules,
)
from tilekeeper.engine.tiles.tile import Colour

FINNISH: Final = RuleSet(
    name="finnish",
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
        joker_drawn=JokerDrawn.AGAIN,
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
        minimum_points=31,
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
        most_in_set=1,
        alone=False,
        past_end=PastEnd.NOTHING,
        sets=JokerSets.LOCKED,
        replaced_from=ReplacedFrom.RACK,
        freed=FreedJoker.SET_FROM_RACK,
        rack_tiles=0,
    ),
    turn=TurnRules(
        least_tiles=1,
        drawn=1,
        plays_on_after_draw=False,
        limit_s=60,
        timed_before_opening=True,
    ),
    penalty=Penalty(
        restore=Restore.EVERYTHING,
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
        empty_pool=EmptyPoolScore.DIFFERENCES,
        lowest=Lowest.SUM,
        fewer_tiles_win=True,
        totals=Totals.HIGHEST_TOTAL,
    ),
    stars=None,
)

SOURCES: Final = sources(
    SILENT,
    {
        "stock.inks": printed("Pelin sisältö", "(musta, oranssi, sininen ja punainen)"),
        "stock.numbers": printed("Pelin sisältö", "numeroitu 1-13"),
        "stock.copies": printed("Pelin sisältö", "2 laattaa kutakin neljää väriä"),
        "stock.jokers": printed("Pelin sisältö", "2 jokerilaattaa"),
        "setup.least_players": ruling("no number is printed; 2 to 4 play"),
        "setup.most_players": ruling("no number is printed; 2 to 4 play"),
        "setup.dealt": printed("Pelivalmistelut", "jokainen pelaaja nostaa itselleen 14 laattaa"),
        "setup.starter": printed("Pelivalmistelut", "joka saa korkeimman numeron aloittaa", "a tie draws again"),
        "setup.joker_drawn": ruling("a joker, or a tie, draws again"),
        "melds.shortest": printed("Sarjat", "muodostuu kolmesta tai useammasta samanvärisestä laatasta"),
        "melds.largest_group": printed("Sarjat", "muodostuu kolmesta tai neljästä laatasta"),
        "melds.wraps": printed("Sarjat", "aina pienin numero eikä se voi olla numeron 13 jälkeen"),
        "opening.minimum_points": printed(
            "Aloitus", "jonka numeroiden yhteenlaskettu summa ylittää 30", "more than 30"
        ),
        "opening.joker_points": printed("Jokeri", "laatan arvoinen, jota korvaamaan se on asetettu"),
        "opening.several_sets": ruling(
            "in one set or several, though the sheet speaks of one", "Aloitus", "lyödä tyhjään pöytään vuorollaan sarja"
        ),
        "opening.needs_empty_table": ruling(
            "whether or not the table is empty, though the sheet says onto the empty table",
            "Aloitus",
            "tyhjään pöytään",
        ),
        "opening.table": printed("Aloitus", "Saatuaan pelinsä avattua pelaaja voi tulevilla vuoroillaan pelata"),
        "manipulation.regrouping": printed("Yhdistelyt", "Sarjoja voi yhdistellä monin eri tavoin"),
        "manipulation.take_back": ruling(
            "the sheet only says that none may be left over", "Yhdistelyt", "ylimääräisiä laattoja"
        ),
        "joker.most_in_set": printed("Jokeri", "Yhdessä sarjassa saa olla korkeintaan yksi jokeri."),
        "joker.sets": printed("Jokeri", "ei saa jakaa eikä siitä saa poistaa laattoja"),
        "joker.replaced_from": printed("Jokeri", "tulee olla pelaajan telineestä, ei pöydältä"),
        "joker.freed": printed(
            "Jokeri", "hänen tulee pelata tuo jokeri osana uutta sarjaa, jonka hän muodostaa telineestään"
        ),
        "turn.least_tiles": printed("Yhdistelyt", "ei voi tai ei halua pelata vuorollaan yhtään laattaa"),
        "turn.drawn": printed("Yhdistelyt", "nostaa 1 laatta varastosta"),
        "turn.plays_on_after_draw": ruling("drawing ends the turn here, too"),
        "turn.limit_s": printed("Yhdistelyt", "Peliaika per pelivuoro on 1 minuutti."),
        "turn.timed_before_opening": printed("Yhdistelyt", "Peliaika per pelivuoro on 1 minuutti."),
        "penalty.restore": printed("Yhdistelyt", "palautettava jokainen laatta alkuperäiseen paikkaansa"),
        "penalty.tiles": printed("Yhdistelyt", "nostettava rangaistuksena kolme laattaa varastosta"),
        "penalty.forgotten_to_pool": printed(
            "Yhdistelyt", "sekoitetaan muiden ylimääräisten laattojen joukkoon varastoon"
        ),
        "ending.pool_empty": ruling(
            "the sheet says both one turn and until someone ends: players lay or pass until "
            "everybody has passed in turn",
            "Pelin voittaja",
            "jokainen pelaaja pelaa yhden vuoron",
        ),
        "scoring.tile_value": printed("Pisteiden lasku", "laskevat telineissään olevien laattojen yhteispisteet"),
        "scoring.joker_points": printed("Jokeri", "Jokerin sakkoarvo on 30 pistettä"),
        "scoring.empty_pool": printed("Pisteiden lasku", "vähentää siitä voittajan pistemäärän"),
        "scoring.lowest": printed("Pelin voittaja", "voittaja on pelaaja, jonka telineessä on pienin summa"),
        "scoring.totals": printed("Pisteiden lasku", "jolla on suurin kokonaispistemäärä on voittaja"),
    },
)
