"""The command of the benchmarks that hold a search to brute force, edition by edition."""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from tilekeeper.engine.rules.editions import RULE_SETS


class Case(Protocol):
    """What was asked, what was found, and what brute force found; `str(case)` tells all of it."""

    @property
    def is_special(self) -> bool:
        """Whether it is one of those that are counted apart."""

    @property
    def proved(self) -> bool:
        """Whether what was found is called the best."""

    @property
    def wrong(self) -> bool:
        """Whether there is something better, or what was found can't be."""

    @property
    def is_best(self) -> bool:
        """Whether nothing better is there."""


def main_of(
    module: str,
    about: str | None,
    special: str,
    ask: Callable[[str, int, int], Iterable[Case]],
    argv: Sequence[str] | None,
) -> int:
    """Print for each edition how many cases were asked, proved and wrong; 1 where any is wrong.

    Args:
        module: the benchmark's module.
        about: its docstring.
        special: the head of the column in which the special cases are counted.
        ask: makes so many cases of an edition; another seed draws others.
        argv: the arguments of the command.
    """
    parser = argparse.ArgumentParser(prog=f"python -m {module}", description=(about or "").split("\n")[0])
    parser.add_argument("--cases", type=int, default=2_000, help="cases for each edition (default: %(default)s)")
    parser.add_argument("--edition", choices=RULE_SETS, action="append", help="one edition (default: all of them)")
    parser.add_argument("--seed", type=int, default=0, help="another seed draws other cases (default: %(default)s)")
    args = parser.parse_args(argv)
    print(f"{'edition':<14} {'cases':>6} {special:>10} {'proved':>7} {'wrong':>6} {'proved wrong':>13} {'seconds':>8}")
    wrong = 0
    for edition in args.edition or RULE_SETS:
        start_s = time.perf_counter()
        seen: Counter[str] = Counter()
        for case in ask(edition, args.cases, args.seed):
            seen.update(cases=1, special=case.is_special, proved=case.proved, wrong=case.wrong)
            seen["proved wrong"] += case.proved and not case.is_best
            if case.wrong:
                print(f"  {case}", flush=True)
        print(
            f"{edition:<14} {seen['cases']:>6} {seen['special']:>10} {seen['proved']:>7} {seen['wrong']:>6} "
            f"{seen['proved wrong']:>13} {time.perf_counter() - start_s:>8.0f}",
            flush=True,
        )
        wrong += seen["wrong"]
    return 1 if wrong else 0
