"""Measure how often the best play is proved, and its time, in every edition.

    python -m tests.benchmarks.engine.proofs --count 30

The tables are random and legal, with jokers.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import time
from collections.abc import Sequence

from tests.benchmarks.engine.questions import SIZES, Question, question
from tilekeeper.engine.rules.editions import RULE_SETS
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.engine.solver.best_play import best_play


def scale_sizes(rules: RuleSet) -> tuple[int, ...]:
    """Return the sizes of tables to measure, scaled to the size of the box."""
    return tuple(size * rules.stock.size // 106 for size in SIZES)


def main(argv: Sequence[str] | None = None) -> int:
    """Print for each edition and size the number of proved plays, the median and the worst time."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.engine.proofs", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--count", type=int, default=30, help="tables of each size (default: %(default)s)")
    parser.add_argument("--edition", choices=RULE_SETS, action="append", help="one edition (default: all of them)")
    parser.add_argument("--cpu", action="store_true", help="measure processor time, on a machine that is busy")
    args = parser.parse_args(argv)
    clock_s = time.process_time if args.cpu else time.perf_counter
    print(f"{'edition':<14} {'tiles':>5} {'proved':>10} {'median ms':>10} {'worst ms':>9}")
    for name in args.edition or RULE_SETS:
        rules = RULE_SETS[name]
        for size in scale_sizes(rules):
            rng = random.Random(f"{name} {size}")
            questions = [question(rng, size, rules, min(14, rules.setup.dealt)) for _ in range(args.count)]
            times_s, proved = [], 0
            for position in questions:
                start_s = clock_s()
                proved += _is_proved(position, rules)
                times_s.append(clock_s() - start_s)
            print(
                f"{name:<14} {size:>5} {f'{proved} of {len(questions)}':>10} "
                f"{statistics.median(times_s) * 1000:>10.1f} {max(times_s) * 1000:>9.1f}",
                flush=True,
            )
    return 0


def _is_proved(position: Question, rules: RuleSet) -> bool:
    play = best_play(position.table, position.rack, TurnContext(rules, True))
    return play is None or play.proved


if __name__ == "__main__":  # pragma: no cover - the tests call main
    sys.exit(main())
