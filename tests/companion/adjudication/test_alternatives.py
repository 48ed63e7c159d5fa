"""Before a turn is called illegal, likely labels are tried at any confidence, those in faulty melds first."""

from dataclasses import replace
from itertools import islice

import pytest

from tests.support.known_tables import names_of, sure_but, table_reading
from tilekeeper.companion.adjudication.alternatives import MOST_LESS_CERTAIN, alternatives
from tilekeeper.companion.adjudication.uncertainty import weigh
from tilekeeper.companion.observation.observed_table import EMPTY_TABLE, observed_table, with_persons_label
from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.vision.types import INKS, AlternativeGrouping

OPENED = TurnContext(rules=rule_set("large-numbers"), opened=True)


@pytest.mark.parametrize(("share", "questions"), [(0.01, (2,)), (0.003, ()), (0.0001, ())])
def test_likely_second_label_is_tried_at_any_confidence_of_the_first(share, questions):
    weighed = weigh(EMPTY_TABLE, sure_but("O11 O10 O12", 2, "orange-9", share), OPENED)
    assert weighed.unsure == questions
    assert [str(one.code) for one in weighed.certain] == ([] if questions else ["run-broken"])


def test_label_that_was_likely_before_the_comparison_with_other_tiles_is_tried():
    """The comparison with other tiles makes a wrong label more certain too; the classifier alone gave the right one."""
    by_itself = sure_but("O11 O10 O12", 2, "orange-9", 0.01)
    compared = sure_but("O11 O10 O12", 2, "orange-9", 0.0001)
    tile = compared.tiles[2]
    log_probs = by_itself.tiles[2].sighting.names.number_log_probs
    names = replace(tile.sighting.names, own_number_log_probs=log_probs)
    changed = replace(tile, sighting=replace(tile.sighting, names=names))
    reading = replace(compared, tiles=(*compared.tiles[:2], changed, *compared.tiles[3:]))
    assert weigh(EMPTY_TABLE, compared, OPENED).unsure == ()
    assert weigh(EMPTY_TABLE, reading, OPENED).unsure == (2,)


@pytest.mark.parametrize(("share", "questions"), [(0.01, (2,)), (0.003, (2,)), (0.0001, ())])
def test_after_a_second_done_less_likely_labels_are_asked_about(share, questions):
    reading = sure_but("O11 O10 O12", 2, "orange-9", share)
    assert weigh(EMPTY_TABLE, reading, OPENED, insisted=True).unsure == questions


@pytest.mark.parametrize(("share", "questions"), [(0.15, (2,)), (0.05, ())])
def test_joker_needs_better_odds_than_other_labels(share, questions):
    reading = sure_but("O11 O10 O12", 2, "joker", share)
    assert weigh(EMPTY_TABLE, reading, OPENED, insisted=True).unsure == questions


def test_label_that_does_not_make_the_turn_legal_is_not_asked_about():
    assert weigh(EMPTY_TABLE, sure_but("O11 O10 O12", 2, "red-12", 0.01), OPENED).certain


def test_other_label_of_an_old_tile_counts_for_the_table_before_too():
    before = observed_table(sure_but("R3 R4 R5", 2, "orange-5", 0.3))
    # The red 5 is really orange: nobody took it, and the table before was misread in the same way.
    reading = sure_but("R3 R4 R5 R7", 3, "red-6", 0.01)
    weighed = weigh(before, reading, OPENED)
    assert weighed.unsure == (3,)
    assert weighed.labels == ((3, "red-6"),)


def test_tiles_in_faulty_melds_are_tried_before_likelier_labels_elsewhere():
    reading = sure_but("R3 R4 R5 | O11 O10 O13", 5, "orange-12", 0.01)
    elsewhere = replace(reading.tiles[0].sighting, names=names_of({"red-3": 0.9, "red-8": 0.1}))
    reading = replace(reading, tiles=(replace(reading.tiles[0], sighting=elsewhere), *reading.tiles[1:]))
    found = list(alternatives(reading, {3, 4, 5}, INKS, (), insisted=False))
    assert found[:2] == [({5: "orange-12"}, None), ({0: "red-8"}, None)]
    assert found[2] == ({5: "orange-12", 0: "red-8"}, None)


def test_no_tile_and_labels_of_people_are_not_tried():
    found = alternatives(sure_but("O11 O10 O12", 2, "no-tile", 0.2), {0, 1, 2}, INKS, (), insisted=True)
    assert all(names.get(2) != "no-tile" for names, _ in found)
    corrected = with_persons_label(sure_but("O11 O10 O12", 2, "orange-9", 0.2), 2, "orange-12")
    assert list(alternatives(corrected, {0, 1, 2}, INKS, (), insisted=True)) == []


def test_pairs_of_tiles_are_tried_before_other_groupings():
    reading = sure_but("R3 R4 R5 R8 R9", 3, "red-6", 0.01)
    less_certain = replace(reading.tiles[4], confidence=0.998, runner_up="red-7")
    reading = replace(reading, tiles=(*reading.tiles[:4], less_certain))
    melds = AlternativeGrouping(((0, 1, 2), (3, 4)), 0.4)
    found = list(alternatives(reading, {0, 1, 2, 3, 4}, INKS, (melds,), insisted=False))
    single = [{3: "red-6"}, {4: "red-7"}]
    assert found == [
        *((one, None) for one in single),
        ({3: "red-6", 4: "red-7"}, None),
        *((one, melds) for one in single),
    ]
    # both together make the run of five whole
    assert weigh(EMPTY_TABLE, reading, OPENED).unsure == (3, 4)


@pytest.mark.parametrize("melds", [0, 3, 8])
def test_two_misread_tiles_among_many_doubtful_ones_are_asked_about(melds):
    """Many less certain tiles, and other groupings, do not use up the search for the two."""
    reading = table_reading("O11 O10 O12 | R4 R3 R5 | K1 K2 K3 | B7 B8 B9 | K6 K7 K8 | B1 B2 B3")
    tiles = [replace(tile, confidence=0.998, runner_up="red-13") for tile in reading.tiles]
    for at, name in ((2, "orange-9"), (5, "red-2")):
        names = names_of({tiles[at].label: 0.99, name: 0.01})
        tiles[at] = replace(tiles[at], runner_up=name, sighting=replace(tiles[at].sighting, names=names))
    rows = tuple(tuple(range(at, at + 3)) for at in range(0, len(tiles), 3))
    # Two black runs as one meld, invalid like the others.
    merged = (*rows[:2], (*rows[2], *rows[4]), rows[3], rows[5])
    other_rows = tuple(AlternativeGrouping(merged, 0.9 - 0.1 * at) for at in range(melds))
    reading = replace(reading, tiles=tuple(tiles), other_rows=other_rows)
    assert weigh(EMPTY_TABLE, reading, OPENED).unsure == (2, 5)


def test_of_many_uncertain_tiles_the_least_certain_are_tried():
    reading = table_reading(" | ".join(f"{ink}{n} {ink}{n + 1} {ink}{n + 2}" for ink in "KBOR" for n in (1, 7)))
    tiles = tuple(
        replace(tile, confidence=0.99 + 0.0001 * at, runner_up="red-13") for at, tile in enumerate(reading.tiles)
    )
    found = alternatives(replace(reading, tiles=tiles), (), INKS, (), insisted=False)
    first = [names for names, _ in islice(found, MOST_LESS_CERTAIN + 1)]
    assert first[:-1] == [{at: "red-13"} for at in range(MOST_LESS_CERTAIN)]
    assert len(first[-1]) == 2
