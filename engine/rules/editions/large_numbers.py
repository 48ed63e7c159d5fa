"""The standard game with extra large numbers. The quoted rulebook, by E. Hertzano, is in German."""

from __future__ import annotations

from typing import Final

from tilekeeper.engine.rules.editions.sources import Sources, printed, ruling

LARGE_NUMBERS: Final[Sources] = {
    "stock.inks": printed("KBOR", "Spielinhalt", "in den Farben schwarz, orange, blau und rot"),
    "stock.numbers": printed("13", "Spielinhalt", "2 Serien mit den Zahlen 1 – 13"),
    "stock.copies": printed("2", "Spielinhalt", "2 Serien mit den Zahlen 1 – 13"),
    "stock.jokers": printed("2", "Spielinhalt", "2 Jokersteine"),
    "setup.least_players": printed("2", "Titel", "Für 2 – 4 Spieler ab 7 Jahren"),
    "setup.most_players": printed("4", "Titel", "Für 2 – 4 Spieler ab 7 Jahren"),
    "setup.dealt": printed("14", "Spielvorbereitung", "zwei Stapel (14 Spielsteine) weiter"),
    "setup.stack_size": printed(
        "7", "Spielvorbereitung", "zu Stapeln mit je 7 Spielsteinen und einem mit 8 Spielsteinen"
    ),
    "setup.starter": printed("chosen", "Spielvorbereitung", "Der Startspieler wird bestimmt oder ausgelost."),
    "setup.redeal_pairs": printed(
        "3",
        "Spielvorbereitung",
        "Hat ein Spieler bei den ersten 14 Spielsteinen drei oder mehrere Paare gleicher Zahl und",
    ),
    "setup.jokers_pair": ruling(
        "no",
        "pairs of the same number and colour count; two jokers are no pair",
        "Spielvorbereitung",
        "gleicher Zahl und Farbe",
    ),
    "melds.shortest": printed("3", "Serien", "mindestens 3 aufeinander folgenden Zahlen der gleichen Farbe"),
    "melds.largest_group": printed("4", "Serien", "eine Kombination von 3 oder 4 Spielsteinen gleicher Zahl"),
    "melds.wraps": printed("no", "Serien", "niemals an die 13 anschließen darf!"),
    "opening.minimum_points": printed("30", "Spieleinstieg", "mindestens 30 Punkte offen ablegen"),
    "opening.joker_points": printed("none", "Spieleinstieg", "Der Joker zählt den Wert der Zahl, die er ersetzt."),
    "opening.several_sets": printed("yes", "Spieleinstieg", "aber auch in verschiedenen Gruppen oder Reihen"),
    "opening.table": printed(
        "left-alone", "Spieleinstieg", "weder manipulieren, noch an sie anlegen oder einen Joker ersetzen"
    ),
    "manipulation.regrouping": printed(
        "any", "Manipulationen", "Die Steine können in jeder erdenklichen Weise umgruppiert werden."
    ),
    "manipulation.take_back": printed("no", "Manipulationen", "zurück auf den Aufsteller genommen werden"),
    "joker.sets": printed(
        "like-others", "Der Joker", "genauso durch Teilen, Anfügen oder Entfernen von Steinen manipuliert werden"
    ),
    "joker.replaced_from": printed("anywhere", "Der Joker", "kann vom Aufsteller oder vom Tisch kommen"),
    "joker.freed": ruling(
        "new-combination",
        "every set counts as new, except an old one that is otherwise unchanged",
        "Der Joker",
        "im gleichen Zug in einer neuen Kombination einsetzen",
    ),
    "turn.least_tiles": printed("1", "Weitere Spielzüge", "legt mindestens einen Spielstein von seinem Aufsteller ab"),
    "turn.drawn": printed(
        "1", "Weitere Spielzüge", "muss einen Stein aus dem Pool ziehen. Der Spielzug ist damit beendet"
    ),
    "turn.plays_on_after_draw": printed("no", "Weitere Spielzüge", "Der Spielzug ist damit beendet"),
    "turn.limit_s": printed("60", "Zeitlimit", "Jeder Spieler hat 1 Minute Zeit, seinen Spielzug durchzuführen."),
    "turn.timed_before_opening": printed(
        "yes", "Zeitlimit", "Jeder Spieler hat 1 Minute Zeit, seinen Spielzug durchzuführen."
    ),
    "penalty.restore": printed(
        "everything", "Strafsteine", "müssen die Spielsteine in ihre ursprüngliche Position gebracht werden"
    ),
    "penalty.tiles": printed("3", "Strafsteine", "der Spieler zieht 3 Spielsteine aus dem Pool"),
    "penalty.tiles_before_opening": printed("3", "Strafsteine", "der Spieler zieht 3 Spielsteine aus dem Pool"),
    "penalty.for_wrong_layout": ruling(
        "yes",
        "when time is up, or the player sticks to it; before that the player may fix it",
        "Rand",
        "3 Strafsteine bei falscher Auslage",
    ),
    "penalty.forgotten_to_pool": printed("yes", "Strafsteine", "werden diese wieder in den Pool gemischt"),
    "ending.pool_empty": printed(
        "last-turns", "Keine Steine mehr im Pool", "Danach dürfen alle Spieler in einer letzten Runde versuchen"
    ),
    "ending.drawer_plays_last": ruling(
        "yes",
        "the player who draws the last tile has a last turn, too",
        "Keine Steine mehr im Pool",
        "dürfen alle Spieler",
    ),
    "scoring.tile_value": printed(
        "number", "Abrechnung", "jeder Stein zählt seinen Zahlenwert und ein Joker zählt 30 Punkte"
    ),
    "scoring.joker_points": printed("30", "Abrechnung", "ein Joker zählt 30 Punkte"),
    "scoring.empty_pool": printed(
        "all-minus", "Keine Steine mehr im Pool", "Alle Spieler – auch der Gewinner – notieren sich die Summe"
    ),
    "scoring.lowest": printed("sum", "Keine Steine mehr im Pool", "befindlichen Spielsteine am Niedrigsten ist"),
    "scoring.fewer_tiles_win": printed(
        "yes", "Keine Steine mehr im Pool", "der weniger Spielsteine auf dem Aufsteller hat"
    ),
    "scoring.totals": printed("highest-total", "Abrechnung", "Der Spieler mit der höchsten Gesamtpunktezahl gewinnt."),
}
