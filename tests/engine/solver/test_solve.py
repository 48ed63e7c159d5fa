"""The solver: two algorithms agree, an oracle agrees, and the least weight is left over."""

from __future__ import annotations

import dataclasses
import random
from collections import Counter
from collections.abc import Sequence

import pytest

from tests.support.messy_tables import box_of, short_rows, small_rules
from tests.support.oracle_arrangements import Oracle
from tilekeeper.engine.provenance.budget import Budget, BudgetExceeded
from tilekeeper.engine.rules.editions import RULE_SETS, rule_set
from tilekeeper.engine.rules.meld import is_valid, readings
from tilekeeper.engine.rules.possible_rows import all_rows
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.solver.arrange import arrange
from tilekeeper.engine.solver.exact_cover import Cover, SearchTooLarge, cover_task, rows_with
from tilekeeper.engine.solver.plans import Plan
from tilekeeper.engine.solver.solve import can_sweep
from tilekeeper.engine.sweep import backtrace
from tilekeeper.engine.sweep.backtrace import _Backtrace, sweep_task
from tilekeeper.engine.sweep.sweep import Sweep
from tilekeeper.engine.sweep.task import Block, Task
from tilekeeper.engine.tiles.notation import parse_table
from tilekeeper.engine.tiles.table import Table
from tilekeeper.engine.tiles.tile import JOKER, Colour, Tile

LARGE = rule_set("large-numbers")
K5, B5, O5 = parse_table("K5 B5 O5").melds[0]
R9, B9 = parse_table("R9 B9").melds[0]


def some_task(rng: random.Random, rules: RuleSet, most: int) -> Task:
    """Draw required and optional tiles, often of few numbers, and their weights."""
    box = box_of(rules)
    rng.shuffle(box)
    if rng.random() < 0.5:
        box = sorted(box[:30], key=lambda tile: (tile.number or 0) if rng.random() < 0.8 else rng.random() * 9)
    tiles = box[: rng.randint(0, min(len(box), most))]
    rng.shuffle(tiles)
    must = rng.choice([0, 0, len(tiles), rng.randint(0, len(tiles))])
    weights = {tile: tile.number or rng.choice([0, 3, 30]) for tile in tiles} if rng.random() < 0.4 else {}
    return Task(Counter(tiles[:must]), Counter(tiles[must:]), weights)


def lost(task: Task, left_over: Counter[Tile]) -> int:
    return sum(task.weight(tile) * count for tile, count in left_over.items())


def compare_sweep_and_cover(seed: int, cases: int) -> None:
    rng = random.Random(seed)
    for _ in range(cases):
        rules = small_rules(rng)
        task = some_task(rng, rules, 12)
        swept, least = sweep_task(task, rules), Cover(task, rules).least()
        assert (swept is None) == (least is None), (task, rules)
        if swept is not None:
            assert lost(task, swept.left) == least, (task, rules)
            assert all(is_valid(meld, rules) for meld in swept.melds)
            assert Counter(tile for meld in swept.melds for tile in meld) + swept.left == task.must + task.may
            assert swept.left <= task.may


def test_sweep_and_cover_agree() -> None:
    """They share only the rules, and leave over the same least weight under any house rules."""
    compare_sweep_and_cover(1, 600)


def test_no_more_is_left_over_than_the_limit_of_a_task() -> None:
    """A limited search ends early if the limit can't be met, and finds the same result if it can."""
    rng = random.Random(4)
    for _ in range(100):
        rules = small_rules(rng)
        task = some_task(rng, rules, 12)
        best = sweep_task(task, rules)
        if best is not None and not task.may[JOKER]:
            least = lost(task, best.left)
            assert sweep_task(dataclasses.replace(task, most_left=least), rules) == best
            assert sweep_task(dataclasses.replace(task, most_left=least - 1), rules) is None


def test_sweep_pays_for_every_node() -> None:
    """A harder task costs more steps, and a search that can't pay ends."""
    box = random.Random(5).sample(box_of(LARGE), 80)
    paid = []
    for tiles in (box[:2], box):
        steps: list[int] = []
        sweep_task(Task(Counter(), Counter(tiles)), LARGE, steps.append)
        paid.append(sum(steps))
    assert paid[0] < paid[1]
    with pytest.raises(BudgetExceeded):
        sweep_task(Task(Counter(), Counter(box)), LARGE, Budget(paid[1] - 1).spend)


def test_candidates_beyond_a_lower_limit_are_left_out() -> None:
    """A node that is reached again with a lower limit keeps only the candidates within it."""
    rng, compared = random.Random(5), 0
    while compared < 10:
        sweep = Sweep(Task(Counter(), some_task(rng, LARGE, 20).may), LARGE, False, False, lambda _: None)
        listed = list(sweep._candidates(sweep.start, sweep.least + 3))
        needs = [need for need, candidate in listed if candidate is not None]
        if max(needs, default=0) > sweep.least:
            *relisted, (beyond, nothing) = sweep._candidates(sweep.start, sweep.least)
            assert [need for need, _ in relisted] == [need for need in needs if need <= sweep.least]
            assert nothing is None
            assert beyond == min(need for need in needs if need > sweep.least)
            compared += 1


@pytest.mark.long
def test_sweep_and_cover_agree_on_many_tasks() -> None:
    """The same with 20,000 tasks."""
    compare_sweep_and_cover(2, 20_000)


def compare_with_oracle(seed: int, cases: int) -> None:
    rng = random.Random(seed)
    for _ in range(cases):
        rules = dataclasses.replace(
            LARGE, stock=dataclasses.replace(LARGE.stock, numbers=rng.choice([4, 5]), jokers=rng.choice([0, 1, 2]))
        )
        task = some_task(rng, rules, 7)
        swept = sweep_task(Task(task.must, task.may), rules)
        laid = None if swept is None else (task.may - swept.left).total()
        assert laid == Oracle(rules).most(task.must, task.may), (task, rules)


def test_solver_agrees_with_the_oracle() -> None:
    """An oracle that tries everything lays the same number of tiles."""
    compare_with_oracle(1, 500)


@pytest.mark.long
def test_solver_agrees_with_the_oracle_on_many_tasks() -> None:
    """The same with 5,000 tasks."""
    compare_with_oracle(2, 5_000)


def test_loose_tiles_are_arranged() -> None:
    """All of them if that is possible."""
    tiles = [tile for meld in parse_table("R3 R4 R5 R6 | K6 B6 O6 | J J K1").melds for tile in meld]
    arrangement = arrange(tiles, LARGE)
    assert arrangement.complete
    assert arrangement.table.counts == Counter(tiles)
    assert all(is_valid(meld, LARGE) for meld in arrangement.table.melds)


@pytest.mark.parametrize("name", RULE_SETS)
def test_tiles_of_each_edition_are_arranged(name: str) -> None:
    """Tiles that can be arranged are arranged by the edition's rules of groups and jokers."""
    rules = rule_set(name)
    rng = random.Random(name)
    tiles = rng.sample(box_of(rules), 24)
    arrangement = arrange(tiles, rules)
    assert all(is_valid(meld, rules) for meld in arrangement.table.melds)
    assert arrangement.table.counts + Counter(arrangement.left) == Counter(tiles)
    if name == "junior":
        assert not any(len({tile.number for tile in meld if tile.number}) == 1 for meld in arrangement.table.melds)


def test_runs_past_the_highest_number_are_solved_by_the_exact_cover() -> None:
    """The sweep does not support such house rules."""
    rules = dataclasses.replace(LARGE, melds=dataclasses.replace(LARGE.melds, wraps=True))
    assert arrange(parse_table("R12 | R13 | R1"), rules).complete
    assert not arrange(parse_table("R12 | R13 | R1"), LARGE).complete
    alone = dataclasses.replace(LARGE, stock=dataclasses.replace(LARGE.stock, jokers=3))
    alone = dataclasses.replace(alone, joker=dataclasses.replace(LARGE.joker, alone=True))
    assert arrange(parse_table("J | J J"), alone).complete
    assert not arrange(parse_table("J | J J"), dataclasses.replace(alone, joker=LARGE.joker)).complete


def test_exact_cover_beyond_its_limit_raises_an_error() -> None:
    """It raises an error instead of a wrong answer."""
    with pytest.raises(SearchTooLarge):
        cover_task(Task(Counter(), Counter(box_of(LARGE))), LARGE, most_states=50)


def block_task(rng: random.Random, rules: RuleSet) -> Task | None:
    """Draw some old melds that stay together, and tiles to lay with them; None if the draw holds no meld."""
    remaining = Counter(box_of(rules))
    blocks = []
    for row in rng.sample(short_rows(rules), 12):
        if Counter(row) <= remaining and len(blocks) < 3:
            remaining -= Counter(row)
            row = row[:: rng.choice([1, -1])]
            blocks.append(Block.from_reading(row, rng.choice(readings(row, rules))))
    rest = list(remaining.elements())
    tiles = rng.sample(rest, min(len(rest), rng.randint(0, 7)))
    must = rng.choice([0, 0, rng.randint(0, len(tiles))])
    task = Task(Counter(tiles[:must]), Counter(tiles[must:]), blocks=tuple(blocks))
    return task if blocks and can_sweep(task, rules) else None


def compare_with_blocks(
    seed: int, cases: int, editions: Sequence[str] = ("finnish", "finnish", "junior", "cards")
) -> None:
    rng = random.Random(seed)
    done = 0
    while done < cases:
        edition = rule_set(rng.choice(editions))
        rules = dataclasses.replace(edition, stock=dataclasses.replace(edition.stock, numbers=rng.choice([5, 6, 8])))
        task = block_task(rng, rules)
        if task is None:
            continue
        done += 1
        swept, least = sweep_task(task, rules), Cover(task, rules).least()
        assert (swept is None) == (least is None), (task, rules)
        if swept is not None:
            assert lost(task, swept.left) == least, (task, swept, cover_task(task, rules))
            assert all(is_valid(meld, rules) for meld in swept.melds)
            for block, meld in zip(task.blocks, swept.melds, strict=False):
                assert Counter(block.row) <= Counter(meld)


def test_blocks_stay_together_in_sweep_and_cover() -> None:
    """Blocks are extended and never split, by the sweep and by the exact cover."""
    compare_with_blocks(1, 200)


def test_sweep_with_jokers_anywhere_leaves_over_as_little(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sweep that may use jokers anywhere leaves over as little as one that places them at the end."""
    monkeypatch.setattr(_Backtrace, "place_spare_jokers", lambda self: False)
    compare_with_blocks(3, 60, ("cards", "junior"))
    compare_sweep_and_cover(3, 60)
    one = Block.from_reading((K5, B5, O5), readings((K5, B5, O5), LARGE)[0])
    found = sweep_task(Task(Counter({JOKER: 1}), blocks=(one,)), LARGE)
    assert found is not None
    assert Counter(found.melds[0]) == Counter((K5, B5, O5, JOKER))


def test_sweep_in_both_directions_finds_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that changes its direction as early as possible finds the same."""
    monkeypatch.setattr(backtrace, "_FIRST_FAILED_STATES", 1)
    compare_with_blocks(4, 60)
    compare_sweep_and_cover(4, 100)


def test_joker_without_a_place_at_the_end_repeats_every_sweep(monkeypatch: pytest.MonkeyPatch) -> None:
    """If a joker finds no place at the end, the sweep with jokers anywhere is run for each task."""
    monkeypatch.setattr(_Backtrace, "place_spare_jokers", lambda self: False)
    compare_sweep_and_cover(6, 60)


def test_joker_without_room_at_the_ends_goes_inside() -> None:
    """A joker without room at the ends goes inside: the sweep is repeated."""
    rules = dataclasses.replace(LARGE, stock=dataclasses.replace(LARGE.stock, numbers=6))
    tiles = Counter([*(Tile(Colour.RED, number) for number in range(1, 7)), JOKER])
    found = sweep_task(Task(tiles), rules)
    assert found is not None
    assert sorted(map(len, found.melds)) == [3, 4]
    none = dataclasses.replace(rules, joker=dataclasses.replace(rules.joker, most_in_set=0))
    assert sweep_task(Task(tiles), none) is None
    assert Cover(Task(tiles), none).least() is None


def test_cover_lists_every_arrangement_once() -> None:
    """Two equal rows are chosen in one order only, old melds come first, and too many raise an error."""
    run = [Tile(Colour.RED, number) for number in (1, 2, 3)]
    twice = Cover(Task(Counter(run * 2)), LARGE)
    assert [solution.melds for solution in twice.arrangements(0)] == [(tuple(run), tuple(run))]
    both = Cover(Task(Counter(parse_table("K3 K4 K5 | K3 B3 O3").counts)), LARGE)
    assert len(list(both.arrangements(0))) == 1
    one = Block.from_reading((K5, B5, O5), readings((K5, B5, O5), LARGE)[0])
    found = cover_task(Task(Counter(run), Counter([Tile(Colour.RED, 5)]), blocks=(one,)), LARGE)
    assert found is not None
    assert found.melds == ((K5, B5, O5, Tile(Colour.RED, 5)), tuple(run))
    assert not found.left
    tiles = Counter([*box_of(LARGE)[:24], JOKER])
    patient = Cover(Task(Counter(), tiles), LARGE, every_row=True)
    least = patient.least()
    assert least is not None
    impatient = Cover(Task(Counter(), tiles), LARGE, every_row=True, most_states=len(patient._least) + 3)
    with pytest.raises(SearchTooLarge):
        list(impatient.arrangements(least + 6))


def test_rows_past_the_highest_number_by_house_rule() -> None:
    """An old run continues past either end by house rule; jokers alone are a row if a set may hold them."""
    wraps = dataclasses.replace(LARGE, melds=dataclasses.replace(LARGE.melds, wraps=True))
    row = parse_table("R12 R13 R1").melds[0]
    available = Counter(parse_table("R2 R11").melds[0])
    found = rows_with(Block.from_reading(row, readings(row, wraps)[0]), available, wraps)
    assert {str(Table((each,))) for each in found} == {
        "R12 R13 R1",
        "R12 R13 R1 R2",
        "R11 R12 R13 R1",
        "R11 R12 R13 R1 R2",
    }
    end = parse_table("R11 R12 R13").melds[0]
    one = Counter([Tile(Colour.RED, 1)])
    onward = rows_with(Block.from_reading(end, readings(end, wraps)[0]), one, wraps)
    assert [str(Table((row,))) for row in onward] == ["R11 R12 R13", "R11 R12 R13 R1"]
    joker = dataclasses.replace(LARGE.joker, alone=True, most_in_set=3)
    alone = dataclasses.replace(LARGE, joker=joker, stock=dataclasses.replace(LARGE.stock, jokers=4))
    assert list(all_rows(Counter({JOKER: 4}), alone)) == [(JOKER, JOKER, JOKER)]


def test_joker_that_stands_for_a_tile_becomes_a_joker_again() -> None:
    """In the task it is that tile; in the result it is a joker again, in the meld with most of its old tiles."""
    group, run = parse_table("R9 B9 J | Y7 Y8 Y9").melds
    nine = Tile(Colour.YELLOW, 9)
    plan = Plan(Task(Counter([R9, B9, nine, *run])), staying=((nine, group),))
    assert plan.table(parse_table("Y9 Y8 Y7 | R9 B9 Y9").melds) == parse_table("Y7 Y8 Y9 | R9 B9 J")


@pytest.mark.long
def test_blocks_stay_together_in_many_tasks() -> None:
    """The same with 5,000 tasks."""
    compare_with_blocks(2, 5_000)
