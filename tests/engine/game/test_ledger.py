"""The ledger: missing tiles, extra tiles and impossible counts raise alarms."""

from dataclasses import replace

from tilekeeper.engine.game.ledger import Alarm, AlarmCode, Ledger, difference
from tilekeeper.engine.game.stars import Bank
from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.engine.tiles.notation import parse_table
from tilekeeper.engine.tiles.tile import JOKER, Tile

STOCK = rule_set("large-numbers").stock
LEDGER = Ledger(STOCK, parse_table("R3 R4 R5 | K7 B7 J"), (14, 8), (None, None), 78, None)


def shown(text: str) -> tuple[Tile, ...]:
    return parse_table(text).melds[0]


def test_complete_box_raises_no_alarm() -> None:
    """Every tile is on the table, on a rack or in the pool."""
    assert (LEDGER.total, LEDGER.unaccounted) == (106, 0)
    assert LEDGER.alarms() == ()


def test_missing_and_extra_tiles_raise_an_alarm() -> None:
    """The sum over table, racks and pool must be that of the box."""
    assert replace(LEDGER, pool=77).alarms() == (Alarm(AlarmCode.UNACCOUNTED, 105, 106),)
    assert replace(LEDGER, racks=(15, 8)).alarms() == (Alarm(AlarmCode.TOO_MANY_TILES, 107, 106),)
    assert replace(LEDGER, racks=(15, 8)).unaccounted == -1


def test_rack_or_pool_below_zero_raises_an_alarm() -> None:
    """It gave more tiles than it had."""
    assert replace(LEDGER, racks=(-2, 24)).alarms() == (Alarm(AlarmCode.RACK_BELOW_ZERO, -2, 0, player=0),)
    assert replace(LEDGER, racks=(52, 49), pool=-1).alarms() == (Alarm(AlarmCode.POOL_BELOW_ZERO, -1, 0),)


def test_too_many_copies_on_table_and_shown_racks_raise_an_alarm() -> None:
    """Both are compared with the box together."""
    ledger = replace(LEDGER, shown=(shown("R3 R3 Y1"), shown("J J")))
    assert ledger.visible[JOKER] == 3
    assert ledger.alarms() == (
        Alarm(AlarmCode.TOO_MANY_COPIES, 3, 2, tile=Tile.from_label("red-3")),
        Alarm(AlarmCode.UNKNOWN_TILE, 1, 0, tile=Tile.from_label("yellow-1")),
        Alarm(AlarmCode.TOO_MANY_COPIES, 3, 2, tile=JOKER),
    )


def test_debts_of_the_bank_raise_an_alarm_for_each_player() -> None:
    """With the number of stars."""
    ledger = replace(LEDGER, bank=Bank(0, (30, 26), (1, 0, 1)))
    assert ledger.alarms() == (Alarm(AlarmCode.BANK_OWES, 1, 0, 0), Alarm(AlarmCode.BANK_OWES, 2, 0, 1))
    assert replace(LEDGER, bank=Bank(1, (30, 25))).alarms() == ()


def test_count_that_differs_raises_an_alarm() -> None:
    """The expected count raises none."""
    assert difference(AlarmCode.POOL_DIFFERS, 3, 3) == ()
    assert difference(AlarmCode.RACK_DIFFERS, 3, 4, 1) == (Alarm(AlarmCode.RACK_DIFFERS, 3, 4, 1),)
