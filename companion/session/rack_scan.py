"""The scan of a rack: select its rows in a reading, and count the tiles that the ledger expects on it."""

from tilekeeper.companion.observation.observed_table import table_and_rows
from tilekeeper.companion.session.game_night import GameNight
from tilekeeper.engine.tiles.table import Table
from tilekeeper.vision.layout.racks import rack_rows
from tilekeeper.vision.types import Rows, TableReading


def select_rack(reading: TableReading, table: Table) -> Rows:
    """Return the rows of a rack in a picture of table and rack, as indices of the tiles in `reading`.

    Each meld of `table` is removed from the reading once, in either direction; the remaining tiles are the rack's.

    Args:
        reading: the reading of the picture; its rows are the melds of the table and the rows of the rack.
        table: the table by the ledger.
    """
    observed, rows = table_and_rows(reading)
    remaining = [(list(meld), list(row)) for meld, row in zip(observed.melds, rows, strict=True)]
    for meld in table.melds:
        wanted = [list(meld), list(meld[::-1])]
        # Whole rows first, since the rack's rows may contain the same tiles.
        places = [
            (tiles, row, start)
            for is_whole in (True, False)
            for tiles, row in remaining
            for part in wanted
            for start in range(len(tiles) - len(part) + 1)
            if tiles[start : start + len(part)] == part and (len(tiles) == len(part)) is is_whole
        ]
        if places:
            tiles, row, start = places[0]
            del tiles[start : start + len(meld)], row[start : start + len(meld)]
    kept = [index for _, row in remaining for index in row]
    return tuple(tuple(kept[place] for place in row) for row in rack_rows(reading.quads_px[kept]))


def count_expected_tiles(night: GameNight | None, player: int | None) -> int | None:
    """Return how many tiles a player's rack has by the ledger.

    None if the ledger does not know, or the rack was shown already at the end of the round.
    """
    play = None if night is None else night.state.state.round
    if play is None or player is None or not 0 <= player < len(play.seats):
        return None
    seat = play.seats[player]
    return None if seat.away or seat.shown is not None or seat.rack < 0 else seat.rack
