"""Progress bars of benches on standard error, and a stand-in for tests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

Watch = Callable[[Sequence[Any], str], Iterable[Any]]
"""Yields items and shows a progress bar with a text."""
Counting = Callable[[str, int], AbstractContextManager[Callable[[int], None]]]
"""Shows a progress bar with a text and a total; yields a function that advances it."""


def unwatched(things: Sequence[Any], words: str) -> Iterable[Any]:
    """Return the items without a progress bar."""
    return things


def watched(things: Sequence[Any], words: str) -> Iterable[Any]:
    """Yield the items with a progress bar on standard error."""
    from rich.console import Console
    from rich.progress import track

    return track(things, description=words, console=Console(stderr=True))


@contextmanager
def counting(words: str, total: int) -> Iterator[Callable[[int], None]]:
    """Show a progress bar on standard error; yield a function that advances it."""
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress

    with Progress(*Progress.get_default_columns(), MofNCompleteColumn(), console=Console(stderr=True)) as bar:
        task = bar.add_task(words, total=total)
        yield lambda more: bar.advance(task, more)
