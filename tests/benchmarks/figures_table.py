"""What all topics of the benches share: bars while they measure, and the table of figures at the end."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # measuring brings OpenCV and ONNX Runtime, which nobody who asks for --help should wait for
    from tests.benchmarks.vision.figures import Figure


def watched(things: Sequence[Any], words: str) -> Iterable[Any]:
    """Hand things on with a bar on standard error."""
    from rich.console import Console
    from rich.progress import track

    return track(things, description=words, console=Console(stderr=True))


@contextmanager
def counting(words: str, total: int) -> Iterator[Callable[[int], None]]:
    """Show a bar on standard error; gives what hears how many more are done."""
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress

    with Progress(*Progress.get_default_columns(), MofNCompleteColumn(), console=Console(stderr=True)) as bar:
        task = bar.add_task(words, total=total)
        yield lambda more: bar.advance(task, more)


def print_table(rows: Sequence[Figure]) -> None:
    """Print the figures with their targets."""
    from rich.console import Console
    from rich.table import Table

    table = Table("figure", "target", "reached", "")
    for row in rows:
        mark = {True: "[green]met[/]", False: "[red]not met[/]", None: ""}[row.met]
        table.add_row(row.name, row.target, row.reached, mark)
    Console().print(table)


def complain(what: str) -> None:
    """Say in one line what is missing."""
    print(f"bench: {what}", file=sys.stderr)
