"""A game night with a camera, known tables, and a clock moved by the test."""

from flask import Flask

from tests.support.game_night_client import EveningClient
from tests.support.known_tables import MarkedTables, PlayedSource, Player, table_reading
from tilekeeper.companion.web.api.extensions import parts

GROUP = "K10 B10 O10"
RUN = "R3 R4 R5"


class Clock:
    """A monotonic clock moved by the test."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


class Table:
    """A table in front of a camera, and its page."""

    def __init__(self, app: Flask, camera: PlayedSource, tables: MarkedTables, clock: Clock) -> None:
        self.app, self.camera, self.tables, self.clock = app, camera, tables, clock
        self.page = EveningClient(app)
        self.player = Player(self.page.http)

    def shows(self, notation: str, **reading: object) -> None:
        """Lay a table in front of the camera, and wait until it is read."""
        self.camera.show(self.tables.picture(table_reading(notation, **reading)))
        self.player.sees(notation)

    def passes(self, seconds: float) -> None:
        """Let time pass in steps, after each of which the app checks the clock."""
        end_s = self.clock.now_s + seconds
        while self.clock.now_s < end_s:
            self.clock.now_s = min(end_s, self.clock.now_s + 1.0)
            parts(self.app).timekeeper.tick()
            parts(self.app).hands_free.check()


def begun_table(make_app, camera: PlayedSource, tables: MarkedTables) -> Table:
    """Return a table with a camera; a group is on it, and Ada, who has opened, begins."""
    clock = Clock()
    table = Table(make_app(camera, now=clock), camera, tables, clock)
    table.page.deal()
    table.shows(GROUP)
    table.page.act("table")
    table.page.act("opened", player=0)
    return table
