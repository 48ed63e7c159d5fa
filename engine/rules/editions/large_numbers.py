"""The standard game with extra large numbers (in German, author E. Hertzano); section titles are quoted as printed."""

from __future__ import annotations

from typing import Final

from tilekeeper.engine.rules.editions.sources import SILENT, printed, ruling, sources
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

LARGE_NUMBERS: Final = RuleSet(
    name="large-numbers",
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
        stack_size=7,
        starter=Starter.CHOSEN,
        joker_drawn=None,
        next_round=NextRound.AS_FIRST,
        redeal_pairs=3,
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
        restore=Restore.EVERYTHING,
        tiles=3,
        tiles_before_opening=3,
        for_wrong_layout=True,
        forgotten_to_pool=True,
    ),
    ending=Ending(
        pool_empty=PoolEmpty.LAST_TURNS,
        drawer_plays_last=True,
    ),
    scoring=Scoring(
        tile_value=TileValue.NUMBER,
        joker_points=30,
        empty_pool=EmptyPoolScore.ALL_MINUS,
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
        "stock.numbers": printed("Spielinhalt", "2 Serien mit den Zahlen 1 – 13"),
        "stock.copies": printed("Spielinhalt", "2 Serien mit den Zahlen 1 – 13"),
        "stock.jokers": printed("Spielinhalt", "2 Jokersteine"),
        "setup.least_players": printed("Titel", "Für 2 – 4 Spieler ab 7 Jahren"),
        "setup.most_players": printed("Titel", "Für 2 – 4 Spieler ab 7 Jahren"),
        "setup.dealt": printed("Spielvorbereitung", "zwei Stapel (14 Spielsteine) weiter"),
        "setup.stack_size": printed(
            "Spielvorbereitung", "zu Stapeln mit je 7 Spielsteinen und einem mit 8 Spielsteinen"
        ),
        "setup.starter": printed("Spielvorbereitung", "Der Startspieler wird bestimmt oder ausgelost."),
        "setup.redeal_pairs": printed(
            "Spielvorbereitung",
            "Hat ein Spieler bei den ersten 14 Spielsteinen drei oder mehrere Paare gleicher Zahl und",
        ),
        "setup.jokers_pair": ruling(
            "pairs of the same number and colour count; two jokers are no pair",
            "Spielvorbereitung",
            "gleicher Zahl und Farbe",
        ),
        "melds.shortest": printed("Serien", "mindestens 3 aufeinander folgenden Zahlen der gleichen Farbe"),
        "melds.largest_group": printed("Serien", "eine Kombination von 3 oder 4 Spielsteinen gleicher Zahl"),
        "melds.wraps": printed("Serien", "niemals an die 13 anschließen darf!"),
        "opening.minimum_points": printed("Spieleinstieg", "mindestens 30 Punkte offen ablegen"),
        "opening.joker_points": printed("Spieleinstieg", "Der Joker zählt den Wert der Zahl, die er ersetzt."),
        "opening.several_sets": printed("Spieleinstieg", "aber auch in verschiedenen Gruppen oder Reihen"),
        "opening.table": printed("Spieleinstieg", "weder manipulieren, noch an sie anlegen oder einen Joker ersetzen"),
        "manipulation.regrouping": printed(
            "Manipulationen", "Die Steine können in jeder erdenklichen Weise umgruppiert werden."
        ),
        "manipulation.take_back": printed("Manipulationen", "zurück auf den Aufsteller genommen werden"),
        "joker.sets": printed(
            "Der Joker", "genauso durch Teilen, Anfügen oder Entfernen von Steinen manipuliert werden"
        ),
        "joker.replaced_from": printed("Der Joker", "kann vom Aufsteller oder vom Tisch kommen"),
        "joker.freed": ruling(
            "every set is new, except an old one that is otherwise unchanged",
            "Der Joker",
            "im gleichen Zug in einer neuen Kombination einsetzen",
        ),
        "turn.least_tiles": printed("Weitere Spielzüge", "legt mindestens einen Spielstein von seinem Aufsteller ab"),
        "turn.drawn": printed(
            "Weitere Spielzüge", "muss einen Stein aus dem Pool ziehen. Der Spielzug ist damit beendet"
        ),
        "turn.plays_on_after_draw": printed("Weitere Spielzüge", "Der Spielzug ist damit beendet"),
        "turn.limit_s": printed("Zeitlimit", "Jeder Spieler hat 1 Minute Zeit, seinen Spielzug durchzuführen."),
        "turn.timed_before_opening": printed(
            "Zeitlimit", "Jeder Spieler hat 1 Minute Zeit, seinen Spielzug durchzuführen."
        ),
        "penalty.restore": printed(
            "Strafsteine", "müssen die Spielsteine in ihre ursprüngliche Position gebracht werden"
        ),
        "penalty.tiles": printed("Strafsteine", "der Spieler zieht 3 Spielsteine aus dem Pool"),
        "penalty.tiles_before_opening": printed("Strafsteine", "der Spieler zieht 3 Spielsteine aus dem Pool"),
        "penalty.for_wrong_layout": ruling(
            "when time is up, or the player sticks to it; before that the player may fix it",
            "Rand",
            "3 Strafsteine bei falscher Auslage",
        ),
        "penalty.forgotten_to_pool": printed("Strafsteine", "werden diese wieder in den Pool gemischt"),
        "ending.pool_empty": printed(
            "Keine Steine mehr im Pool", "Danach dürfen alle Spieler in einer letzten Runde versuchen"
        ),
        "ending.drawer_plays_last": ruling(
            "the player who draws the last tile has a last turn, too",
            "Keine Steine mehr im Pool",
            "dürfen alle Spieler",
        ),
        "scoring.tile_value": printed(
            "Abrechnung", "jeder Stein zählt seinen Zahlenwert und ein Joker zählt 30 Punkte"
        ),
        "scoring.joker_points": printed("Abrechnung", "ein Joker zählt 30 Punkte"),
        "scoring.empty_pool": printed(
            "Keine Steine mehr im Pool", "Alle Spieler – auch der Gewinner – notieren sich die Summe"
        ),
        "scoring.lowest": printed("Keine Steine mehr im Pool", "befindlichen Spielsteine am Niedrigsten ist"),
        "scoring.fewer_tiles_win": printed(
            "Keine Steine mehr im Pool", "der weniger Spielsteine auf dem Aufsteller hat"
        ),
        "scoring.totals": printed("Abrechnung", "Der Spieler mit der höchsten Gesamtpunktezahl gewinnt."),
    },
)
