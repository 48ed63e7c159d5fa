"""What else some tiles may be, in the order in which it is worth trying before a turn is called illegal.

A namer that is wrong is sure of itself all the same, but the true name is then nearly always the one it thinks of next:
it is what may be tried, whatever the confidence, and first where the faults lie.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, combinations

import numpy as np

from tilekeeper.vision.types import JOINT_JOKER, NO_TILE_LABEL, Grouping, ReadTile, TableReading, label_of

STILL_POSSIBLE, WHERE_INSISTED = 0.005, 0.001
"""Names that are as likely as the first beside the name that was read are tried, however sure that one seems. Measured
on recorded games of printings never seen: with tiles that were read rightly the name they are easily confused with
reaches it on about one of a hundred; with most that were read wrongly the true name does. In faulty melds the second
will do where people were called wrong in this turn already and say that it is done all the same."""
JOKER_POSSIBLE = 0.02
"""A joker makes nearly every fault legal and is easily confused with nothing: it must be as likely as this."""
CERTAIN, MOST_LESS_CERTAIN = 0.9999, 6
"""Of tiles below this so many, the least certain, are tried with their second likeliest names too, and that many two at
a time."""
MOST_SINGLE = 14
"""So many names of single tiles are tried: in a picture in which much is unsure, two tiles have their turn as well."""

JOKER_LABEL = label_of(JOINT_JOKER)

Names = Mapping[int, str]
"""Other labels for some of a reading's tiles, by index."""
Look = tuple[Names, Grouping | None]
"""Names to take tiles for, and other melds for them to lie in."""


def second_looks(
    reading: TableReading,
    faulty: Collection[int],
    inks: tuple[str, str, str, str],
    groupings: Sequence[Grouping],
    insisted: bool,
) -> Iterator[Look]:
    """Yield what to take tiles for, the likeliest first.

    One tile alone, then two tiles, then one tile and other melds; of each so few that the others have their turn.

    Args:
        reading: what was read.
        faulty: the tiles, by index, of the melds that are at fault; they go before all others.
        inks: the names of the inks.
        groupings: other melds to look at.
        insisted: whether people say that it is done although they were called wrong before.
    """
    open_ = [at for at, tile in enumerate(reading.tiles) if not tile.sighting.locked_by_person]
    least = {at: WHERE_INSISTED if insisted and at in faulty else STILL_POSSIBLE for at in open_}
    rated = sorted(
        (at not in faulty, -odds, at, name)
        for at in open_
        for odds, name in _possible(reading.tiles[at], least[at], inks)
    )
    unsure = sorted(
        (at for at in open_ if reading.tiles[at].confidence < CERTAIN and _names_another(reading.tiles[at])),
        key=lambda at: reading.tiles[at].confidence,
    )
    less_certain = [(at, reading.tiles[at].runner_up) for at in unsure[:MOST_LESS_CERTAIN]]
    single = list(dict.fromkeys([*((at, name) for *_, at, name in rated), *less_certain]))
    likeliest: dict[int, str] = {}
    for at, name in single:
        likeliest.setdefault(at, name)
    two = combinations(list(likeliest.items())[:MOST_LESS_CERTAIN], 2)
    single = single[:MOST_SINGLE]
    return chain(
        (({at: name}, None) for at, name in single),
        ((dict(both), None) for both in two),
        (({at: name}, one) for at, name in single for one in groupings),
    )


def _possible(tile: ReadTile, least: float, inks: tuple[str, str, str, str]) -> Iterator[tuple[float, str]]:
    """Yield the names that a tile may have beside its own, as likely at least, each with its log-odds against it.

    That is by what the table makes of it, or by what it looked like by itself: the others make a wrong name surer, too.
    """
    names = tile.sighting.names
    log_odds = np.maximum(*(one - one.max() for one in (names.log_probs, names.own_log_probs)))
    for at in np.flatnonzero(log_odds >= np.log(least)):
        name = label_of(int(at), inks)
        # What is seen this clearly is a tile: without it many a fault would be gone.
        likely = at != JOINT_JOKER or log_odds[at] >= np.log(JOKER_POSSIBLE)
        if likely and name not in (tile.label, NO_TILE_LABEL):
            yield float(log_odds[at]), name


def _names_another(tile: ReadTile) -> bool:
    # A joker that is likely enough is among the possible names already.
    return tile.runner_up not in (tile.label, NO_TILE_LABEL, JOKER_LABEL)
