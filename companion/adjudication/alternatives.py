"""Alternative labels for tiles, the likeliest first, which are tried before a turn is called illegal.

The classifier can be wrong with high confidence. Then the true label is nearly always its second label. So
labels are tried whatever the confidence of the label read: first those with enough odds, beginning with tiles in
illegal melds; then the second labels of the least confident tiles.
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
"""The least odds (0 to 1) of another label, relative to the read label, at which it is tried. On held-out tables
one of nine tiles that were read correctly and without doubt has another label above the first limit. So does the true
label of 27 of 30 misread tiles. The second limit is for tiles in illegal melds if Done is pressed again after the turn
was called illegal."""
LEAST_JOKER_ODDS = 0.1
"""The least odds of a joker, which makes nearly every illegal meld legal and is rarely confused with a number. Among
19,035 tiles of held-out rendered tables and photos, the joker had odds of 0.05 or more for no number read without
doubt, and of 0.02 or more for four."""
CERTAIN, MOST_LESS_CERTAIN = 0.9999, 6
"""The second labels of the six least confident tiles are also tried, alone and in pairs, if the tile's confidence is
below 0.9999."""
MOST_SINGLE = 14
"""At most 14 labels of single tiles are tried before pairs, so that pairs are tried on every image."""

Labels = Mapping[int, str]
"""Alternative labels for some tiles of a reading, by the tile's index."""
Alternative = tuple[Labels, AlternativeGrouping | None]
"""Alternative labels for some tiles, and another grouping into melds; None for the grouping that was read."""


def alternatives(
    reading: TableReading,
    faulty: Collection[int],
    inks: tuple[str, str, str, str],
    groupings: Sequence[AlternativeGrouping],
    insisted: bool,
) -> Iterator[Alternative]:
    """Yield alternatives of a reading with which the turn can be judged, the likeliest first.

    First come other labels of single tiles, then of pairs of tiles, then of single tiles together with other groupings.

    Args:
        reading: the reading of the table after the turn.
        faulty: the indices of tiles in illegal melds, which come first.
        inks: the edition's names of the four inks.
        groupings: other groupings of the tiles into melds.
        insisted: whether Done was pressed again after the turn was called illegal.
    """
    unlocked = [at for at, tile in enumerate(reading.tiles) if not tile.sighting.locked_by_person]
    least = {at: LEAST_ODDS_WHEN_INSISTED if insisted and at in faulty else LEAST_ODDS for at in unlocked}
    rated = sorted(
        (at not in faulty, -odds, at, label)
        for at in unlocked
        for odds, label in _possible_labels(reading.tiles[at], least[at], inks)
    )
    uncertain = sorted(
        (at for at in unlocked if reading.tiles[at].confidence < CERTAIN and _has_other_label(reading.tiles[at])),
        key=lambda at: reading.tiles[at].confidence,
    )
    less_certain = [(at, reading.tiles[at].runner_up) for at in uncertain[:MOST_LESS_CERTAIN]]
    single = list(dict.fromkeys([*((at, label) for *_, at, label in rated), *less_certain]))
    likeliest: dict[int, str] = {}
    for at, label in single:
        likeliest.setdefault(at, label)
    pairs = combinations(list(likeliest.items())[:MOST_LESS_CERTAIN], 2)
    single = single[:MOST_SINGLE]
    return chain(
        (({at: label}, None) for at, label in single),
        ((dict(pair), None) for pair in pairs),
        (({at: label}, grouping) for at, label in single for grouping in groupings),
    )


def _possible_labels(tile: ReadTile, least: float, inks: tuple[str, str, str, str]) -> Iterator[tuple[float, str]]:
    """Yield (log-odds, label) for each other label of a tile with odds of `least` or more (0 to 1) to the label read.

    The classifier has two distributions: before and after the tile was compared with the other tiles of its table. The
    higher odds count, because the comparison can make a wrong label more confident.
    """
    names = tile.sighting.names
    log_odds = np.maximum(*(log_probs - log_probs.max() for log_probs in (names.log_probs, names.own_log_probs)))
    for at in np.flatnonzero(log_odds >= np.log(least)):
        label = label_of(int(at), inks)
        # "no-tile" is left out: removing a tile would hide many real violations
        likely = at != JOINT_JOKER or log_odds[at] >= np.log(LEAST_JOKER_ODDS)
        if likely and label not in (tile.label, NO_TILE_LABEL):
            yield float(log_odds[at]), label


def _has_other_label(tile: ReadTile) -> bool:
    # `_possible_labels` yields the joker if it is likely enough
    return tile.runner_up not in (tile.label, NO_TILE_LABEL, JOKER_LABEL)
