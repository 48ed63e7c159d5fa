"""A table with its page in a hall, with a real Mosquitto and a hub that receives its messages."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from flask import Flask

from tests.support.game_night_client import EveningClient
from tests.support.hub_ear import CLUB, HubEar, wait_for
from tests.support.known_tables import MarkedTables, PlayedSource, table_reading
from tests.support.mosquitto import Mosquitto
from tilekeeper.companion.capture.no_source import NoSource
from tilekeeper.companion.hub_link.table_report import last_will
from tilekeeper.companion.messaging.address import HallAddress
from tilekeeper.companion.messaging.broker import Link
from tilekeeper.companion.messaging.client import MqttBroker
from tilekeeper.companion.messaging.messages import (
    Acknowledgement,
    CommandBase,
    DecideCommand,
    Player,
    SeatCommand,
)
from tilekeeper.companion.messaging.topics import TableName
from tilekeeper.companion.web.api.extensions import parts

GROUP = "K10 B10 O10"
HEAD = {"table": "7", "by": "Kim", "role": "arbiter"}


class TableInHall:
    """A table with its page, the broker, and the hub."""

    def __init__(self, mosquitto: Mosquitto, make_app: Callable[..., Flask], stack: ExitStack) -> None:
        self.mosquitto, self._make_app, self._stack = mosquitto, make_app, stack
        self.hub = self._heard()
        self.broker = MqttBroker
        self.app: Flask | None = None
        self.page: EveningClient | None = None

    def start(self, source: Any = None) -> EveningClient:
        """Start the table's app, or restart it."""
        name = TableName(CLUB, "7")
        address = HallAddress.parse(f"mqtt://127.0.0.1:{self.mosquitto.port}/{CLUB}")
        link = Link(name, self.broker(address, "tilekeeper-club-7", last_will(name)))
        self.app = self._make_app(source or NoSource(), hall=link)
        self.page = EveningClient(self.app)
        return self.page

    def start_filmed(self, camera: PlayedSource, tables: MarkedTables) -> EveningClient:
        """Start the app with a camera, in the first turn of a game on an empty table."""
        page = self.start(camera)
        camera.show(tables.picture(table_reading("")))
        page.deal("Ada", "Bo")
        page.act("resume")
        return page

    def stop(self) -> None:
        """End the app as a service manager does."""
        assert self.app is not None
        parts(self.app).close()

    def kill(self) -> None:
        """Drop everything silently, as far as that is possible within one process."""
        assert self.app is not None
        hall = parts(self.app).hall
        assert hall is not None
        hall._closed.set()
        hall._outbox.save = lambda: None  # type: ignore[method-assign]
        hall._thread.join()
        parts(self.app).close()

    def restart_broker(self) -> None:
        """Start the killed broker again with the data that it still has."""
        self.mosquitto.start()

    def tell(self, command: CommandBase) -> Acknowledgement:
        """Send a command and return the answer."""
        wait_for(lambda: self.hub.presence.get("7") == "here")
        before = len(self.hub.answers)
        self.hub.send(command)
        wait_for(lambda: len(self.hub.answers) > before)
        return self.hub.answers[-1]

    def log(self) -> list[dict[str, Any]]:
        """Return the hub's entries of the current game night, after it has received all of them."""
        assert self.page is not None
        evening = self.page.evening["id"]
        wanted = len(self.page.get("/api/evening/history")["items"])
        wait_for(lambda: len(self.hub.logs.get(("7", evening), [])) >= wanted)
        assert self.hub.wrong == []
        return self.hub.logs["7", evening]

    def _heard(self) -> HubEar:
        hub = HubEar(self.mosquitto.port)
        self._stack.callback(hub.close)
        wait_for(lambda: hub.broker.connected)
        return hub


def seat(id_: str = "s1", **other: Any) -> SeatCommand:
    """Return a command that seats three people for the first round."""
    players = [Player(id=name, name=name) for name in ("Ada", "Bo", "Cleo")]
    return SeatCommand(**HEAD | {"id": id_, "round": 1, "players": players, "edition": "large-numbers"} | other)


def exported(page: EveningClient) -> list[dict[str, Any]]:
    """Return the log of the table itself."""
    text = page.http.get("/api/evening/export.jsonl").get_data(as_text=True)
    return [json.loads(line) for line in text.splitlines()[1:]]


def dispute_of(hall: TableInHall, page: EveningClient) -> Any:
    """Return the dispute after the arbiter was called."""
    before = len(hall.hub.disputes)
    page.post("/api/hall/call")
    return wait_for(lambda: hall.hub.disputes[before] if len(hall.hub.disputes) > before else None)


def decide(dispute: Any, id_: str, decision: str, why: str = "I saw it", **more: Any) -> DecideCommand:
    """Return a decision of an arbiter."""
    return DecideCommand(**HEAD, id=id_, dispute=dispute.id, decision=decision, why=why, **more)
