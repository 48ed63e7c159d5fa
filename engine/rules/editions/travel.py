"""The travel edition of 2012. The quoted rulebook is in German."""

from __future__ import annotations

from typing import Final

from tilekeeper.engine.rules.editions.sources import Sources, printed, ruling

TRAVEL: Final[Sources] = {
    "stock.inks": printed("KBOR", "Spielinhalt", "in den Farben schwarz, orange, blau und rot"),
    "stock.numbers": printed("13", "Spielinhalt", "2 Serien mit den Zahlen 1 - 13"),
    "stock.copies": printed("2", "Spielinhalt", "2 Serien mit den Zahlen 1 - 13"),
    "stock.jokers": printed("2", "Spielinhalt", "2 Joker-Steine"),
    "setup.least_players": printed("2", "Titel", "für 2 - 4 Spieler, ab 7 Jahren"),
    "setup.most_players": printed("4", "Titel", "für 2 - 4 Spieler, ab 7 Jahren"),
    "setup.dealt": printed("14", "Spielvorbereitung", "zieht jeder Spieler verdeckt 14 Steine"),
    "setup.starter": printed("highest-drawn", "Spielvorbereitung", "der die höchste Zahl gezogen hat, beginnt"),
    "setup.joker_drawn": printed("lowest", "Spielvorbereitung", "(Joker zählen nicht)"),
    "melds.shortest": printed("3", "Spielvorbereitung", "mindestens 3 aufeinander folgenden Zahlen der gleichen Farbe"),
    "melds.largest_group": printed("4", "Spielvorbereitung", "entweder 3 oder 4 Spielsteinen mit gleicher Zahl"),
    "melds.wraps": printed("no", "Spielvorbereitung", "niemals an die 13 anschließen darf!"),
    "opening.minimum_points": printed("30", "Spielablauf", "zuerst mindestens 30 Punkte offen ablegen"),
    "opening.joker_points": printed("none", "Spielablauf", "Der Joker zählt den Wert der Zahl, die er ersetzt."),
    "opening.several_sets": printed("yes", "Spielablauf", "aber auch in verschiedenen Gruppen und Reihen"),
    "opening.table": printed("left-alone", "Spielablauf", "In diesem Zug darf noch nicht"),
    "manipulation.regrouping": printed(
        "any", "Manipulationen", "Die Steine können in jeder erdenklichen Weise umgruppiert werden."
    ),
    "manipulation.take_back": ruling(
        "no", "it only says that no tiles may be left over", "Manipulationen", "keiner darf übrig bleiben"
    ),
    "joker.sets": printed(
        "like-others", "Der Joker", "genau so durch Teilen, Anfügen oder Entfernen von Steinen manipuliert werden"
    ),
    "joker.replaced_from": printed("anywhere", "Der Joker", "kann vom Aufsteller oder vom Tisch kommen"),
    "joker.freed": ruling(
        "new-combination",
        "every set counts as new, except an old one that is otherwise unchanged",
        "Der Joker",
        "im gleichen Zug in einer neuen Kombination einsetzen",
    ),
    "turn.least_tiles": printed("1", "Spielablauf", "Kann oder will ein Spieler nicht ablegen"),
    "turn.drawn": printed("1", "Spielablauf", "muss er einen Stein aus dem Pool ziehen"),
    "turn.plays_on_after_draw": printed("no", "Spielablauf", "und der nächste Spieler kommt an die Reihe"),
    "turn.limit_s": printed("60", "Spielablauf", "eine Minute Zeit, jede beliebige Punktezahl abzulegen"),
    "turn.timed_before_opening": ruling(
        "yes",
        "printed for turns after the opening; it holds for every turn",
        "Spielablauf",
        "Nachdem ein Spieler ins Spiel",
    ),
    "penalty.restore": printed(
        "loose-tiles",
        "Spielablauf",
        "die offen liegen und keine Gruppe oder Reihe bilden, wieder in die ursprüngliche Position bringen",
        "ruling: if nobody knows a tile's place any more, the whole table goes back",
    ),
    "penalty.tiles": printed("3", "Spielablauf", "muss er 3 Steine aus dem Pool ziehen"),
    "penalty.for_wrong_layout": ruling(
        "yes",
        "when time is up, or the player sticks to it; before that the player may fix it",
        "Spielablauf",
        "innerhalb dieser einen Minute richtig durchzuführen",
    ),
    "penalty.forgotten_to_pool": printed("yes", "Spielablauf", "werden diese wieder in den Pool gemischt"),
    "ending.pool_empty": ruling(
        "all-pass", "if everybody passes in turn, nobody can lay", "Ende", "keiner der Spieler mehr ablegen kann"
    ),
    "scoring.tile_value": printed(
        "number", "Ende", "jeder Stein zählt seinen Zahlenwert und ein Joker zählt 30 Punkte"
    ),
    "scoring.joker_points": printed("30", "Ende", "ein Joker zählt 30 Punkte"),
    "scoring.empty_pool": ruling(
        "as-usual", "scored like any round", "Ende", "gewinnt der Spieler mit den wenigsten Minuspunkten"
    ),
    "scoring.lowest": printed("sum", "Ende", "gewinnt der Spieler mit den wenigsten Minuspunkten"),
    "scoring.totals": ruling(
        "highest-total", "the highest total of all rounds wins, as the printed score sheet adds it up"
    ),
}
