"""A hub in its own process, forked from a process with all modules loaded, so that it starts fast after a kill."""

from __future__ import annotations

import multiprocessing
import threading
import time
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess

from tilekeeper.companion.hub.app import create_app
from tilekeeper.companion.hub.database import Database, DatabaseUnusable
from tilekeeper.companion.hub.hub import Hub
from tilekeeper.companion.messaging.address import HallAddress
from tilekeeper.companion.messaging.client import MqttBroker
from tilekeeper.companion.web.server import listen

CLUB = "club"
STARTS_WITHIN_S = 120.0


class HubProcess:
    """A running hub with its pages."""

    def __init__(self, database: str, broker_port: int, name: str = "hub") -> None:
        """Start a hub; while its database is unavailable, the hub waits.

        Args:
            database: the address of the hub's database.
            broker_port: the port of the broker on this machine.
            name: the hub's name at the broker.
        """
        self._words = (database, broker_port, name)
        self.start()

    def start(self) -> None:
        """Start the hub, or restart it after a kill."""
        ours, theirs = multiprocessing.Pipe(duplex=False)
        forks = multiprocessing.get_context("forkserver")
        forks.set_forkserver_preload([__name__, "tests.support.forked_app"])
        self.process: ForkServerProcess = forks.Process(target=_serve, args=(theirs, *self._words))
        self.process.start()
        theirs.close()
        self._pipe = ours

    @property
    def address(self) -> str:
        """The address of its pages, with a slash at the end."""
        assert self._pipe.poll(STARTS_WITHIN_S), "the hub did not start"
        return str(self._pipe.recv())

    @property
    def pid(self) -> int:
        """The ID of its process."""
        assert self.process.pid is not None
        return self.process.pid

    def kill(self) -> None:
        """End the hub with SIGKILL."""
        with suppress(ProcessLookupError, ValueError):
            self.process.kill()
            self.process.join(STARTS_WITHIN_S)
            self.process.close()
        self._pipe.close()


def _serve(pipe: Connection, database: str, broker_port: int, name: str) -> None:
    kept = _opened(database)
    broker = MqttBroker(HallAddress.parse(f"mqtt://127.0.0.1:{broker_port}/{CLUB}"), name)
    hub = Hub(kept, CLUB, broker)
    listening = listen(create_app(hub), "127.0.0.1", 0)
    hub.start()
    threading.Thread(target=listening.server.serve, daemon=True).start()
    with suppress(OSError):
        pipe.send(listening.address)
    threading.Event().wait()


def _opened(database: str) -> Database:
    while True:
        try:
            return Database(database)
        except DatabaseUnusable:
            time.sleep(0.3)  # the database may be unavailable, as for anybody who starts the hub
