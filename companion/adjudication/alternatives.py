"""Lists other names that tiles may have, in the order in which they are tried before a turn is called illegal.

The classifier can be wrong and certain at once. Then the true name is nearly always its second one. So second names are
tried however high the confidence is, and first in the melds that are at fault.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, combinations

import numpy as np

from tilekeeper.vision.types import (
    JOINT_JOKER,
    JOKER_LABEL,
    NO_TILE_LABEL,
    AlternativeGrouping,
    ReadTile,
    TableReading,
    label_of,
)

LEAST_ODDS, LEAST_ODDS_WHEN_INSISTED = 0.005, 0.001
"""A name is tried from these odds against the name that was read (0 to 1). Measured on tables of printings that were
kept out of training: about one of nine tiles that were read rightly and without doubt has another name above the first
limit, and so has the true name of 27 of 30 that were read wrongly. The second limit holds in faulty melds, where the
turn was called illegal before and people say again that it is done."""
LEAST_JOKER_ODDS = 0.1
"""The same limit for the joker: it makes nearly every fault legal and is hardly ever confused with a number. Of 19,035
tiles of kept-out rendered tables and of photos no number that was read without doubt had it at 0.05, four at 0.02."""
CERTAIN, MOST_LESS_CERTAIN = 0.9999, 6
"""Tiles with a confidence below the first (0 to 1) are tried with their second names too: so many, the least certain
ones, alone and in pairs."""
MOST_SINGLE = 14
"""So many names of single tiles are tried before pairs are, so that pairs are tried in every picture."""

Names = Mapping[int, str]
"""Other labels for some of a reading's tiles, by index."""
Alternative = tuple[Names, AlternativeGrouping | None]
"""Other names for some tiles, and other melds in which tiles may lie."""


def alternatives(
    reading: TableReading,
    faulty: Collection[int],
    inks: tuple[str, str, str, str],
    groupings: Sequence[AlternativeGrouping],
    insisted: bool,
) -> Iterator[Alternative]:
    """Yield other names and melds to judge the turn with, the likeliest first.

    First come single tiles, then pairs of tiles, then single tiles together with other melds.

    Args:
        reading: what was read.
        faulty: indices of the tiles in melds that are at fault; these tiles come first.
        inks: the edition's words for the four inks.
        groupings: other melds in which tiles may lie.
        insisted: whether the turn was called illegal before and people say again that it is done.
    """
    unnamed = [at for at, tile in enumerate(reading.tiles) if not tile.sighting.locked_by_person]
    least = {at: LEAST_ODDS_WHEN_INSISTED if insisted and at in faulty else LEAST_ODDS for at in unnamed}
    rated = sorted(
        (at not in faulty, -odds, at, name)
        for at in unnamed
        for odds, name in _possible_names(reading.tiles[at], least[at], inks)
    )
    uncertain = sorted(
        (at for at in unnamed if reading.tiles[at].confidence < CERTAIN and _names_another(reading.tiles[at])),
        key=lambda at: reading.tiles[at].confidence,
    )
    less_certain = [(at, reading.tiles[at].runner_up) for at in uncertain[:MOST_LESS_CERTAIN]]
    single = list(dict.fromkeys([*((at, name) for *_, at, name in rated), *less_certain]))
    likeliest: dict[int, str] = {}
    for at, name in single:
        likeliest.setdefault(at, name)
    pairs = combinations(list(likeliest.items())[:MOST_LESS_CERTAIN], 2)
    single = single[:MOST_SINGLE]
    return chain(
        (({at: name}, None) for at, name in single),
        ((dict(both), None) for both in pairs),
        (({at: name}, one) for at, name in single for one in groupings),
    )


def _possible_names(tile: ReadTile, least: float, inks: tuple[str, str, str, str]) -> Iterator[tuple[float, str]]:
    """Yield a tile's other names whose odds against its own are `least` or more (0 to 1), each with its log-odds.

    The better of two odds counts: those after the tile was compared with the others of its table, and those before,
    since the comparison can make a wrong name more certain.
    """
    names = tile.sighting.names
    log_odds = np.maximum(*(one - one.max() for one in (names.log_probs, names.own_log_probs)))
    for at in np.flatnonzero(log_odds >= np.log(least)):
        name = label_of(int(at), inks)
        # "no-tile" is left out: without the tile many a real fault would be gone
        likely = at != JOINT_JOKER or log_odds[at] >= np.log(LEAST_JOKER_ODDS)
        if likely and name not in (tile.label, NO_TILE_LABEL):
            yield float(log_odds[at]), name


def _names_another(tile: ReadTile) -> bool:
    # a joker that is likely enough is among the possible names already
    return tile.runner_up not in (tile.label, NO_TILE_LABEL, JOKER_LABEL)
