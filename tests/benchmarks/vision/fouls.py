"""Read tables with a planted foul, and the same tables without it, and count the fouls that a reading hides."""

from __future__ import annotations

import json
import pathlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.benchmarks.progress import Watch, unwatched
from tilekeeper.datasets.synthesis.recordings.foul_tables import LIST, is_legal
from tilekeeper.engine import DEFAULT_EDITION, Table, Tile, parse_table, rule_set
from tilekeeper.models.evaluation.measure import PictureReader
from tilekeeper.vision.photos import load_photo
from tilekeeper.vision.types import OK, TableReading


@dataclass(frozen=True, slots=True)
class Task:
    """An image of a table: `kind` is the planted foul, or None for the legal table."""

    name: str
    path: pathlib.Path
    table: Table
    kind: str | None


@dataclass(slots=True)
class FoulCount:
    """Counts of the readings of tables with a foul, and of the same tables without it.

    `hidden`: read as legal without a question; `flagged`: a tile is flagged, or the status says that the reading is not
    reliable; `as_illegal`: read as illegal without a question. `accused`: legal tables read as illegal without one.
    """

    fouls: int = 0
    hidden: int = 0
    flagged: int = 0
    as_illegal: int = 0
    twins: int = 0
    legal: int = 0
    twins_asked: int = 0
    accused: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    hidden_kinds: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def add(self, task: Task, reading: TableReading) -> None:
        """Add one reading."""
        read = table_of(reading)
        legal = is_legal(read, rule_set(DEFAULT_EDITION))
        in_doubt = reading.status != OK or any(tile.doubtful for tile in reading.tiles)
        if task.kind is None:
            self.twins += 1
            self.twins_asked += in_doubt
            self.legal += legal and not in_doubt
            self.accused += not legal and not in_doubt
            wrong = not legal and not in_doubt
        else:
            self.fouls += 1
            self.kinds[task.kind] += 1
            self.flagged += in_doubt
            self.as_illegal += not legal and not in_doubt
            wrong = legal and not in_doubt
            self.hidden += wrong
            self.hidden_kinds[task.kind] += wrong
        if wrong:
            self.faults.append(f"{task.name}: {task.table} read as {read}")

    def figures(self) -> dict[str, object]:
        """The figures, for JSON."""
        numbers = {name: getattr(self, name) for name in self.__slots__ if isinstance(getattr(self, name), int)}
        kinds = {kind: f"{self.hidden_kinds[kind]} of {count}" for kind, count in sorted(self.kinds.items())}
        return {**numbers, "hidden_by_kind": kinds, "faults": self.faults}


def tasks_of(folder: pathlib.Path) -> list[Task]:
    """Return the tables that `synthesis.recordings.foul_tables` wrote to a folder, each foul before its legal table."""
    tasks = []
    for entry in json.loads((folder / LIST).read_text("utf-8"))["tables"]:
        for word, kind in (("foul", entry["kind"]), ("legal", None)):
            name = entry[f"{word}_file"]
            tasks.append(Task(name, folder / "images" / name, parse_table(entry[word]), kind))
    return tasks


def read_fouls(tasks: Sequence[Task], reader: PictureReader, watch: Watch = unwatched) -> FoulCount:
    """Read all tables and count."""
    count = FoulCount()
    for task in watch(tasks, "Planted fouls"):
        count.add(task, reader.read(load_photo(task.path).image_bgr))
    return count


def table_of(reading: TableReading) -> Table:
    """Return the table of a reading."""
    return Table(tuple(tuple(Tile.from_label(reading.tiles[i].label) for i in row) for row in reading.rows))
