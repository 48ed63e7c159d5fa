"""Progress bars on standard error while a bench measures, and what stands in for them in tests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

Watch = Callable[[Sequence[Any], str], Iterable[Any]]
"""Gives back the things that it is given, and shows under the words given how many of them are done."""
Counting = Callable[[str, int], AbstractContextManager[Callable[[int], None]]]
"""Shows a bar for so many things under some words; gives a function to call with how many more are done."""


def unwatched(things: Sequence[Any], words: str) -> Iterable[Any]:
    """Give back the things and show nothing."""
    return things


def watched(things: Sequence[Any], words: str) -> Iterable[Any]:
    """Give back the things, with a bar on standard error."""
    from rich.console import Console
    from rich.progress import track

    return track(things, description=words, console=Console(stderr=True))


@contextmanager
def counting(words: str, total: int) -> Iterator[Callable[[int], None]]:
    """Show a bar on standard error; gives a function to call with how many more are done."""
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress

    with Progress(*Progress.get_default_columns(), MofNCompleteColumn(), console=Console(stderr=True)) as bar:
        task = bar.add_task(words, total=total)
        yield lambda more: bar.advance(task, more)
