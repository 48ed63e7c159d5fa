"""Words for scores: points, the phase of a game, and a sentence for each alarm of the ledger."""

from fractions import Fraction

import pytest

from tests.support.games import deal_game
from tilekeeper.companion.text.scores import alarm_sentence, points_words, standing_sentence
from tilekeeper.engine.game.events import GameStarted, PoolCounted
from tilekeeper.engine.game.game import Game
from tilekeeper.engine.game.ledger import Alarm, AlarmCode
from tilekeeper.engine.game.scoring import Points
from tilekeeper.engine.tiles.tile import JOKER, Tile

PLAYERS = ("Ada", "Bo")
RED_3 = Tile.from_label("red-3")


@pytest.mark.parametrize(
    ("points", "words"),
    [(24, "+24"), (-5, "-5"), (0, "0"), (Fraction(15, 2), "+7 1/2"), (Fraction(-1, 3), "-1/3")],
)
def test_points_have_a_sign(points: Points, words: str) -> None:
    """Points have a sign, and a fraction only if they are not whole."""
    assert points_words(points) == words


def test_points_without_a_sign() -> None:
    """Stars and rounds won have no sign."""
    assert points_words(4, signed=False) == "4"


ALARMS = [
    (Alarm(AlarmCode.UNKNOWN_TILE, 1, 0, tile=RED_3), "The box has no red 3, but one was shown."),
    (Alarm(AlarmCode.TOO_MANY_COPIES, 3, 2, tile=JOKER), "joker was shown 3 times, but the box has only 2."),
    (
        Alarm(AlarmCode.TOO_MANY_TILES, 107, 106),
        "107 tiles are on the table, on racks and in the pool, but the box has 106.",
    ),
    (Alarm(AlarmCode.UNACCOUNTED, 104, 106), "2 tiles of the box are missing."),
    (Alarm(AlarmCode.RACK_BELOW_ZERO, -2, 0, 1), "Bo laid 2 tiles too many: the rack can't have had that many."),
    (Alarm(AlarmCode.POOL_BELOW_ZERO, -1, 0), "The players drew 1 tile too many: the pool can't have had that many."),
    (Alarm(AlarmCode.DEAL_DIFFERS, 15, 14, 0), "Ada started with 15 tiles, not 14."),
    (Alarm(AlarmCode.RACK_DIFFERS, 1, 2, 0), "Ada has 1 tile on the rack; there should be 2."),
    (Alarm(AlarmCode.RACK_DIFFERS, 4, 1, 0), "Ada has 4 tiles on the rack; there should be 1."),
    (Alarm(AlarmCode.POOL_DIFFERS, 1, 2), "There is 1 tile in the pool; there should be 2."),
    (Alarm(AlarmCode.TABLE_DIFFERS, 4, 3), "There are 4 tiles on the table; there should be 3."),
    (Alarm(AlarmCode.NOT_RESTORED, 2, 0, 1), "Bo's failed turn left 2 tiles too many on the table."),
    (Alarm(AlarmCode.BANK_OWES, 1, 0, 0), "The bank has no coins left. It owes Ada 1 star."),
]


@pytest.mark.parametrize(("alarm", "sentence"), ALARMS, ids=[alarm.code for alarm, _ in ALARMS])
def test_alarm_becomes_a_sentence(alarm: Alarm, sentence: str) -> None:
    """The sentence has the player, the kind and the number."""
    assert alarm_sentence(alarm, PLAYERS) == sentence


def test_every_alarm_has_its_sentence() -> None:
    assert {alarm.code for alarm, _ in ALARMS} == set(AlarmCode)


def test_standing_sentence_counts_the_last_turns() -> None:
    """The sentence about the pool has the number of remaining turns."""
    game = deal_game().record(PoolCounted(0))
    assert standing_sentence(game) == "Round 1: it is Ada's turn, 0 tiles in the pool, 2 turns before the end."


def test_phase_of_the_first_acquaintance_game_names_no_turn() -> None:
    """It has no turns."""
    game = Game.start(GameStarted(PLAYERS, "junior", first_acquaintance=True))
    assert standing_sentence(game) == "The players are looking for tiles."
