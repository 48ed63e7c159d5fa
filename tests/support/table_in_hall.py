"""A table with its page in a hall, over a real Mosquitto, and a hub that hears it."""

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
from tilekeeper.companion.broker.address import HallAddress
from tilekeeper.companion.broker.broker import Link
from tilekeeper.companion.broker.client import MqttBroker
from tilekeeper.companion.broker.messages import (
    Acknowledgement,
    CommandBase,
    DecideCommand,
    Player,
    SeatCommand,
)
from tilekeeper.companion.broker.topics import TableName
from tilekeeper.companion.capture.no_source import NoSource
from tilekeeper.companion.hall.hall import last_will
from tilekeeper.companion.web.api.extensions import parts

GROUP = "K10 B10 O10"
HEAD = {"table": "7", "by": "Kim", "role": "arbiter"}


class TableInHall:
    """A table with its page, the broker, and a hub that hears it."""

    def __init__(self, mosquitto: Mosquitto, make_app: Callable[..., Flask], stack: ExitStack) -> None:
        self.mosquitto, self._make_app, self._stack = mosquitto, make_app, stack
        self.hub = self._heard()
        self.broker = MqttBroker
        self.app: Flask | None = None
        self.page: EveningClient | None = None

    def start(self, source: Any = None) -> EveningClient:
        """Start the table's app, anew where it ran."""
        name = TableName(CLUB, "7")
        address = HallAddress.parse(f"mqtt://127.0.0.1:{self.mosquitto.port}/{CLUB}")
        link = Link(name, self.broker(address, "tilekeeper-club-7", last_will(name)))
        self.app = self._make_app(source or NoSource(), hall=link)
        self.page = EveningClient(self.app)
        return self.page

    def start_filmed(self, camera: PlayedSource, tables: MarkedTables) -> EveningClient:
        """Start it before a camera, with the first turn of a game being played on an empty table."""
        page = self.start(camera)
        camera.show(tables.picture(table_reading("")))
        page.deal("Ada", "Bo")
        page.act("resume")
        return page

    def stop(self) -> None:
        """End the table's app as a service manager does."""
        assert self.app is not None
        parts(self.app).close()

    def kill(self) -> None:
        """Let go of everything without a word, as far as that goes within one process."""
        assert self.app is not None
        hall = parts(self.app).hall
        assert hall is not None
        hall._closed.set()
        hall._outbox.save = lambda: None  # type: ignore[method-assign]
        hall._thread.join()
        parts(self.app).close()

    def restart_broker(self) -> None:
        """Start the killed broker again, on whatever it still has."""
        self.mosquitto.start()

    def tell(self, command: CommandBase) -> Acknowledgement:
        """Send a command and wait for its answer."""
        wait_for(lambda: self.hub.presence.get("7") == "here")
        before = len(self.hub.answers)
        self.hub.send(command)
        wait_for(lambda: len(self.hub.answers) > before)
        return self.hub.answers[-1]

    def log(self) -> list[dict[str, Any]]:
        """The entries that the hub has of the evening that is played, once it has all of them."""
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
    """A command that seats three people for the first round."""
    players = [Player(id=name, name=name) for name in ("Ada", "Bo", "Cleo")]
    return SeatCommand(**HEAD | {"id": id_, "round": 1, "players": players, "edition": "large-numbers"} | other)


def exported(page: EveningClient) -> list[dict[str, Any]]:
    """The log as the table has it."""
    text = page.http.get("/api/evening/export.jsonl").get_data(as_text=True)
    return [json.loads(line) for line in text.splitlines()[1:]]


def dispute_of(hall: TableInHall, page: EveningClient) -> Any:
    """The dispute after the arbiter was called."""
    before = len(hall.hub.disputes)
    page.post("/api/hall/call")
    return wait_for(lambda: hall.hub.disputes[before] if len(hall.hub.disputes) > before else None)


def decide(dispute: Any, id_: str, decision: str, why: str = "I saw it", **more: Any) -> DecideCommand:
    """What an arbiter decides."""
    return DecideCommand(**HEAD, id=id_, dispute=dispute.id, decision=decision, why=why, **more)
