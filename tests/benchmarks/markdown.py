"""Parts of a page about what was measured, in Markdown: the table of targets, a part in detail, its faults."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from tests.benchmarks.vision.figures import Figure

MARKS = {True: "met", False: "**not met**", None: ""}


def figure_lines(rows: Iterable[Figure]) -> list[str]:
    """Each figure with its target and what was reached."""
    head = ["| figure | target | reached | |", "|---|---|---|---|"]
    return [*head, *(f"| {row.name} | {row.target} | {row.reached} | {MARKS[row.met]} |" for row in rows)]


def part_lines(
    title: str, figures: Mapping[str, Any], faults_are: str, most_faults: int, tells: Callable[[str, Any], bool]
) -> list[str]:
    """A part's details, those that `tells(name, value)` says yes to, and its first faults below `faults_are`."""
    lines = [f"## {title}", "", "| | |", "|---|---|"]
    lines += [f"| {name.replace('_', ' ')} | {_told(value)} |" for name, value in figures.items() if tells(name, value)]
    lines.append("")
    faults: Sequence[object] = figures.get("faults", ())
    if not faults:
        return lines
    more = f", the first {most_faults} of {len(faults)}" if len(faults) > most_faults else ""
    return [*lines, f"{faults_are}{more}:", "", *(f"* {fault}" for fault in faults[:most_faults]), ""]


def _told(value: object) -> str:
    match value:
        case Mapping():
            return "; ".join(f"{name}: {inner}" for name, inner in value.items())
        case list():
            return ", ".join(map(str, value))
        case float():
            return f"{value:.4g}"
    return str(value)
