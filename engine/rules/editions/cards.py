"""The card edition with a 40-point opening. The quoted rulebook is in German."""

from __future__ import annotations

from typing import Final

from tilekeeper.engine.rules.editions.sources import Sources, absent, printed, ruling

CARDS: Final[Sources] = {
    "stock.inks": printed("KBYR", "Spielablauf", "eine gelbe, blaue, schwarze und rote 7"),
    "stock.numbers": ruling(
        "13", "1 to 13, twice in each of four colours, make 104 cards; with two jokers that is 106, as printed"
    ),
    "stock.copies": ruling(
        "2", "1 to 13, twice in each of four colours, make 104 cards; with two jokers that is 106, as printed"
    ),
    "stock.jokers": ruling(
        "2",
        "102 can't be divided by four colours; 104 can, and the joker section adds two jokers",
        "Spielkomponenten",
        "106 Karten davon 4 Joker",
    ),
    "setup.least_players": ruling("2", "the rulebook gives no number; 2 to 4 play"),
    "setup.most_players": ruling(
        "4", "the rulebook gives no number; 2 to 4 play", "Spielkomponenten", "4 Kartenhalter"
    ),
    "setup.dealt": printed("14", "Aufbau", "Jeder Spieler zieht zufällig 14 Karten"),
    "setup.starter": printed("chosen", "Aufbau", "Die Spieler entscheiden, wer beginnt"),
    "setup.next_round": printed("as-first", "Auswertung", "indem Sie den Anweisungen unter „Aufbau“ folgen"),
    "melds.shortest": printed("3", "Spielablauf", "müssen immer aus mindestens 3 Karten bestehen"),
    "melds.largest_group": printed("4", "Spielablauf", "besteht aus 3 oder 4 Karten mit der gleichen Nummer"),
    "melds.wraps": ruling("no", "1 is low here, too, and never comes after the highest number"),
    "opening.minimum_points": printed(
        "40", "Spielablauf", "in der Anfangseröffnung muss mindestens 40 Punkte erreichen"
    ),
    "opening.joker_points": ruling(
        "25",
        "the joker section speaks of the value of the tile; the text written for the cards counts",
        "Spielablauf",
        "Der Wert eines Jokers beträgt jedoch immer 25 Punkte",
    ),
    "opening.several_sets": printed(
        "yes", "Spielablauf", "Diese Punkte können in vielen verschiedenen Kombinationen verteilt werden."
    ),
    "opening.table": printed("free-once-open", "Spielablauf", "muss nicht auf seinen nächsten Zug warten"),
    "manipulation.regrouping": printed(
        "any", "Umordnen", "Es können entweder alle Karten eines Sets verwendet werden oder nur Teile"
    ),
    "manipulation.staying_together": ruling(
        "0",
        "what counts is how the cards lie at the end: in a valid combination, cards added to it included, or "
        "nothing is left",
        "Umordnen",
        "müssen mindestens 3 gültige Karten in der ursprünglichen Kombination verbleiben",
    ),
    "manipulation.take_back": printed("no", "Umordnen", "müssen zu jeder Zeit auf dem Tisch bleiben"),
    "joker.sets": ruling(
        "joker-stays",
        "you may take the joker itself only if a card from the rack replaces it: the rule about the joker comes "
        "before the rule about its set. The joker may change places with a card of its set",
        "Der Joker",
        "es kann aufgeteilt werden oder es können Spielsteine entfernt werden",
    ),
    "joker.replaced_from": printed(
        "rack", "Der Joker", "muss aus der Ablage eines Spielers stammen und nicht vom Tisch"
    ),
    "joker.freed": printed("new-set", "Der Joker", "verwendet werden, um ein neues Set zu bilden"),
    "joker.rack_tiles": printed("2", "Der Joker", "mit 2 oder mehr Spielsteinen aus seiner Ablage"),
    "turn.least_tiles": printed("1", "Spielablauf", "muss entweder Karten in die Tischmitte legen"),
    "turn.drawn": printed("1", "Spielablauf", "eine verdeckte Karte von einem der Stapel ziehen"),
    "turn.plays_on_after_draw": printed(
        "no", "Spielablauf", "muss er seinen nächsten Zug abwarten, um sie auszuspielen"
    ),
    "turn.limit_s": printed("120", "Zeitlimit", "Die Spieler müssen ihre Züge innerhalb von 2 Minuten beenden."),
    "turn.timed_before_opening": printed(
        "yes", "Zeitlimit", "Die Spieler müssen ihre Züge innerhalb von 2 Minuten beenden."
    ),
    "penalty.restore": printed(
        "loose-to-rack", "Zeitlimit", "die er nicht in eine gültige Kombination sortieren konnte"
    ),
    "penalty.tiles": printed(
        "0", "Zeitlimit", "muss er alle Karten auf seinem Kartenständer nehmen", "no penalty cards"
    ),
    "penalty.tiles_before_opening": ruling("1", "below 40 points everything goes back and one card is drawn"),
    "penalty.forgotten_to_pool": absent("no", "cards in no valid combination go onto the rack"),
    "ending.pool_empty": ruling(
        "all-pass",
        "after everybody has passed in turn",
        "Auswertung",
        "dass alle Plättchen im Beutel aufgebraucht sind",
    ),
    "scoring.tile_value": printed(
        "number", "Spielablauf", "Der Wert einer Karte entspricht der darauf abgebildeten Zahl."
    ),
    "scoring.joker_points": ruling("25", "the joker section also says 30", "Spielende", "(Joker 25 Punkte!)"),
    "scoring.empty_pool": printed(
        "differences", "Auswertung", "Jeder Verlierer addiert seinen Gesamtplättchenwert und subtrahiert davon"
    ),
    "scoring.lowest": ruling(
        "sum", "the scoring that follows needs the sum", "Auswertung", "gewinnt der Spieler mit der niedrigsten Anzahl"
    ),
    "scoring.totals": printed("highest-total", "Spielende", "Der Gewinner ist derjenige mit der höchsten Punktzahl."),
}
