"""An app with a turn that is as hard to judge as possible; `busy_judge` measures how long other tablets wait.

Camera and networks are stand-ins; everything else is the app. Every few seconds the same table is read with its melds
in another order, so that the judge is always busy.
"""

from __future__ import annotations

import argparse
import itertools
import random
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path

from tests.benchmarks.engine.hard_turns import Turn, turns
from tests.support.known_tables import MarkedTables, PlayedSource, table_reading
from tilekeeper.companion.session.settings import Settings
from tilekeeper.companion.web.api.extensions import parts
from tilekeeper.companion.web.app import create_app
from tilekeeper.companion.web.server import listen
from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.engine.tiles.table import Table

EDITION = "cards"
READ_ANEW_S = 6.0
"""Hands-free Done judges a table that has not changed for three seconds."""
ORDERS = 6


def hardest_turn() -> Turn:
    """Return the slowest illegal turn of `cards` among the turns of `hard_turns` with seed 0."""
    return turns("taken apart", 12, 0, rule_set(EDITION))[6]


def main(argv: Sequence[str] | None = None) -> None:
    """Serve until the process ends; the first printed line ends with the address."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int)
    parser.add_argument("--data", type=Path, default=Path(tempfile.gettempdir()))
    args = parser.parse_args(argv)
    tables, camera = MarkedTables(), PlayedSource()
    app = create_app(Settings(rule_set(EDITION), camera, tables, camera.name, args.data))
    listening = listen(app, "127.0.0.1", args.port)
    threading.Thread(target=_lay, args=(tables, camera), daemon=True).start()
    parts(app).start()
    print(f"The table is at {listening.address}")
    print("Press Ctrl+C to end.", flush=True)
    listening.server.serve()


def _lay(tables: MarkedTables, camera: PlayedSource) -> None:
    _, after, _ = hardest_turn()
    rng = random.Random(0)
    pictures = [
        tables.picture(table_reading(str(Table(tuple(rng.sample(after.melds, len(after.melds)))))))
        for _ in range(ORDERS)
    ]
    pause = threading.Event()
    for picture in itertools.cycle(pictures):
        camera.show(picture)
        pause.wait(READ_ANEW_S)


if __name__ == "__main__":
    main()
