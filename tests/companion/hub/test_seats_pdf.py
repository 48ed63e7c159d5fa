"""The seats as a PDF, with names in many scripts."""

import re

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tilekeeper.companion.hub.hub import Hub
from tilekeeper.companion.hub.paper import printable
from tilekeeper.companion.hub.parts import parts_of
from tilekeeper.companion.hub.schema import PlayerRow

HOLDS = "hall"
pytestmark = pytest.mark.slow  # a hub with its database for each


def test_seats_are_printed_with_the_hubs_address(app: Flask, client: FlaskClient) -> None:
    """Six tables fill three pages; the QR codes have the hub's network address."""
    parts_of(app).address = "http://192.168.1.2:8650/"
    answer = client.get("/api/print/seats.pdf")
    assert answer.mimetype == "application/pdf"
    assert answer.data.startswith(b"%PDF-")
    assert len(re.findall(rb"/Type /Page\b", answer.data)) == 3


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        *((name, name) for name in ("Łódź Żak", "İğşç Öz", "Δημήτρης", "Щербаков Ёж", "Đorđe", "Նարեկ", "Nguyễn Vũ")),
        ("Jo\u0308rg", "Jörg"),
        ("王芳 Wang", "□□ Wang"),
        ("Ada 😀", "Ada □"),
    ],
)
def test_name_in_another_script_is_printed(name: str, printed: str) -> None:
    """Latin, Greek, Cyrillic and Armenian letters; a sign replaces letters that the font lacks."""
    assert printable(name) == printed


def test_missing_letters_are_explained_on_the_page(client: FlaskClient, hub: Hub) -> None:
    """The fonts are embedded; if a letter is missing, a line explains the sign in its place."""
    whole = client.get("/api/print/seats.pdf").data
    assert b"DejaVuSans" in whole
    with hub.database.writing() as session:
        session.get_one(PlayerRow, 1).name = "王芳"
    assert len(client.get("/api/print/seats.pdf").data) > len(whole)
