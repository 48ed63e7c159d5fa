"""The travel edition of 2012 (in German); section titles are quoted as printed."""

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
    turn=TurnRules(
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

SOURCES: Final = sources(
    SILENT,
    {
        "stock.inks": printed("Spielinhalt", "in den Farben schwarz, orange, blau und rot"),
        "stock.numbers": printed("Spielinhalt", "2 Serien mit den Zahlen 1 - 13"),
        "stock.copies": printed("Spielinhalt", "2 Serien mit den Zahlen 1 - 13"),
        "stock.jokers": printed("Spielinhalt", "2 Joker-Steine"),
        "setup.least_players": printed("Titel", "für 2 - 4 Spieler, ab 7 Jahren"),
        "setup.most_players": printed("Titel", "für 2 - 4 Spieler, ab 7 Jahren"),
        "setup.dealt": printed("Spielvorbereitung", "zieht jeder Spieler verdeckt 14 Steine"),
        "setup.starter": printed("Spielvorbereitung", "der die höchste Zahl gezogen hat, beginnt"),
        "setup.joker_drawn": printed("Spielvorbereitung", "(Joker zählen nicht)"),
        "melds.shortest": printed("Spielvorbereitung", "mindestens 3 aufeinander folgenden Zahlen der gleichen Farbe"),
        "melds.largest_group": printed("Spielvorbereitung", "entweder 3 oder 4 Spielsteinen mit gleicher Zahl"),
        "melds.wraps": printed("Spielvorbereitung", "niemals an die 13 anschließen darf!"),
        "opening.minimum_points": printed("Spielablauf", "zuerst mindestens 30 Punkte offen ablegen"),
        "opening.joker_points": printed("Spielablauf", "Der Joker zählt den Wert der Zahl, die er ersetzt."),
        "opening.several_sets": printed("Spielablauf", "aber auch in verschiedenen Gruppen und Reihen"),
        "opening.table": printed("Spielablauf", "In diesem Zug darf noch nicht"),
        "manipulation.regrouping": printed(
            "Manipulationen", "Die Steine können in jeder erdenklichen Weise umgruppiert werden."
        ),
        "manipulation.take_back": ruling(
            "it only says that none may be left over", "Manipulationen", "keiner darf übrig bleiben"
        ),
        "joker.sets": printed(
            "Der Joker", "genau so durch Teilen, Anfügen oder Entfernen von Steinen manipuliert werden"
        ),
        "joker.replaced_from": printed("Der Joker", "kann vom Aufsteller oder vom Tisch kommen"),
        "joker.freed": ruling(
            "every set is new, except an old one that is otherwise unchanged",
            "Der Joker",
            "im gleichen Zug in einer neuen Kombination einsetzen",
        ),
        "turn.least_tiles": printed("Spielablauf", "Kann oder will ein Spieler nicht ablegen"),
        "turn.drawn": printed("Spielablauf", "muss er einen Stein aus dem Pool ziehen"),
        "turn.plays_on_after_draw": printed("Spielablauf", "und der nächste Spieler kommt an die Reihe"),
        "turn.limit_s": printed("Spielablauf", "eine Minute Zeit, jede beliebige Punktezahl abzulegen"),
        "turn.timed_before_opening": ruling(
            "printed for turns after the opening; it holds for every turn",
            "Spielablauf",
            "Nachdem ein Spieler ins Spiel",
        ),
        "penalty.restore": printed(
            "Spielablauf",
            "die offen liegen und keine Gruppe oder Reihe bilden, wieder in die ursprüngliche Position bringen",
            "ruling: if nobody knows a tile's place any more, the whole table goes back",
        ),
        "penalty.tiles": printed("Spielablauf", "muss er 3 Steine aus dem Pool ziehen"),
        "penalty.for_wrong_layout": ruling(
            "when time is up, or the player sticks to it; before that the player may fix it",
            "Spielablauf",
            "innerhalb dieser einen Minute richtig durchzuführen",
        ),
        "penalty.forgotten_to_pool": printed("Spielablauf", "werden diese wieder in den Pool gemischt"),
        "ending.pool_empty": ruling(
            "if everybody passes in turn, nobody can lay", "Ende", "keiner der Spieler mehr ablegen kann"
        ),
        "scoring.tile_value": printed("Ende", "jeder Stein zählt seinen Zahlenwert und ein Joker zählt 30 Punkte"),
        "scoring.joker_points": printed("Ende", "ein Joker zählt 30 Punkte"),
        "scoring.empty_pool": ruling(
            "scored like any round", "Ende", "gewinnt der Spieler mit den wenigsten Minuspunkten"
        ),
        "scoring.lowest": printed("Ende", "gewinnt der Spieler mit den wenigsten Minuspunkten"),
        "scoring.totals": ruling("the highest total of all rounds wins, as the printed score sheet adds it up"),
    },
)
