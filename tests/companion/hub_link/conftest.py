"""A hall with one table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from flask import Flask

from tests.support.mosquitto import Mosquitto
from tests.support.table_in_hall import TableInHall


@pytest.fixture
def hall(tmp_path: Path, make_app: Callable[..., Flask]) -> Iterator[TableInHall]:
    """A hall with one table, which is not started yet."""
    mosquitto = Mosquitto(tmp_path / "broker").start()
    with ExitStack() as stack:
        stack.callback(mosquitto.stop)
        yield TableInHall(mosquitto, make_app, stack)
