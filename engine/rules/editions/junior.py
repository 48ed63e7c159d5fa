"""The edition for ages 4 and up, with numbers 1 to 10 and star coins. The quoted rulebook is in German."""

from __future__ import annotations

from typing import Final

from tilekeeper.engine.rules.editions.sources import Sources, absent, printed, ruling

JUNIOR: Final[Sources] = {
    "stock.inks": printed("KBYR", "Inhalt", "(10 rote, 10 blaue, 10 gelbe und 10 schwarze Steine)"),
    "stock.numbers": printed("10", "Inhalt", "40 Spielsteine mit den Zahlen von 1 bis 10"),
    "stock.copies": printed("1", "Inhalt", "(10 rote, 10 blaue, 10 gelbe und 10 schwarze Steine)"),
    "stock.jokers": printed("4", "Inhalt", "4 Joker"),
    "setup.least_players": printed("2", "Titel", "Für 2 - 4 Spieler"),
    "setup.most_players": printed("4", "Titel", "Für 2 - 4 Spieler"),
    "setup.dealt": printed("6", "Das „echte“ Spiel", "Jeder Spieler nimmt sich 6 Spielsteine aus dem Pool"),
    "setup.starter": printed("oldest", "Spielbeginn", "Der älteste Spieler oder der Spielbetreuer fängt an"),
    "setup.next_round": printed(
        "as-first", "Eine neue Runde", "Die Vorbereitungen sind die gleichen wie im obigen Abschnitt"
    ),
    "melds.shortest": printed("3", "Was ist eine Zahlenreihe?", "Eine Zahlenreihe besteht aus mindestens 3 Steinen"),
    "melds.largest_group": printed(
        "none", "Was ist eine Zahlenreihe?", "müssen alle diese Zahlen die gleiche Farbe haben"
    ),
    "melds.wraps": ruling("no", "1 is low here, too, and never comes after the highest number"),
    "opening.minimum_points": absent("0", "there is no opening"),
    "opening.joker_points": absent("none", "there is no opening"),
    "opening.several_sets": absent("yes", "there is no opening"),
    "opening.table": absent("free-once-open", "there is no opening"),
    "manipulation.regrouping": ruling(
        "extend-only", "only adding is described", "Spielbeginn", "passende Steine zu der vorhandenen Reihe hinzufügen"
    ),
    "manipulation.take_back": ruling("no", "no tile goes from the table to a rack, except a freed joker"),
    "joker.most_in_set": printed("none", "Der Joker", "können zwei oder mehr Joker verwendet werden"),
    "joker.sets": ruling(
        "joker-moves",
        "every part that remains must be valid, and moving only a joker is not a turn",
        "Der Joker",
        "wenn die Reihe danach noch immer aus mindestens drei Steinen besteht",
    ),
    "joker.replaced_from": ruling(
        "rack", "the rulebook does not say where the tile comes from; it comes from the rack, and this counts as a turn"
    ),
    "joker.freed": printed("rack", "Der Joker", "und in einer sp äteren Runde verwenden"),
    "turn.least_tiles": printed(
        "1", "Spielbeginn", "Wenn er keine Zahlenreihe bilden kann oder aus taktischen Gründen"
    ),
    "turn.drawn": printed("1", "Spielbeginn", "einen zusätzlichen Spielstein aus dem Pool nehmen"),
    "turn.plays_on_after_draw": printed("no", "Spielbeginn", "Seine Runde ist dann vorbei"),
    "turn.limit_s": absent("none", "the rulebook gives no time limit"),
    "turn.timed_before_opening": absent("yes", "there is neither a limit nor an opening"),
    "penalty.restore": ruling("everything", "after a wrong turn everything is put back"),
    "penalty.tiles": absent("0", "the rulebook gives no penalty"),
    "penalty.tiles_before_opening": absent("0", "the rulebook gives no penalty"),
    "penalty.forgotten_to_pool": absent("no", "the rulebook gives no penalty"),
    "ending.pool_empty": ruling("all-pass", "play goes on until everybody passes in turn"),
    "scoring.tile_value": printed(
        "one", "Ende des Spiels", "1 Stern für jeden Stein, der noch auf ihrem Aufstellbrettchen steht"
    ),
    "scoring.joker_points": printed(
        "1", "Ende des Spiels", "1 Stern für jeden Stein, der noch auf ihrem Aufstellbrettchen"
    ),
    "scoring.empty_pool": absent("as-usual", "this edition counts stars, not points"),
    "scoring.lowest": absent("sum", "this edition counts stars, not points"),
    "scoring.fewer_tiles_win": absent("yes", "this edition counts stars, not points"),
    "scoring.totals": ruling(
        "rounds-won",
        "all stars go back, each round has its own winner, and rounds won are counted",
        "Eine neue Runde",
        "Alle Sterne gehen zurück in die Bank",
    ),
    "stars.bank": printed("56", "Inhalt", "56 Sternmünzen"),
    "stars.dealt": printed("6", "Das „echte“ Spiel", "6 Sterne (die restlichen Sterne bilden die Bank)"),
    "stars.tile": printed("1", "Belohnungen", "Für jeden ausgelegten Spielstein: 1 Stern"),
    "stars.replacing": printed("0", "Der Joker", "Das Ersetzen des Jokers wird nicht mit einem Stern belohnt"),
    "stars.new_run": printed("1", "Belohnungen", "Für jede ausgelegte Zahlenreihe: 1 Stern"),
    "stars.empty_rack": printed(
        "1",
        "Belohnungen",
        "wodurch das Aufstellbrettchen eines Spielers leer wird: 1 Stern",
        "printed twice, paid once",
    ),
    "stars.passing": printed("1", "Spielbeginn", "muss er einen Stern an die Bank abgeben"),
    "stars.free_pass": printed(
        "yes", "Muss jedes Mal", "und der allgemeine Pool leer ist, muss kein Strafstern gezahlt werden"
    ),
    "stars.draw_unpaid": printed(
        "no", "Muss jedes Mal", "keine Sterne mehr in seinem Besitz hat, ist einfach der nächste"
    ),
    "stars.tile_left": printed("1", "Ende des Spiels", "Alle anderen Spieler zahlen der Bank 1 Stern für jeden Stein"),
    "stars.tiles_left_cost": ruling(
        "yes",
        "if the round ends because everybody passes, the tiles left on the racks are paid for, and nobody went out",
    ),
    "stars.finisher_wins_tie": ruling(
        "yes",
        "if the player who went out is not part of a tie, the players share",
        "Der Gewinner",
        "gewinnt der Spieler, der als Erster alle seine Spielsteine ausgelegt hat",
    ),
    "stars.debt_noted": ruling("yes", "the bank never pays what it does not have; it notes what it owes"),
    "stars.found": printed("1", "Bekanntmachungsspiel", "erhält zur Belohnung eine Sternmünze"),
}
