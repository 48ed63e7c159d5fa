"""Decides label, confidence and doubts of every tile, and which candidates are part of the reading.

No other module writes these columns of the table. The steps, in the order of `decide`:

1. labels: the crops of all tiles are compared (glyphs of one printing, inks of one table);
2. hysteresis: a label that was certain in several frames is kept until strong evidence contradicts it;
3. duplicates: one place holds one tile;
4. unlabelled tiles: a firm detection in a row of tiles is flagged, even if the classifier sees no tile there;
5. set membership: size, white and rims are compared with the tiles around;
6. rows and stock: doubtful tiles get labels that fit their neighbours and the copies in the set. They stay doubtful, so
   that an illegal meld is never read as a legal one without a question.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

from tilekeeper.vision.arrays import Bools, Floats, Ints, are_among, normalise_log_probs
from tilekeeper.vision.geometry.proximity import (
    MAX_SAME_TILE_DISTANCE_WIDTHS,
    MIN_NEXT_TILE_DISTANCE_WIDTHS,
    are_free,
    are_same_place,
    suppress_duplicates,
)
from tilekeeper.vision.geometry.quads import areas_px, as_quads, centres_px, covered_share, sizes_wh_px
from tilekeeper.vision.geometry.table_plane import nearest_tile_shapes
from tilekeeper.vision.layout.rows import group_rows, group_with_alternatives
from tilekeeper.vision.recognition.glyph_embedding import joint_numbers
from tilekeeper.vision.recognition.inks import COPIES, InkEvidence, joint_inks
from tilekeeper.vision.scene import Scene
from tilekeeper.vision.scoring.calibration import Calibration
from tilekeeper.vision.scoring.membership import MIN_PEER_CONFIDENCE_PROB, compare_with_set
from tilekeeper.vision.scoring.tileness import IsTile
from tilekeeper.vision.tile_table import NONE, SetMembership, TileTable, are_likely_tiles, certain_log_probs, no_doubts
from tilekeeper.vision.types import (
    INKS,
    JOINT_JOKER,
    JOINT_NOT_A_TILE,
    NOT_A_TILE,
    AlternativeGrouping,
    DoubtReason,
    Rows,
    joint_log_probs,
)

MIN_LOCK_CROPS = 2  # a label can be locked after this many crops
LOCK_ODDS_RATIO = 2.0  # a label is locked at this many times the odds of the doubt limit, and doubtful at 1/this
MIN_LOCKED_PROB = 0.4  # a locked label with a lower probability is unlocked
MAX_COVERED_BY_TILE_SHARE = 0.6  # a doubtful tile is dropped as a part of a certain tile that covers more of it
MIN_COVERED_AREA_SHARE = 0.25  # a doubtful tile with at most this share of a certain tile's area is not its part
MIN_FIRM_DETECTION_SCORE = 0.8  # a place with this detector score holds something, whatever the classifier says
UNLABELLED_LOG_PROB_WEIGHT = 0.25  # weight of an unlabelled tile's log-probabilities, because its crop was misplaced
MAX_RELABEL_LOSS_LOG = 8.0  # a label is not given if it is less likely by more: the set may have extra tiles
MELD_NEIGHBOUR_BONUS_LOG = 1.0  # bonus of a label that fits a meld with its neighbour; small, as melds may be illegal
TIE_BREAK_LOG = 1e-6  # "not a tile" gets a probability of 1/2 and this (natural log) more, so that it is never second


@dataclass(frozen=True, slots=True, eq=False)
class Decision:
    """The result of `decide`.

    `table`: all candidates with the columns of this module filled in; `tiles (K,)`: indices of the confirmed tiles, in
    rising order; `rows`, `alternatives`: the tiles' grouping and other likely groupings, as indices into `tiles`.
    """

    table: TileTable
    tiles: Ints
    rows: Rows
    alternatives: tuple[AlternativeGrouping, ...]


def decide(
    scene: Scene,
    table: TileTable,
    copies: int,
    calibration: Calibration,
    *,
    is_colourless: bool = False,
    known_inks: InkEvidence | None = None,
) -> Decision:
    """Decide which candidates in a scene are tiles, and label, confidence and doubts of each.

    `copies`: of each tile in the set; `is_colourless`: whether the image shows no colours, so that every number is
    doubtful; `known_inks`: inks that people confirmed on tiles that are gone. The given `table` is not changed.
    """
    table, count = table.copy(), len(table)
    table.is_reported, table.doubts, table.confidence = np.zeros(count, bool), no_doubts(count), np.zeros(count)
    table.label, table.runner_up = np.full(count, NONE), np.full(count, NONE)
    tempered = table.tempered()
    table.own_number_log_probs, table.own_ink_log_probs = tempered.number_log_probs, tempered.ink_log_probs
    was_left_out = are_among(table.membership, (SetMembership.NEW, SetMembership.FOREIGN)) & (table.crop_count > 1)
    is_rejected = table.person_label == JOINT_NOT_A_TILE
    considered = np.flatnonzero((table.membership != SetMembership.FOREIGN) & ~is_rejected)
    tiles = _label(table, considered, copies, calibration, known_inks)
    _add_doubt(table, tiles[is_colourless & (table.label[tiles] != JOINT_JOKER)], DoubtReason.NO_COLOURS)
    _apply_hysteresis(table, tiles, calibration.limits.doubtful_below)
    # A candidate that was classified before but was never a tile becomes a tile only if it is not doubtful.
    tiles = tiles[~(table.is_doubtful & was_left_out)[tiles]]
    tiles = tiles[is_no_duplicate(table.at(tiles))]
    tiles = np.union1d(tiles, add_unlabelled(table, considered, tiles))
    tiles = check_membership(scene, table, tiles, calibration.is_tile)
    rows, alternatives = group_with_alternatives(table.quads_px[tiles])
    _use_rows_and_stock(table, tiles, rows, copies)
    if is_rejected.any():
        _reject(table, np.flatnonzero(is_rejected))
    table.is_reported[tiles] = table.is_reported[is_rejected] = True
    return Decision(table, tiles, rows, alternatives)


def _label(
    table: TileTable, considered: Ints, copies: int, calibration: Calibration, known_inks: InkEvidence | None
) -> Ints:
    """Label the considered rows together; return the rows that are more likely a tile than not, whatever the label."""
    rows = table.at(considered)
    numbers = joint_numbers(rows.own_number_log_probs, rows.figures, calibration.space)
    inks = joint_inks(InkEvidence.of(rows), numbers, copies, known_inks)
    log_probs, index = joint_log_probs(numbers, inks), np.arange(len(rows))
    best = log_probs[:, :JOINT_NOT_A_TILE].argmax(axis=1)
    prob = np.exp(log_probs[index, best]) * np.minimum(1.0, rows.trusted_score / calibration.limits.sure_score)
    other_log_probs = log_probs.copy()
    other_log_probs[index, best] = -np.inf
    # Among equals the last is taken: "not a tile" rather than any label.
    second = log_probs.shape[1] - 1 - other_log_probs[:, ::-1].argmax(axis=1)
    table.joint_number_log_probs[considered], table.joint_ink_log_probs[considered] = numbers, inks
    table.label[considered], table.runner_up[considered] = best, second
    table.confidence[considered] = np.clip(prob.astype(np.float64), 0.0, 1.0)
    if calibration.confidence is not None:
        table.confidence[considered] = calibration.confidence(table.at(considered))
    tiles: Ints = considered[are_likely_tiles(numbers)]
    unsure = tiles[table.confidence[tiles] < calibration.limits.doubtful_below]
    for row in unsure:
        table.doubts[row] = ((_label_doubt(table, row), int(table.runner_up[row])),)
    return tiles


def _label_doubt(table: TileTable, row: int) -> DoubtReason:
    """Return the reason to doubt a label of low confidence, by the second most likely label."""
    number, second_number = table.label[row] // len(INKS), table.runner_up[row] // len(INKS)
    if table.runner_up[row] == JOINT_NOT_A_TILE:
        return DoubtReason.HARDLY_A_TILE
    if number == second_number:
        return DoubtReason.UNSURE_INK
    is_unlike = table.own_number_log_probs[row].argmax() != number
    return DoubtReason.UNLIKE_ITS_PRINTING if is_unlike else DoubtReason.UNSURE_NUMBER


def _apply_hysteresis(table: TileTable, tiles: Ints, doubtful_below: float) -> None:
    """Hysteresis: give tiles their locked label or a person's label, and lock labels that are certain now.

    A label is locked once it is certain after several crops, and kept until it becomes unlikely, so that the noise of
    one frame never changes a label. In a photo no label is locked.
    """
    locked, best = table.locked_label[tiles], table.label[tiles]
    locked_prob = np.exp(table.joint_log_probs[tiles, locked])
    holds = (locked != NONE) & ((locked == best) | (locked_prob >= MIN_LOCKED_PROB))
    is_clear = holds & (table.confidence[tiles] >= _at_odds(doubtful_below, 1 / LOCK_ODDS_RATIO))
    for row in tiles[is_clear]:
        table.doubts[row] = ()
    differs = holds & (locked != best)
    _relabel(table, tiles[differs], locked[differs], locked_prob[differs])
    confidence = table.confidence[tiles]
    stays_locked = (locked == table.label[tiles]) & (confidence >= MIN_LOCKED_PROB)
    is_sure = ~table.is_doubtful[tiles] & (confidence >= _at_odds(doubtful_below, LOCK_ODDS_RATIO))
    new_lock = np.where(is_sure & (table.crop_count[tiles] >= MIN_LOCK_CROPS), best, NONE)
    table.locked_label[tiles] = np.where(stays_locked, locked, new_lock)
    for row in tiles[table.person_label[tiles] != NONE]:
        label = table.person_label[row]
        table.label[row], table.confidence[row], table.doubts[row], table.locked_label[row] = label, 1.0, (), NONE
        table.joint_number_log_probs[row], table.joint_ink_log_probs[row] = certain_log_probs(int(label))
        table.own_number_log_probs[row] = table.joint_number_log_probs[row]


def _at_odds(prob: float, ratio: float) -> float:
    """Return the probability whose odds are `ratio` times the odds of `prob`."""
    return prob * ratio / (prob * ratio + 1 - prob)


def is_no_duplicate(tiles: TileTable) -> Bools:
    """Non-maximum suppression: return a mask `(N,)` of the tiles to keep, only the most confident at each place.

    A doubtful tile that is mostly covered by a certain tile is the maker's name on it, and is dropped as well.
    """
    if len(tiles) < 2:
        return np.ones(len(tiles), bool)
    centres, widths = centres_px(tiles.quads_px), sizes_wh_px(tiles.quads_px).min(axis=1)
    stays, within_px = np.ones(len(tiles), bool), MAX_SAME_TILE_DISTANCE_WIDTHS * widths
    if np.count_nonzero(are_same_place(centres, centres, within_px)) > len(tiles):  # some pair, beside each with itself
        index = np.arange(len(tiles))
        stays = np.isin(index, suppress_duplicates(index, centres, within_px, tiles.confidence))
    is_doubtful = tiles.is_doubtful
    is_certain = stays & ~is_doubtful & (tiles.confidence >= MIN_PEER_CONFIDENCE_PROB) & ~tiles.covered
    areas = areas_px(tiles.quads_px)
    for row in np.flatnonzero(stays & is_doubtful):
        may_cover = is_certain & (areas[row] > MIN_COVERED_AREA_SHARE * areas)
        stays[row] = covered_share(tiles.quads_px[row], tiles.quads_px[may_cover]) <= MAX_COVERED_BY_TILE_SHARE
    return stays


def add_unlabelled(table: TileTable, considered: Ints, tiles: Ints) -> Ints:
    """Add firm detections in a row of the `tiles` that the classifier took for non-tiles; return their indices.

    They are flagged, so that a meld does not count as too short because the classifier saw no third tile. Each quad
    gets the shape of a tile there and the direction of the nearest certain tile; its own corners were refined wrongly.
    """
    is_firm = (table.score[considered] >= MIN_FIRM_DETECTION_SCORE) & (table.person_label[considered] == NONE)
    is_firm &= ~table.covered[considered] & ~are_among(considered, tiles)
    certain_px = as_quads(table.quads_px[tiles[~table.is_doubtful[tiles]]] if is_firm.any() else ())
    if not len(certain_px):
        return tiles[:0]
    firm = considered[is_firm]
    centres = table.quads_px[firm].astype(np.float64).mean(axis=1)
    quads_px = nearest_tile_shapes(centres, certain_px)
    within_px = MIN_NEXT_TILE_DISTANCE_WIDTHS * sizes_wh_px(quads_px)[:, :1]
    is_free = are_free(centres, centres_px(table.quads_px[tiles]), within_px)
    firm, quads_px = firm[is_free], quads_px[is_free]
    rows = group_rows(np.concatenate([quads_px, certain_px])) if len(firm) else ()
    in_rows = np.array(sorted(at for row in rows if max(row) >= len(firm) for at in row if at < len(firm)), int)
    unlabelled: Ints = firm[in_rows]
    numbers = _flattened(table.number_log_probs[unlabelled], NOT_A_TILE)
    inks = _flattened(table.ink_log_probs[unlabelled])
    log_probs = joint_log_probs(numbers, inks)[:, :JOINT_NOT_A_TILE]
    table.quads_px[unlabelled] = quads_px[in_rows].astype(np.float32)
    table.own_number_log_probs[unlabelled] = table.joint_number_log_probs[unlabelled] = numbers
    table.own_ink_log_probs[unlabelled] = table.joint_ink_log_probs[unlabelled] = inks
    table.label[unlabelled], table.runner_up[unlabelled] = log_probs.argmax(axis=1), JOINT_NOT_A_TILE
    table.confidence[unlabelled] = np.exp(log_probs.max(axis=1, initial=-np.inf))
    _add_doubt(table, unlabelled, DoubtReason.HARDLY_A_TILE, JOINT_NOT_A_TILE)
    return unlabelled


def _flattened(log_probs: Floats, half: int | None = None) -> Floats:
    """Flatten log-probabilities `(N, K)`, and give the class `half` a probability of slightly more than 1/2."""
    flat: Floats = UNLABELLED_LOG_PROB_WEIGHT * log_probs
    if half is not None:
        flat[:, half] = np.logaddexp.reduce(np.delete(flat, half, axis=1), axis=1) + TIE_BREAK_LOG
    return normalise_log_probs(flat)


def check_membership(scene: Scene, table: TileTable, tiles: Ints, is_tile: IsTile | None) -> Ints:
    """Compare tiles with those around them and flag the suspects; return the indices of the tiles that are not foreign.

    Only tiles that need a comparison are compared, never covered tiles or tiles that a person labelled. A suspect of an
    earlier reading keeps its doubts until it is compared again.
    """
    part = table.at(tiles)
    needs_comparison = are_among(part.membership, (SetMembership.NEW, SetMembership.RECONSIDERED))
    to_compare = needs_comparison & ~part.covered & (part.person_label == NONE)
    comparison = compare_with_set(scene, part, to_compare, is_tile)
    for which, reason, alternative in comparison.doubts:
        _add_doubt(table, tiles[which], reason, alternative)
    is_suspect = (part.membership == SetMembership.SUSPECT) & (part.person_label == NONE)
    for row in tiles[is_suspect]:
        for reason, alternative in table.membership_doubts[row]:
            _add_doubt(table, row[None], reason, alternative)
    confidence = part.confidence * comparison.tile_prob * np.where(is_suspect, part.tile_prob, 1.0)
    new_doubts = np.empty(len(tiles), object)
    for at, row in enumerate(tiles):
        new_doubts[at] = table.doubts[row][len(part.doubts[at]) :]
    is_compared = needs_comparison & part.is_joint_tile & ~comparison.is_foreign
    is_new_suspect = is_compared & new_doubts.astype(bool)
    membership = np.where(is_new_suspect, SetMembership.SUSPECT, SetMembership.MEMBER)
    tile_prob = np.where(is_new_suspect, confidence / np.maximum(part.confidence, 1e-9), 1.0)
    table.confidence[tiles] = confidence
    table.membership[tiles] = np.where(is_compared, membership, part.membership)
    table.membership[tiles[comparison.is_foreign]] = SetMembership.FOREIGN
    table.membership_doubts[tiles] = np.where(is_compared, new_doubts, part.membership_doubts)
    table.tile_prob[tiles] = np.where(is_compared, tile_prob, part.tile_prob)
    return np.asarray(tiles[~comparison.is_foreign])


def _use_rows_and_stock(table: TileTable, tiles: Ints, rows: Rows, copies: int) -> None:
    """Joint decoding: give doubtful tiles labels that fit their neighbours in `rows` and the `copies` in the set.

    Two copies are always allowed; if a set has fewer, all tiles of a repeated label are flagged. People's labels stay.
    """
    if not len(tiles):
        return
    log_probs, is_doubtful = table.joint_log_probs[tiles], table.is_doubtful[tiles]
    by_person = table.person_label[tiles] != NONE
    labels, is_questioned = decode(log_probs, is_doubtful, rows, max(copies, COPIES))
    is_questioned &= ~by_person
    _add_doubt(table, tiles[is_questioned & ~is_doubtful], DoubtReason.TOO_MANY_ALIKE)
    differs = np.flatnonzero(is_questioned & (labels != table.label[tiles]))
    prob = np.exp(log_probs[differs, labels[differs]])
    _relabel(table, tiles[differs], labels[differs], np.minimum(table.confidence[tiles[differs]], prob))
    if copies < COPIES:
        is_crowded = within_stock(log_probs, copies)[1]
        _add_doubt(table, tiles[is_crowded & ~by_person], DoubtReason.TOO_MANY_ALIKE)


def _reject(table: TileTable, rejected: Ints) -> None:
    """Label the candidates that a person marked as "not a tile"; their runner-up is the classifier's best label."""
    rows = table.at(rejected)
    best = joint_log_probs(rows.number_log_probs, rows.ink_log_probs)[:, :JOINT_NOT_A_TILE].argmax(axis=1)
    table.joint_number_log_probs[rejected] = rows.own_number_log_probs
    table.joint_ink_log_probs[rejected] = rows.own_ink_log_probs
    table.label[rejected], table.runner_up[rejected], table.confidence[rejected] = JOINT_NOT_A_TILE, best, 1.0


def _add_doubt(table: TileTable, rows: Ints, reason: DoubtReason, alternative: int | None = None) -> None:
    """Add a doubt to each of the rows that has no doubt with this reason yet."""
    for row in rows:
        if all(reason is not known for known, _ in table.doubts[row]):
            table.doubts[row] = (*table.doubts[row], (reason, alternative))


def _relabel(table: TileTable, rows: Ints, labels: Ints, confidence: Floats) -> None:
    """Give tiles other labels; the former label becomes the runner-up, and the alternative in their doubts."""
    former = table.label[rows]
    table.label[rows], table.runner_up[rows], table.confidence[rows] = labels, former, confidence
    for row, label in zip(rows, former.tolist(), strict=True):
        table.doubts[row] = tuple((reason, label) for reason, _ in table.doubts[row])


def decode(log_probs: Floats, is_doubtful: Bools, rows: Rows, copies: int = COPIES) -> tuple[Ints, Bools]:
    """Return the labels `(N,)` of the tiles, never "not a tile", and a mask `(N,)` of the doubtful tiles.

    `log_probs (N, 54)`; `is_doubtful (N,)`: mask before the decoding; `rows`: indices of adjacent tiles, in order. If a
    label is read more often than the set has `copies`, all its tiles are doubtful.
    """
    labels, is_crowded = within_stock(beside_neighbours(log_probs, is_doubtful, rows), copies)
    return labels, is_doubtful | is_crowded


def beside_neighbours(log_probs: Floats, is_doubtful: Bools, rows: Rows) -> Floats:
    """Forward-backward algorithm: return `log_probs (N, 54)`, for doubtful tiles updated by their row neighbours.

    The states are the labels. "Not a tile" stays as likely as it was.
    """
    weighed = log_probs.astype(np.float64)
    compatibility = _compatibility()
    for row in rows if is_doubtful.any() else ():
        tiles = np.array(row)
        if len(tiles) < 2 or not is_doubtful[tiles].any():
            continue
        probs = np.exp(weighed[tiles, :JOINT_NOT_A_TILE])
        probs[~is_doubtful[tiles]] **= 4  # makes certain tiles more certain, so that they decide
        before, after = np.ones((2, len(tiles), JOINT_NOT_A_TILE))
        for i in range(1, len(tiles)):
            before[i] = _normalise(before[i - 1] * probs[i - 1]) @ compatibility
        for i in reversed(range(len(tiles) - 1)):
            after[i] = compatibility @ _normalise(after[i + 1] * probs[i + 1])
        changed = np.flatnonzero(is_doubtful[tiles])
        old = weighed[tiles[changed], :JOINT_NOT_A_TILE]
        new = old + np.log(before * after)[changed]
        new += (np.logaddexp.reduce(old, axis=1) - np.logaddexp.reduce(new, axis=1))[:, None]
        weighed[tiles[changed], :JOINT_NOT_A_TILE] = new
    return weighed


@functools.cache
def _compatibility() -> Floats:
    """Return how well labels fit side by side, `(53, 53)`: 1 if in a run or group, or with a joker, else less."""
    number, ink = np.divmod(np.arange(JOINT_JOKER), len(INKS))
    run = (ink[:, None] == ink) & (np.abs(number[:, None] - number) == 1)
    group = (ink[:, None] != ink) & (number[:, None] == number)
    compatibility = np.ones((JOINT_NOT_A_TILE, JOINT_NOT_A_TILE))
    compatibility[:JOINT_JOKER, :JOINT_JOKER] = np.where(run | group, 1.0, np.exp(-MELD_NEIGHBOUR_BONUS_LOG))
    return compatibility


def _normalise(probs: Floats) -> Floats:
    return probs / max(float(probs.sum()), 1e-300)


def within_stock(log_probs: Floats, copies: int = COPIES) -> tuple[Ints, Bools]:
    """Return labels `(N,)` of which few occur more often than `copies`, and a mask `(N,)` of questioned tiles.

    If a number in one ink occurs too often, all its tiles are questioned, and the surplus ones get their next label,
    unless that is much less likely. Jokers are not limited, and no tile becomes "not a tile".
    """
    probs = log_probs[:, :JOINT_NOT_A_TILE]
    labels = probs.argmax(axis=1)
    counts = np.bincount(labels, minlength=JOINT_NOT_A_TILE)[:JOINT_JOKER]
    crowded: list[int] = np.flatnonzero(counts > copies).tolist()
    is_questioned = are_among(labels, crowded)
    while crowded:
        label = crowded[-1]
        alike = np.flatnonzero(labels == label)
        is_free = np.append(counts < copies, True)  # the number of jokers differs by edition
        alternatives = np.where(is_free, probs[alike], -np.inf)
        losses = probs[alike, label] - alternatives.max(axis=1)
        least = int(losses.argmin())
        if counts[label] <= copies or losses[least] > MAX_RELABEL_LOSS_LOG:
            crowded.pop()
            continue
        labels[alike[least]] = alternatives[least].argmax()
        counts = np.bincount(labels, minlength=JOINT_NOT_A_TILE)[:JOINT_JOKER]
    return labels, is_questioned
