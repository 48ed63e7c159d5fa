"""The classic sheet, in which sets with a joker are locked. The quoted rulebook is in Finnish."""

from __future__ import annotations

from typing import Final

from tilekeeper.engine.rules.editions.sources import Sources, printed, ruling

FINNISH: Final[Sources] = {
    "stock.inks": printed("KBOR", "Pelin sisältö", "(musta, oranssi, sininen ja punainen)"),
    "stock.numbers": printed("13", "Pelin sisältö", "numeroitu 1-13"),
    "stock.copies": printed("2", "Pelin sisältö", "2 laattaa kutakin neljää väriä"),
    "stock.jokers": printed("2", "Pelin sisältö", "2 jokerilaattaa"),
    "setup.least_players": ruling("2", "the rulebook gives no number; 2 to 4 play"),
    "setup.most_players": ruling("4", "the rulebook gives no number; 2 to 4 play"),
    "setup.dealt": printed("14", "Pelivalmistelut", "jokainen pelaaja nostaa itselleen 14 laattaa"),
    "setup.starter": printed(
        "highest-drawn",
        "Pelivalmistelut",
        "joka saa korkeimman numeron aloittaa",
        "players with the same number draw again",
    ),
    "setup.joker_drawn": ruling("again", "players with a joker or the same number draw again"),
    "melds.shortest": printed("3", "Sarjat", "muodostuu kolmesta tai useammasta samanvärisestä laatasta"),
    "melds.largest_group": printed("4", "Sarjat", "muodostuu kolmesta tai neljästä laatasta"),
    "melds.wraps": printed("no", "Sarjat", "aina pienin numero eikä se voi olla numeron 13 jälkeen"),
    "opening.minimum_points": printed(
        "31", "Aloitus", "jonka numeroiden yhteenlaskettu summa ylittää 30", "more than 30"
    ),
    "opening.joker_points": printed("none", "Jokeri", "laatan arvoinen, jota korvaamaan se on asetettu"),
    "opening.several_sets": ruling(
        "yes",
        "in one set or several, though the sheet speaks of one",
        "Aloitus",
        "lyödä tyhjään pöytään vuorollaan sarja",
    ),
    "opening.needs_empty_table": ruling(
        "no", "on an empty table or not, though the sheet says “onto the empty table”", "Aloitus", "tyhjään pöytään"
    ),
    "opening.table": printed(
        "left-alone", "Aloitus", "Saatuaan pelinsä avattua pelaaja voi tulevilla vuoroillaan pelata"
    ),
    "manipulation.regrouping": printed("any", "Yhdistelyt", "Sarjoja voi yhdistellä monin eri tavoin"),
    "manipulation.take_back": ruling(
        "no", "the sheet only says that no tiles may be left over", "Yhdistelyt", "ylimääräisiä laattoja"
    ),
    "joker.most_in_set": printed("1", "Jokeri", "Yhdessä sarjassa saa olla korkeintaan yksi jokeri."),
    "joker.sets": printed("locked", "Jokeri", "ei saa jakaa eikä siitä saa poistaa laattoja"),
    "joker.replaced_from": printed("rack", "Jokeri", "tulee olla pelaajan telineestä, ei pöydältä"),
    "joker.freed": printed(
        "set-from-rack", "Jokeri", "hänen tulee pelata tuo jokeri osana uutta sarjaa, jonka hän muodostaa telineestään"
    ),
    "turn.least_tiles": printed("1", "Yhdistelyt", "ei voi tai ei halua pelata vuorollaan yhtään laattaa"),
    "turn.drawn": printed("1", "Yhdistelyt", "nostaa 1 laatta varastosta"),
    "turn.plays_on_after_draw": ruling("no", "drawing ends the turn here, too"),
    "turn.limit_s": printed("60", "Yhdistelyt", "Peliaika per pelivuoro on 1 minuutti."),
    "turn.timed_before_opening": printed("yes", "Yhdistelyt", "Peliaika per pelivuoro on 1 minuutti."),
    "penalty.restore": printed("everything", "Yhdistelyt", "palautettava jokainen laatta alkuperäiseen paikkaansa"),
    "penalty.tiles": printed("3", "Yhdistelyt", "nostettava rangaistuksena kolme laattaa varastosta"),
    "penalty.forgotten_to_pool": printed(
        "yes", "Yhdistelyt", "sekoitetaan muiden ylimääräisten laattojen joukkoon varastoon"
    ),
    "ending.pool_empty": ruling(
        "all-pass",
        "the sheet says both “one turn” and “until someone ends”: players lay or pass until everybody has passed "
        "in turn",
        "Pelin voittaja",
        "jokainen pelaaja pelaa yhden vuoron",
    ),
    "scoring.tile_value": printed("number", "Pisteiden lasku", "laskevat telineissään olevien laattojen yhteispisteet"),
    "scoring.joker_points": printed("30", "Jokeri", "Jokerin sakkoarvo on 30 pistettä"),
    "scoring.empty_pool": printed("differences", "Pisteiden lasku", "vähentää siitä voittajan pistemäärän"),
    "scoring.lowest": printed("sum", "Pelin voittaja", "voittaja on pelaaja, jonka telineessä on pienin summa"),
    "scoring.totals": printed("highest-total", "Pisteiden lasku", "jolla on suurin kokonaispistemäärä on voittaja"),
}
