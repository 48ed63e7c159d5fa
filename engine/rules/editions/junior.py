"""The edition for ages 4 and up, numbers 1 to 10, star coins (in German); section titles are quoted as printed."""

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
    Stars,
    Stock,
    TurnRules,
)
from tilekeeper.engine.tiles.tile import Colour

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
    turn=TurnRules(
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

SOURCES: Final = sources(
    SILENT,
    {
        "stock.inks": printed("Inhalt", "(10 rote, 10 blaue, 10 gelbe und 10 schwarze Steine)"),
        "stock.numbers": printed("Inhalt", "40 Spielsteine mit den Zahlen von 1 bis 10"),
        "stock.copies": printed("Inhalt", "(10 rote, 10 blaue, 10 gelbe und 10 schwarze Steine)"),
        "stock.jokers": printed("Inhalt", "4 Joker"),
        "setup.least_players": printed("Titel", "Für 2 - 4 Spieler"),
        "setup.most_players": printed("Titel", "Für 2 - 4 Spieler"),
        "setup.dealt": printed("Das „echte“ Spiel", "Jeder Spieler nimmt sich 6 Spielsteine aus dem Pool"),
        "setup.starter": printed("Spielbeginn", "Der älteste Spieler oder der Spielbetreuer fängt an"),
        "setup.next_round": printed("Eine neue Runde", "Die Vorbereitungen sind die gleichen wie im obigen Abschnitt"),
        "melds.shortest": printed("Was ist eine Zahlenreihe?", "Eine Zahlenreihe besteht aus mindestens 3 Steinen"),
        "melds.largest_group": printed("Was ist eine Zahlenreihe?", "müssen alle diese Zahlen die gleiche Farbe haben"),
        "melds.wraps": ruling("1 is low here, too, and never comes after the highest number"),
        "opening.minimum_points": absent("there is no opening"),
        "opening.joker_points": absent("there is no opening"),
        "opening.several_sets": absent("there is no opening"),
        "opening.table": absent("there is no opening"),
        "manipulation.regrouping": ruling(
            "only adding is described", "Spielbeginn", "passende Steine zu der vorhandenen Reihe hinzufügen"
        ),
        "manipulation.take_back": ruling("no tile goes from the table to a rack, except a freed joker"),
        "joker.most_in_set": printed("Der Joker", "können zwei oder mehr Joker verwendet werden"),
        "joker.sets": ruling(
            "every part that is left is valid, and moving only a joker is not a turn",
            "Der Joker",
            "wenn die Reihe danach noch immer aus mindestens drei Steinen besteht",
        ),
        "joker.replaced_from": ruling("the rulebook does not say from where; it is the rack, and it counts as a turn"),
        "joker.freed": printed("Der Joker", "und in einer sp äteren Runde verwenden"),
        "turn.least_tiles": printed("Spielbeginn", "Wenn er keine Zahlenreihe bilden kann oder aus taktischen Gründen"),
        "turn.drawn": printed("Spielbeginn", "einen zusätzlichen Spielstein aus dem Pool nehmen"),
        "turn.plays_on_after_draw": printed("Spielbeginn", "Seine Runde ist dann vorbei"),
        "turn.limit_s": absent("no time limit is printed"),
        "turn.timed_before_opening": absent("there is neither a limit nor an opening"),
        "penalty.restore": ruling("a wrong turn is put back"),
        "penalty.tiles": absent("no penalty is printed"),
        "penalty.tiles_before_opening": absent("no penalty is printed"),
        "penalty.forgotten_to_pool": absent("no penalty is printed"),
        "ending.pool_empty": ruling("play goes on until everybody passes in turn"),
        "scoring.tile_value": printed(
            "Ende des Spiels", "1 Stern für jeden Stein, der noch auf ihrem Aufstellbrettchen steht"
        ),
        "scoring.joker_points": printed(
            "Ende des Spiels", "1 Stern für jeden Stein, der noch auf ihrem Aufstellbrettchen"
        ),
        "scoring.empty_pool": absent("stars are counted"),
        "scoring.lowest": absent("stars are counted"),
        "scoring.fewer_tiles_win": absent("stars are counted"),
        "scoring.totals": ruling(
            "all stars go back, each round has its own winner, and rounds won are counted",
            "Eine neue Runde",
            "Alle Sterne gehen zurück in die Bank",
        ),
        "stars.bank": printed("Inhalt", "56 Sternmünzen"),
        "stars.dealt": printed("Das „echte“ Spiel", "6 Sterne (die restlichen Sterne bilden die Bank)"),
        "stars.tile": printed("Belohnungen", "Für jeden ausgelegten Spielstein: 1 Stern"),
        "stars.replacing": printed("Der Joker", "Das Ersetzen des Jokers wird nicht mit einem Stern belohnt"),
        "stars.new_run": printed("Belohnungen", "Für jede ausgelegte Zahlenreihe: 1 Stern"),
        "stars.empty_rack": printed(
            "Belohnungen", "wodurch das Aufstellbrettchen eines Spielers leer wird: 1 Stern", "printed twice, paid once"
        ),
        "stars.passing": printed("Spielbeginn", "muss er einen Stern an die Bank abgeben"),
        "stars.free_pass": printed(
            "Muss jedes Mal", "und der allgemeine Pool leer ist, muss kein Strafstern gezahlt werden"
        ),
        "stars.draw_unpaid": printed(
            "Muss jedes Mal", "keine Sterne mehr in seinem Besitz hat, ist einfach der nächste"
        ),
        "stars.tile_left": printed("Ende des Spiels", "Alle anderen Spieler zahlen der Bank 1 Stern für jeden Stein"),
        "stars.tiles_left_cost": ruling(
            "if the round ends because everybody passes, tiles left are paid for, and nobody went out"
        ),
        "stars.finisher_wins_tie": ruling(
            "if the player who went out is not in a tie, it is shared",
            "Der Gewinner",
            "gewinnt der Spieler, der als Erster alle seine Spielsteine ausgelegt hat",
        ),
        "stars.debt_noted": ruling("the bank never pays what it does not have; it notes what it owes"),
        "stars.found": printed("Bekanntmachungsspiel", "erhält zur Belohnung eine Sternmünze"),
    },
)
