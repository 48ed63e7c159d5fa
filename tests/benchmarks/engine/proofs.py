"""Measures how often the best play and the nearest fix are proved, in every edition, and how long they take.

    python -m tests.benchmarks.engine.proofs --count 30

The tables are random and legal, jokers among them; for the nearest fix some tiles of them are put elsewhere.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from tests.benchmarks.engine.best_play_times import SIZES, Question, question
from tilekeeper.engine.rules.editions import RULE_SETS
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.solver.arrange import nearest_fix
from tilekeeper.engine.solver.best_play import best_play
from tilekeeper.engine.tiles.table import Table

ASTRAY: Final = (1, 2, 4, 8)
"""How many tiles are put elsewhere."""


def sizes_of(rules: RuleSet) -> tuple[int, ...]:
    """The sizes of tables to measure: those of the other benchmark, fewer tiles where the box holds fewer."""
    return tuple(size * rules.stock.size // 106 for size in SIZES)


def gone_astray(rng: random.Random, table: Table, tiles: int) -> Table:
    """The table after so many tiles were taken from where they lay and put anywhere, or beside all melds."""
    melds = [list(meld) for meld in table.melds]
    for _ in range(tiles):
        source = rng.choice(melds)
        tile = source.pop(rng.randrange(len(source)))
        melds = [meld for meld in melds if meld]
        target = rng.randrange(len(melds) + 1)
        if target == len(melds):
            melds.append([tile])
        else:
            melds[target].insert(rng.randint(0, len(melds[target])), tile)
    return Table(tuple(map(tuple, melds)))


def main(argv: Sequence[str] | None = None) -> int:
    """Print for each edition and size how often what was found is proved, the median and the worst time."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.engine.proofs", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--count", type=int, default=30, help="tables of each kind (default: %(default)s)")
    parser.add_argument("--edition", choices=RULE_SETS, action="append", help="one edition (default: all of them)")
    parser.add_argument("--cpu", action="store_true", help="measure processor time, on a machine that is busy")
    args = parser.parse_args(argv)
    clock_s = time.process_time if args.cpu else time.perf_counter
    print(f"{'edition':<14} {'tiles':>5} {'asked for':<24} {'proved':>10} {'median ms':>10} {'worst ms':>9}")
    for name in args.edition or RULE_SETS:
        rules = RULE_SETS[name]
        for size in sizes_of(rules):
            rng = random.Random(f"{name} {size}")
            asked = [question(rng, size, rules, min(14, rules.setup.dealt)) for _ in range(args.count)]
            kinds: list[tuple[str, Callable[[Question], bool]]] = [("best play", partial(_plays, rules))]
            for astray in ASTRAY:
                mess = [Question(gone_astray(rng, each.table, astray), ()) for each in asked]
                kinds.append((f"nearest fix, {astray} astray", _fixes(mess, rules)))
            for kind, ask in kinds:
                times_s, proved = [], 0
                for each in asked:
                    start_s = clock_s()
                    proved += ask(each)
                    times_s.append(clock_s() - start_s)
                print(
                    f"{name:<14} {size:>5} {kind:<24} {f'{proved} of {len(asked)}':>10} "
                    f"{statistics.median(times_s) * 1000:>10.1f} {max(times_s) * 1000:>9.1f}",
                    flush=True,
                )
    return 0


def _plays(rules: RuleSet, asked: Question) -> bool:
    play = best_play(asked.table, asked.rack, rules, True)
    return play is None or play.best


def _fixes(mess: Sequence[Question], rules: RuleSet) -> Callable[[Question], bool]:
    tables = iter(mess)
    return lambda _: nearest_fix(next(tables).table, rules).smallest


if __name__ == "__main__":  # pragma: no cover - the tests call main
    sys.exit(main())
