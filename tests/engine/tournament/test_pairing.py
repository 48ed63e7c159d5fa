"""Pairings seat everybody once, nobody with whom they sat before while that can be, and share byes."""

import random
from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilekeeper.engine.tournament.meetings import least_repeats, meetings, mend, repeats, without_repeats
from tilekeeper.engine.tournament.pairing import PairedRound, Pairing, pair, repeated_meetings, table_sizes
from tilekeeper.engine.tournament.schedule import schedule

WAYS = st.sampled_from(Pairing)


def field(count: int) -> list[str]:
    return [f"p{number}" for number in range(count)]


def tournament(
    way: Pairing, players: list[str], rounds: int, seed: int, strengths: dict[str, float] | None = None
) -> list[PairedRound]:
    """Rounds one after another, with a ranking made up before each."""
    rng, past = random.Random(seed), list[PairedRound]()
    for _ in range(rounds):
        ranking = sorted(players, key=lambda player: -(strengths or {}).get(player, rng.random()))
        past.append(pair(way, players, past, rng, ranking))
    return past


@pytest.mark.parametrize(
    ("players", "sizes"),
    [
        (2, (2,)),
        (3, (3,)),
        (4, (4,)),
        (5, (4,)),
        (6, (3, 3)),
        (7, (4, 3)),
        (8, (4, 4)),
        (9, (3, 3, 3)),
        (10, (4, 3, 3)),
        (13, (4, 3, 3, 3)),
        (199, (4,) * 49 + (3,)),
        (200, (4,) * 50),
    ],
)
def test_tables_are_of_four_and_of_three_where_it_does_not_divide(players: int, sizes: tuple[int, ...]) -> None:
    """Four first; only five leave somebody over."""
    assert table_sizes(players) == sizes


@given(WAYS, st.integers(2, 60), st.integers(1, 6), st.integers(0, 999))
def test_everybody_sits_once_in_each_round(way: Pairing, count: int, rounds: int, seed: int) -> None:
    """Nobody is left out, nobody twice at a table, and the tables are of the sizes they should have."""
    players = field(count)
    for paired in tournament(way, players, rounds, seed):
        seated = Counter(player for table in paired.tables for player in table) + Counter(paired.byes)
        assert seated == Counter(players)
        assert sorted(map(len, paired.tables), reverse=True) == list(table_sizes(count))


@given(WAYS, st.integers(1, 20), st.integers(0, 999))
def test_byes_are_shared(way: Pairing, rounds: int, seed: int) -> None:
    """Five players: each has a bye before anybody has a second one."""
    had = Counter(player for paired in tournament(way, field(5), rounds, seed) for player in paired.byes)
    assert had.total() == rounds
    assert max(had.values()) - min(had[player] for player in field(5)) <= 1


@pytest.mark.slow
@given(st.sampled_from([Pairing.RANDOM, Pairing.SWISS]), st.integers(40, 120), st.integers(0, 999))
def test_nobody_meets_twice_in_a_large_field(way: Pairing, count: int, seed: int) -> None:
    """Seven rounds of forty players or more never repeat a meeting."""
    assert repeated_meetings(tournament(way, field(count), 7, seed)) == 0


@pytest.mark.parametrize(
    ("count", "rounds"), [(9, 4), (13, 4), (14, 4), (15, 5), (16, 5), (19, 5), (20, 5), (28, 7), (32, 8), (36, 9)]
)
@pytest.mark.parametrize("seed", range(3))
def test_small_fields_are_scheduled_as_far_as_can_be(count: int, rounds: int, seed: int) -> None:
    """Where rounds chosen one by one would soon get stuck, a schedule of all of them is followed from the first on."""
    assert repeated_meetings(tournament(Pairing.RANDOM, field(count), rounds, seed)) == 0


@pytest.mark.parametrize("tables", [3, 4, 5, 7, 8, 9, 11, 16, 20, 35])
def test_schedules_repeat_no_meeting(tables: int) -> None:
    """In all rounds of a schedule nobody meets twice and everybody sits in each; 4 tables make an affine plane."""
    columns = 3 if tables == 3 else 4
    rounds = schedule(tables, columns)
    assert len(rounds) == tables + (tables == columns)
    met = Counter(frozenset(two) for each in rounds for table in each for two in combinations(table, 2))
    assert set(met.values()) == {1}
    assert all(sorted(player for table in each for player in table) == list(range(tables * columns)) for each in rounds)


@pytest.mark.parametrize("tables", [0, 1, 2, 6, 10, 12, 25, 50])
def test_fields_that_no_product_of_finite_fields_fits_have_no_schedule(tables: int) -> None:
    """Then rounds are searched for one by one."""
    assert schedule(tables, 4) == []


@given(st.integers(3, 9), st.integers(0, 3), st.integers(0, 9999))
def test_a_round_without_a_repeat_is_found_where_there_is_one(count: int, rounds: int, seed: int) -> None:
    """Held against all seatings of small fields."""
    rng = random.Random(seed)
    sizes = table_sizes(count if count != 5 else 4)
    players = field(sum(sizes))
    past = []
    for _ in range(rounds):
        order = rng.sample(players, len(players))
        past.append([order[: sizes[0]], order[sizes[0] : sizes[0] + 3]])
    met = meetings(players, past)
    fewest = min(repeats(seating, met) for seating in all_seatings(list(range(len(players))), list(sizes)))
    assert (repeats(least_repeats(sizes, met, rng), met) == 0) is (fewest == 0)
    assert (without_repeats(range(len(players)), sizes, met) is not None) is (fewest == 0)


def all_seatings(players: list[int], sizes: list[int]) -> list[list[list[int]]]:
    """Every way to fill tables, slow and plain."""
    if not sizes:
        return [[]]
    return [
        [list(table), *rest]
        for table in combinations(players, sizes[0])
        for rest in all_seatings([player for player in players if player not in table], sizes[1:])
    ]


def test_mending_never_makes_it_worse():
    """What comes back repeats no more meetings than what went in, even where none can be avoided."""
    met = [[int(one != other) * 2 for other in range(8)] for one in range(8)]
    seating = [[0, 1, 2, 3], [4, 5, 6, 7]]
    mended = mend(seating, met, random.Random(1), lambda one, other: abs(one - other))
    assert repeats(mended, met) == repeats(seating, met) == 24
    assert mend([[0, 1, 2, 3]], [row[:4] for row in met[:4]], random.Random(1)) == [[0, 1, 2, 3]]


def test_swiss_seats_neighbours():
    """With nobody met yet the best four sit at the first table, and small tables are at the end."""
    players = field(11)
    past = [PairedRound((("x", "y"),))]
    paired = pair(Pairing.SWISS, players, past, random.Random(1), players)
    assert list(map(set, paired.tables)) == [set(players[:4]), set(players[4:8]), set(players[8:])]


def test_swiss_goes_on_where_meetings_can_not_be_avoided():
    """Eight players after the first round: two of each table meet again, and no more than must."""
    rounds = tournament(Pairing.SWISS, field(8), 3, 1)
    assert repeated_meetings(rounds[:2]) == 4
    assert all(len(paired.tables) == 2 for paired in rounds)


def test_who_came_late_stands_last():
    """A player who is in no ranking yet sits at the last table."""
    paired = pair(Pairing.SWISS, [*field(7), "late"], [PairedRound(())], random.Random(3), field(7))
    assert "late" in paired.tables[-1]


@given(st.integers(2, 30), st.integers(0, 99))
def test_fixed_tables_stay(count: int, seed: int) -> None:
    """The same people sit together in every round, in the order in which they were entered, but for a bye of five."""
    players = field(count)
    rounds = tournament(Pairing.FIXED, players, 3, seed)
    assert count == 5 or rounds[0] == rounds[1] == rounds[2]
    assert rounds[0].tables[0] == tuple(players[: table_sizes(count)[0]])


def test_fixed_tables_are_made_anew_where_somebody_has_left():
    """The others move together, so that no table is too small."""
    players = field(9)
    first = pair(Pairing.FIXED, players, [], random.Random(1))
    second = pair(Pairing.FIXED, players[1:], [first], random.Random(1))
    assert list(map(len, second.tables)) == [4, 4]


@pytest.mark.parametrize("way", Pairing)
def test_people_may_come_and_go_between_rounds(way: Pairing) -> None:
    """Whoever left is in no pairing, and who met before still counts."""
    players, rng = field(16), random.Random(5)
    past = [pair(way, players, [], rng, players)]
    now = [*players[2:], "new"]
    past.append(pair(way, now, past, rng, players))
    assert past[1].players == set(now)
    if way is not Pairing.FIXED:
        assert repeated_meetings(past) == 0


def test_the_same_seed_pairs_the_same_way():
    """A pairing can be worked out again by whoever doubts it."""
    assert tournament(Pairing.RANDOM, field(21), 4, 8) == tournament(Pairing.RANDOM, field(21), 4, 8)


def test_a_schedule_is_left_where_people_did_not_keep_to_it():
    """Seats that were swapped by hand in the second round lead to a search, not to a wrong schedule."""
    players, rng = field(16), random.Random(2)
    past = [pair(Pairing.RANDOM, players, [], rng)]
    past.append(PairedRound((players[:4], players[4:8], players[8:12], players[12:])))  # type: ignore[arg-type]
    third = pair(Pairing.RANDOM, players, past, rng)
    assert third.players == set(players)


def test_after_the_last_round_of_a_schedule_people_meet_again():
    """Sixteen players have all met after five rounds; the sixth repeats every meeting once."""
    rounds = tournament(Pairing.RANDOM, field(16), 6, 4)
    assert repeated_meetings(rounds[:5]) == 0
    assert repeated_meetings(rounds) == 24


@pytest.mark.parametrize("players", [[], ["p0"]])
def test_nobody_plays_alone(players: list[str]) -> None:
    """A round needs two players."""
    with pytest.raises(ValueError, match="at least two players"):
        pair(Pairing.RANDOM, players, [], random.Random(1))


def test_a_doubled_player_is_refused():
    """Nobody sits at two tables."""
    with pytest.raises(ValueError, match="p0 is among the players twice"):
        pair(Pairing.RANDOM, ["p0", "p1", "p0"], [], random.Random(1))


def test_mending_ends_where_every_seating_repeats_a_meeting(monkeypatch):
    """Forty who all have met: there is nothing to be gained, and it gives up after its steps."""
    monkeypatch.setattr("tilekeeper.engine.tournament.meetings._STEPS_A_PLAYER", 1)
    met = [[int(one != other) for other in range(40)] for one in range(40)]
    seating = mend([list(range(at, at + 4)) for at in range(0, 40, 4)], met, random.Random(1))
    assert sorted(player for table in seating for player in table) == list(range(40))
    assert repeats(seating, met) == 60


def test_an_exact_search_gives_up_after_its_tables(monkeypatch):
    monkeypatch.setattr("tilekeeper.engine.tournament.meetings._MOST_NODES", 1)
    met = [[0] * 8 for _ in range(8)]
    assert without_repeats(list(range(8)), (4, 4), met) is None
