"""Pairings seat each player once, repeat meetings only if they must, and share byes."""

import random
from collections import Counter
from collections.abc import Iterator
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilekeeper.companion.tournament.meetings import count_repeats, improve, least_repeats, meetings, without_repeats
from tilekeeper.companion.tournament.pairing import FORBIDDEN, Pairing, pair, repeated_meetings, table_sizes
from tilekeeper.companion.tournament.record import PairedRound
from tilekeeper.companion.tournament.schedule import schedule

WAYS = st.sampled_from(Pairing)


def field(count: int) -> list[str]:
    return [f"p{number}" for number in range(count)]


def tournament(
    way: Pairing, players: list[str], rounds: int, seed: int, strengths: dict[str, float] | None = None
) -> list[PairedRound]:
    """Pair several rounds, with a random ranking before each."""
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
def test_tables_have_four_players_or_three(players: int, sizes: tuple[int, ...]) -> None:
    """Larger tables first; only five players leave one over."""
    assert table_sizes(players) == sizes


@given(WAYS, st.integers(2, 60), st.integers(1, 6), st.integers(0, 999))
def test_each_player_sits_once_in_each_round(way: Pairing, count: int, rounds: int, seed: int) -> None:
    """The tables have the right sizes."""
    players = field(count)
    for paired in tournament(way, players, rounds, seed):
        seated = Counter(player for table in paired.tables for player in table)
        seated.update(bye.player for bye in paired.byes)
        assert seated == Counter(players)
        assert sorted(map(len, paired.tables), reverse=True) == list(table_sizes(count))


@given(st.sampled_from([Pairing.RANDOM, Pairing.SWISS, Pairing.FIXED]), st.integers(1, 20), st.integers(0, 999))
def test_five_players_share_the_byes(way: Pairing, rounds: int, seed: int) -> None:
    """Nobody has a second bye before all have one."""
    had = Counter(bye.player for paired in tournament(way, field(5), rounds, seed) for bye in paired.byes)
    assert had.total() == rounds
    assert max(had.values()) - min(had[player] for player in field(5)) <= 1


@pytest.mark.slow
@given(st.sampled_from([Pairing.RANDOM, Pairing.SWISS]), st.integers(40, 120), st.integers(0, 999))
def test_large_field_repeats_no_meeting_in_seven_rounds(way: Pairing, count: int, seed: int) -> None:
    """From forty players on."""
    assert repeated_meetings(tournament(way, field(count), 7, seed)) == 0


@pytest.mark.parametrize(
    ("players", "table_size", "sizes"),
    [
        (2, 3, (2,)),
        (4, 3, (2, 2)),
        (5, 3, (3, 2)),
        (7, 3, (3, 2, 2)),
        (9, 3, (3, 3, 3)),
        (3, 2, (2,)),
        (8, 2, (2,) * 4),
    ],
)
def test_smaller_tables_divide_the_field_as_well(players: int, table_size: int, sizes: tuple[int, ...]) -> None:
    """Tables of three, or two; at tables of two an odd player has a bye."""
    assert table_sizes(players, table_size) == sizes
    paired = pair(Pairing.SWISS, field(players), [], random.Random(1), table_size=table_size)
    assert len(paired.byes) == players - sum(sizes)


@given(st.integers(3, 5), st.integers(0, 3), st.integers(2, 4), st.integers(0, 9999))
def test_pairing_is_as_cheap_as_the_cheapest_of_all_seatings(
    tables: int, rounds: int, table_size: int, seed: int
) -> None:
    """Few forbidden pairs, then few repeated meetings, compared with every possible seating of up to twelve players."""
    rng = random.Random(seed)
    players = field(min(12 if table_size != 2 else 10, tables * table_size))
    past = [pair(Pairing.RANDOM, players, [], rng, table_size=table_size) for _ in range(rounds)]
    forbidden = {frozenset(rng.sample(players, 2)): FORBIDDEN for _ in range(rng.randint(0, 6))}
    met = meetings(players, [paired.tables for paired in past], forbidden)
    sizes = list(table_sizes(len(players), table_size))
    fewest = min(count_repeats(seating, met) for seating in every_seating(list(range(len(players))), sizes))
    for way in (Pairing.RANDOM, Pairing.SWISS):
        paired = pair(way, players, past, rng, players, table_size=table_size, apart=forbidden)
        seating = [[players.index(player) for player in table] for table in paired.tables]
        assert count_repeats(seating, met) == fewest


@pytest.mark.slow
@pytest.mark.parametrize("table_size", [2, 3, 4])
@pytest.mark.parametrize("seed", range(2))
def test_pairing_of_sixteen_is_as_cheap_as_the_cheapest_of_all_seatings(table_size: int, seed: int) -> None:
    """So many have met that repeats can't be avoided; the oracle assigns players to tables one by one, and cuts."""
    rng = random.Random(seed)
    players = field(16)
    rounds = {2: 15, 3: 7, 4: 5}[table_size]
    past = [pair(Pairing.RANDOM, players, [], rng, table_size=table_size) for _ in range(rounds)]
    met = meetings(players, [paired.tables for paired in past])
    sizes = list(table_sizes(16, table_size))
    for way in (Pairing.RANDOM, Pairing.SWISS):
        paired = pair(way, players, past, rng, players, table_size=table_size)
        seating = [[players.index(player) for player in table] for table in paired.tables]
        cost = count_repeats(seating, met)
        assert not can_be_cheaper([[] for _ in sizes], sizes, 0, met, cost), cost


def can_be_cheaper(seating: list[list[int]], sizes: list[int], cost: int, met: list[list[int]], limit: int) -> bool:
    """Return whether a partial seating can be completed at less cost; players are seated one by one."""
    player = sum(map(len, seating))
    if player == len(met):
        return cost < limit
    tried = set()
    for table, size in zip(seating, sizes, strict=True):
        if len(table) == size or (not table and size in tried):
            continue
        if not table:
            tried.add(size)
        more = sum(met[player][mate] for mate in table)
        if cost + more < limit:
            table.append(player)
            found = can_be_cheaper(seating, sizes, cost + more, met, limit)
            table.pop()
            if found:
                return True
    return False


def every_seating(players: list[int], sizes: list[int]) -> Iterator[list[list[int]]]:
    """Yield each way to fill the tables; the first player sits at a table of each size in turn."""
    if not players:
        yield []
        return
    first, *others = players
    for size in set(sizes):
        remaining = list(sizes)
        remaining.remove(size)
        for mates in combinations(others, size - 1):
            for rest in every_seating([player for player in others if player not in mates], remaining):
                yield [[first, *mates], *rest]


def test_forbidden_pair_never_meets_in_any_round():
    """Twelve players, two families of two, six rounds in which everybody else meets again."""
    players = field(12)
    apart = {frozenset(("p0", "p1")): FORBIDDEN, frozenset(("p2", "p3")): FORBIDDEN}
    for way in (Pairing.RANDOM, Pairing.SWISS):
        past: list[PairedRound] = []
        rng = random.Random(3)
        for _ in range(6):
            past.append(pair(way, players, past, rng, players, apart=apart))
            assert not any(two <= set(table) for table in past[-1].tables for two in apart)


def test_knock_out_seats_the_best_at_different_tables():
    """Eight players in a serpentine: 1, 4, 5, 8 and 2, 3, 6, 7."""
    players = field(8)
    paired = pair(Pairing.KNOCK_OUT, players, [PairedRound(())], random.Random(1), players)
    assert list(map(set, paired.tables)) == [{"p0", "p3", "p4", "p7"}, {"p1", "p2", "p5", "p6"}]
    odd = pair(Pairing.KNOCK_OUT, players[:5], [PairedRound(())], random.Random(1), players, table_size=2)
    assert [bye.player for bye in odd.byes] == ["p0"], "the best has the bye"


@pytest.mark.parametrize(
    ("count", "rounds"), [(9, 4), (13, 4), (14, 4), (15, 5), (16, 5), (19, 5), (20, 5), (28, 7), (32, 8), (36, 9)]
)
@pytest.mark.parametrize("seed", range(3))
def test_small_field_follows_a_schedule_from_the_first_round(count: int, rounds: int, seed: int) -> None:
    """Rounds chosen one by one would soon repeat meetings."""
    assert repeated_meetings(tournament(Pairing.RANDOM, field(count), rounds, seed)) == 0


@pytest.mark.parametrize("tables", [3, 4, 5, 7, 8, 9, 11, 16, 20, 35])
def test_schedule_repeats_no_meeting(tables: int) -> None:
    """Each player sits in every round; four tables make an affine plane."""
    columns = 3 if tables == 3 else 4
    rounds = schedule(tables, columns)
    assert len(rounds) == tables + (tables == columns)
    met = Counter(frozenset(two) for each in rounds for table in each for two in combinations(table, 2))
    assert set(met.values()) == {1}
    assert all(sorted(player for table in each for player in table) == list(range(tables * columns)) for each in rounds)


@pytest.mark.parametrize("tables", [0, 1, 2, 6, 10, 12, 25, 50])
def test_field_without_a_construction_has_no_schedule(tables: int) -> None:
    """Then rounds are searched one by one."""
    assert schedule(tables, 4) == []


@given(st.integers(3, 9), st.integers(0, 3), st.integers(0, 9999))
def test_round_without_repeats_is_found_if_there_is_one(count: int, rounds: int, seed: int) -> None:
    """Compared with all seatings of small fields."""
    rng = random.Random(seed)
    sizes = table_sizes(count if count != 5 else 4)
    players = field(sum(sizes))
    past = []
    for _ in range(rounds):
        order = rng.sample(players, len(players))
        past.append([order[: sizes[0]], order[sizes[0] : sizes[0] + 3]])
    met = meetings(players, past)
    fewest = min(count_repeats(seating, met) for seating in all_seatings(list(range(len(players))), list(sizes)))
    assert (count_repeats(least_repeats(sizes, met, rng), met) == 0) is (fewest == 0)
    assert (without_repeats(range(len(players)), sizes, met) is not None) is (fewest == 0)


def all_seatings(players: list[int], sizes: list[int]) -> list[list[list[int]]]:
    """Yield every way to fill the tables."""
    if not sizes:
        return [[]]
    return [
        [list(table), *rest]
        for table in combinations(players, sizes[0])
        for rest in all_seatings([player for player in players if player not in table], sizes[1:])
    ]


def test_improved_seating_repeats_no_more_meetings():
    """The result never has more repeated meetings than the input, even if none can be avoided."""
    met = [[int(one != other) * 2 for other in range(8)] for one in range(8)]
    seating = [[0, 1, 2, 3], [4, 5, 6, 7]]
    mended = improve(seating, met, random.Random(1), lambda one, other: abs(one - other))
    assert count_repeats(mended, met) == count_repeats(seating, met) == 24
    assert improve([[0, 1, 2, 3]], [row[:4] for row in met[:4]], random.Random(1)) == [[0, 1, 2, 3]]


def test_swiss_pairing_seats_neighbours_in_the_standings():
    """The best four sit at the first table, small tables are last."""
    players = field(11)
    past = [PairedRound((("x", "y"),))]
    paired = pair(Pairing.SWISS, players, past, random.Random(1), players)
    assert list(map(set, paired.tables)) == [set(players[:4]), set(players[4:8]), set(players[8:])]


def test_swiss_pairing_repeats_only_unavoidable_meetings():
    """Eight players after the first round."""
    rounds = tournament(Pairing.SWISS, field(8), 3, 1)
    assert repeated_meetings(rounds[:2]) == 4
    assert all(len(paired.tables) == 2 for paired in rounds)


def test_player_without_a_ranking_sits_at_the_last_table():
    """A player who is in no ranking yet sits at the last table."""
    paired = pair(Pairing.SWISS, [*field(7), "late"], [PairedRound(())], random.Random(3), field(7))
    assert "late" in paired.tables[-1]


@given(st.integers(2, 30), st.integers(0, 99))
def test_fixed_tables_stay_the_same(count: int, seed: int) -> None:
    """In the order of entry, except for the bye of five players."""
    players = field(count)
    rounds = tournament(Pairing.FIXED, players, 3, seed)
    assert count == 5 or rounds[0] == rounds[1] == rounds[2]
    assert rounds[0].tables[0] == tuple(players[: table_sizes(count)[0]])


def test_fixed_tables_are_refilled_after_a_player_left():
    """No table is too small."""
    players = field(9)
    first = pair(Pairing.FIXED, players, [], random.Random(1))
    second = pair(Pairing.FIXED, players[1:], [first], random.Random(1))
    assert list(map(len, second.tables)) == [4, 4]


@pytest.mark.parametrize("way", [Pairing.RANDOM, Pairing.SWISS, Pairing.FIXED])
def test_players_can_join_and_leave_between_rounds(way: Pairing) -> None:
    """Earlier meetings still count."""
    players, rng = field(16), random.Random(5)
    past = [pair(way, players, [], rng, players)]
    now = [*players[2:], "new"]
    past.append(pair(way, now, past, rng, players))
    assert past[1].players == set(now)
    if way is not Pairing.FIXED:
        assert repeated_meetings(past) == 0


def test_same_seed_gives_the_same_pairing():
    """Anybody can repeat a pairing to check it."""
    assert tournament(Pairing.RANDOM, field(21), 4, 8) == tournament(Pairing.RANDOM, field(21), 4, 8)


def test_swapped_seats_end_the_schedule():
    """The next round is searched."""
    players, rng = field(16), random.Random(2)
    past = [pair(Pairing.RANDOM, players, [], rng)]
    past.append(PairedRound((players[:4], players[4:8], players[8:12], players[12:])))  # type: ignore[arg-type]
    third = pair(Pairing.RANDOM, players, past, rng)
    assert third.players == set(players)


def test_meetings_repeat_after_the_last_round_of_a_schedule():
    """Sixteen players have all met after five rounds."""
    rounds = tournament(Pairing.RANDOM, field(16), 6, 4)
    assert repeated_meetings(rounds[:5]) == 0
    assert repeated_meetings(rounds) == 24


@pytest.mark.parametrize("players", [[], ["p0"]])
def test_round_with_one_player_is_refused(players: list[str]) -> None:
    """A round needs two players."""
    with pytest.raises(ValueError, match="at least two players"):
        pair(Pairing.RANDOM, players, [], random.Random(1))


def test_player_named_twice_is_refused():
    """Nobody sits at two tables."""
    with pytest.raises(ValueError, match="p0 is among the players twice"):
        pair(Pairing.RANDOM, ["p0", "p1", "p0"], [], random.Random(1))


def test_search_ends_after_its_steps_if_all_players_have_met(monkeypatch):
    """No better pairing exists for forty players who have all met; the search stops after its steps."""
    monkeypatch.setattr("tilekeeper.companion.tournament.meetings._STEPS_PER_PLAYER", 1)
    met = [[int(one != other) for other in range(40)] for one in range(40)]
    seating = improve([list(range(at, at + 4)) for at in range(0, 40, 4)], met, random.Random(1))
    assert sorted(player for table in seating for player in table) == list(range(40))
    assert count_repeats(seating, met) == 60


def test_exact_search_ends_after_its_tables(monkeypatch):
    monkeypatch.setattr("tilekeeper.companion.tournament.meetings._MOST_NODES", 1)
    met = [[0] * 8 for _ in range(8)]
    assert without_repeats(list(range(8)), (4, 4), met) is None
