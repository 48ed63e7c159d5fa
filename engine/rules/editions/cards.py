"""The card edition with a 40-point opening (in German); section titles are quoted as printed."""

from __future__ import annotations

from typing import Final

from tilekeeper.engine.rules.editions.sources import SILENT, absent, printed, ruling, sources
from tilekeeper.engine.rules.policies import (
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
        staying_together=0,
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
    turn=TurnRules(
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

SOURCES: Final = sources(
    SILENT,
    {
        "stock.inks": printed("Spielablauf", "eine gelbe, blaue, schwarze und rote 7"),
        "stock.numbers": ruling("1 to 13 twice in four colours: 104 and two jokers are the 106 that are printed"),
        "stock.copies": ruling("1 to 13 twice in four colours: 104 and two jokers are the 106 that are printed"),
        "stock.jokers": ruling(
            "102 does not divide by four colours, 104 and the two of the joker section do",
            "Spielkomponenten",
            "106 Karten davon 4 Joker",
        ),
        "setup.least_players": ruling("no number is printed; 2 to 4 play"),
        "setup.most_players": ruling("no number is printed; 2 to 4 play", "Spielkomponenten", "4 Kartenhalter"),
        "setup.dealt": printed("Aufbau", "Jeder Spieler zieht zufällig 14 Karten"),
        "setup.starter": printed("Aufbau", "Die Spieler entscheiden, wer beginnt"),
        "setup.next_round": printed("Auswertung", "indem Sie den Anweisungen unter „Aufbau“ folgen"),
        "melds.shortest": printed("Spielablauf", "müssen immer aus mindestens 3 Karten bestehen"),
        "melds.largest_group": printed("Spielablauf", "besteht aus 3 oder 4 Karten mit der gleichen Nummer"),
        "melds.wraps": ruling("1 is low here, too, and never comes after the highest number"),
        "opening.minimum_points": printed("Spielablauf", "in der Anfangseröffnung muss mindestens 40 Punkte erreichen"),
        "opening.joker_points": ruling(
            "the joker section says the value of the tile; the text written for the cards counts",
            "Spielablauf",
            "Der Wert eines Jokers beträgt jedoch immer 25 Punkte",
        ),
        "opening.several_sets": printed(
            "Spielablauf", "Diese Punkte können in vielen verschiedenen Kombinationen verteilt werden."
        ),
        "opening.table": printed("Spielablauf", "muss nicht auf seinen nächsten Zug warten"),
        "manipulation.regrouping": printed(
            "Umordnen", "Es können entweder alle Karten eines Sets verwendet werden oder nur Teile"
        ),
        "manipulation.staying_together": ruling(
            "how the cards lie at the end counts: a valid combination, cards laid to it included, or nothing is left",
            "Umordnen",
            "müssen mindestens 3 gültige Karten in der ursprünglichen Kombination verbleiben",
        ),
        "manipulation.take_back": printed("Umordnen", "müssen zu jeder Zeit auf dem Tisch bleiben"),
        "joker.sets": ruling(
            "the joker itself leaves only if a card from the rack replaces it; the special sentence "
            "comes before the general one. With a card of its set it may change its place",
            "Der Joker",
            "es kann aufgeteilt werden oder es können Spielsteine entfernt werden",
        ),
        "joker.replaced_from": printed("Der Joker", "muss aus der Ablage eines Spielers stammen und nicht vom Tisch"),
        "joker.freed": printed("Der Joker", "verwendet werden, um ein neues Set zu bilden"),
        "joker.rack_tiles": printed("Der Joker", "mit 2 oder mehr Spielsteinen aus seiner Ablage"),
        "turn.least_tiles": printed("Spielablauf", "muss entweder Karten in die Tischmitte legen"),
        "turn.drawn": printed("Spielablauf", "eine verdeckte Karte von einem der Stapel ziehen"),
        "turn.plays_on_after_draw": printed("Spielablauf", "muss er seinen nächsten Zug abwarten, um sie auszuspielen"),
        "turn.limit_s": printed("Zeitlimit", "Die Spieler müssen ihre Züge innerhalb von 2 Minuten beenden."),
        "turn.timed_before_opening": printed(
            "Zeitlimit", "Die Spieler müssen ihre Züge innerhalb von 2 Minuten beenden."
        ),
        "penalty.restore": printed("Zeitlimit", "die er nicht in eine gültige Kombination sortieren konnte"),
        "penalty.tiles": printed(
            "Zeitlimit", "muss er alle Karten auf seinem Kartenständer nehmen", "no penalty cards"
        ),
        "penalty.tiles_before_opening": ruling("below 40 points everything goes back and one card is drawn"),
        "penalty.forgotten_to_pool": absent("cards in no valid combination go onto the rack"),
        "ending.pool_empty": ruling(
            "after everybody has passed in turn", "Auswertung", "dass alle Plättchen im Beutel aufgebraucht sind"
        ),
        "scoring.tile_value": printed("Spielablauf", "Der Wert einer Karte entspricht der darauf abgebildeten Zahl."),
        "scoring.joker_points": ruling("the joker section also prints 30", "Spielende", "(Joker 25 Punkte!)"),
        "scoring.empty_pool": printed(
            "Auswertung", "Jeder Verlierer addiert seinen Gesamtplättchenwert und subtrahiert davon"
        ),
        "scoring.lowest": ruling(
            "the scoring that follows needs the sum", "Auswertung", "gewinnt der Spieler mit der niedrigsten Anzahl"
        ),
        "scoring.totals": printed("Spielende", "Der Gewinner ist derjenige mit der höchsten Punktzahl."),
    },
)
