"""Runs `tilekeeper run` with a stand-in only for the reader, which knows the film's tables by their mark."""

import sys

from tests.support.known_tables import FILM_AFTER, FILM_BEFORE, MarkedTables, table_reading
from tilekeeper.companion.cli import main
from tilekeeper.companion.session import observer
from tilekeeper.vision import shipped

if __name__ == "__main__":
    tables = MarkedTables([table_reading(FILM_BEFORE), table_reading(FILM_AFTER)])
    shipped.load_reader = lambda *_, **__: None
    observer.NetworkObserver = lambda _: tables
    sys.exit(main(["run", *sys.argv[1:]]))
