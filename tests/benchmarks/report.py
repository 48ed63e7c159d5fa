"""Reports of a bench: figures with their targets, as a table on the terminal, as Markdown and as JSON."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

NOT_MEASURED = "not measured"
MARKS = {True: "met", False: "**not met**", None: ""}


@dataclass(frozen=True, slots=True)
class Figure:
    """One row; `met` is None if nothing was measured."""

    name: str
    target: str
    reached: str
    met: bool | None


@dataclass(frozen=True, slots=True)
class Limit:
    """A bound on one number: `at_most` `bound`, or else at least `bound`.

    `words` is its name for people, and `digits` the number of printed digits.
    """

    words: str
    key: str
    bound: float
    at_most: bool
    digits: int = 4

    @property
    def target(self) -> str:
        """Return the bound as text."""
        return f"{self.words} {'≤' if self.at_most else '≥'} {self.bound:g}"

    def reached(self, value: float) -> str:
        """Return the value as text."""
        number = f"{value:.{self.digits}f}"
        return f"{self.words} {number.rstrip('0').rstrip('.') if self.digits else number}"

    def holds(self, value: float) -> bool:
        """Return whether the value is within the bound."""
        return value <= self.bound if self.at_most else value >= self.bound


def figure(name: str, limits: tuple[Limit, ...], measured: Mapping[str, Any] | None) -> Figure:
    """Return the row of these limits; `measured` may be None."""
    target = ", ".join(limit.target for limit in limits)
    if measured is None or any(limit.key not in measured for limit in limits):
        return Figure(name, target, NOT_MEASURED, None)
    reached = ", ".join(limit.reached(measured[limit.key]) for limit in limits)
    return Figure(name, target, reached, all(limit.holds(measured[limit.key]) for limit in limits))


def print_table(rows: Sequence[Figure]) -> None:
    """Print the figures with their targets."""
    from rich.console import Console
    from rich.table import Table

    table = Table("figure", "target", "reached", "")
    for row in rows:
        mark = {True: "[green]met[/]", False: "[red]not met[/]", None: ""}[row.met]
        table.add_row(row.name, row.target, row.reached, mark)
    Console().print(table)


def print_missing(what: str) -> None:
    """Print in one line on standard error what is missing."""
    print(f"bench: {what}", file=sys.stderr)


def figure_lines(rows: Iterable[Figure]) -> list[str]:
    """Return the Markdown table of figures with their targets."""
    head = ["| figure | target | reached | |", "|---|---|---|---|"]
    return [*head, *(f"| {row.name} | {row.target} | {row.reached} | {MARKS[row.met]} |" for row in rows)]


def as_json(rows: list[Figure]) -> list[dict[str, Any]]:
    """Return the rows for JSON."""
    return [asdict(row) for row in rows]
