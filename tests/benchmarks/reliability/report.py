"""What the attacks of this bench have in common: how many cases of which kind, figures, and what must not be."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass(slots=True)
class Outcome:
    """What became of an attack."""

    cases: Counter[str] = field(default_factory=Counter)
    """How many of each kind."""
    counts: Counter[str] = field(default_factory=Counter)
    """What else was counted."""
    figures: dict[str, str] = field(default_factory=dict)
    """What was measured, with its unit."""
    troubles: list[str] = field(default_factory=list)
    """What must not be."""
    slow: list[str] = field(default_factory=list)
    """What took longer than it should, which a busy machine may be to blame for."""

    def trouble(self, what: str) -> None:
        """Note something that must not be."""
        self.troubles.append(what)

    def lines(self) -> list[str]:
        """Return it as a person reads it."""
        counted = [f"{number:8} {kind}" for kind, number in (*sorted(self.cases.items()), *sorted(self.counts.items()))]
        figures = [f"{value:>8} {name}" for name, value in self.figures.items()]
        return [
            *counted,
            *figures,
            f"{len(self.troubles):8} of what must not be",
            *map("  {}".format, [*self.troubles, *self.slow]),
        ]
