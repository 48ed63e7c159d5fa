"""A phone with a player's private page, and pictures of the rack on it."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
from flask import Flask

from tests.support.cookies import cookie_of
from tests.support.game_night_client import EveningClient
from tests.support.known_tables import MarkedTables, table_reading
from tilekeeper.companion.doorkeeper.origin import CSRF_HEADER, csrf_token
from tilekeeper.companion.web.blueprints.access import PLAYER_COOKIE

RACK = "R10 B10 K10 O1 O2 O4 B5 B7 K2 K4 K6 R1 R3 R5"
"""Fourteen tiles with which a player can open."""


class Phone:
    """A phone with a player's private page."""

    def __init__(self, app: Flask, host: EveningClient, player: int) -> None:
        self.page = EveningClient(app, REMOTE_ADDR="192.168.1.40")
        address = host.post("/api/private-page/show", player=player)["address"]
        self.key = address.rpartition("/")[2]
        assert self.page.http.get(f"/me/{self.key}").status_code == 200

    @property
    def shown(self) -> dict:
        """Return the content of the page."""
        return self.page.get("/api/me")

    def asks(self, picture: bytes, csrf: bool = True, path: str = "can-open"):
        """Return the answer to a picture of a rack."""
        headers = self._headers if csrf else {}
        return self.page.http.post(f"/api/me/{path}", data=picture, content_type="image/jpeg", headers=headers)

    def sends(self, path: str, **body: object):
        """Return the answer to a JSON body."""
        return self.page.http.post(f"/api/me/{path}", json=body, headers=self._headers)

    @property
    def _headers(self) -> dict[str, str]:
        cookie = cookie_of(self.page.http, PLAYER_COOKIE)
        return {} if cookie is None else {CSRF_HEADER: csrf_token(cookie.value)}


def photo(tables: MarkedTables, rack: str) -> bytes:
    """Return a picture of a rack, large enough that Werkzeug writes the form to a temporary file."""
    image = cv2.resize(tables.picture(table_reading(rack)), (1920, 1440), interpolation=cv2.INTER_NEAREST)
    image[1000:] = np.random.default_rng(1).integers(0, 255, image[1000:].shape, np.uint8)
    data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 100])[1].tobytes()
    assert len(data) > 512 * 1024
    return data


def contents(folder: Path) -> dict[Path, bytes]:
    """Return all files in a folder with their content."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
