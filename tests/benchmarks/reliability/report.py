"""The outcome of a row of the bench: cases by kind, figures, and failures."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass(slots=True)
class Outcome:
    """The outcome of one row."""

    cases: Counter[str] = field(default_factory=Counter)
    """Number of cases by kind."""
    counts: Counter[str] = field(default_factory=Counter)
    """Other counts."""
    figures: dict[str, str] = field(default_factory=dict)
    """Measured values with their units."""
    troubles: list[str] = field(default_factory=list)
    """Failures."""
    slow: list[str] = field(default_factory=list)
    """Cases that took too long, possibly because the machine was busy."""

    def trouble(self, what: str) -> None:
        """Add a failure."""
        self.troubles.append(what)

    def lines(self) -> list[str]:
        """Return the outcome as lines for people."""
        counted = [f"{number:8} {kind}" for kind, number in (*sorted(self.cases.items()), *sorted(self.counts.items()))]
        figures = [f"{value:>8} {name}" for name, value in self.figures.items()]
        return [
            *counted,
            *figures,
            f"{len(self.troubles):8} of what must not be",
            *map("  {}".format, [*self.troubles, *self.slow]),
        ]
