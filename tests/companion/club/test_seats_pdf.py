"""Seats on paper, with names of many scripts."""

import re

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tilekeeper.companion.club.hub import Hub
from tilekeeper.companion.club.parts import parts_of
from tilekeeper.companion.club.schema import PlayerRow
from tilekeeper.companion.club.seats_pdf import printable

pytestmark = pytest.mark.slow  # a hub with its database for each


@pytest.fixture(scope="module")
def holds() -> str:
    """A night in the midst of its second round."""
    return "hall"


def test_seats_are_printed(app: Flask, client: FlaskClient) -> None:
    """Three pages for six tables, as PDF; the codes lead to the hub's address in the network."""
    parts_of(app).address = "http://192.168.1.2:8650/"
    answer = client.get("/seats.pdf")
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
def test_names_of_many_scripts_are_printed(name: str, printed: str) -> None:
    """Latin of all kinds, Greek, Cyrillic, Armenian; what the font does not have is a sign and no nothing."""
    assert printable(name) == printed


def test_a_paper_says_which_letters_it_lacks(client: FlaskClient, hub: Hub) -> None:
    """The PDF has its fonts in it; where a letter is missing, a line more says what the sign stands for."""
    whole = client.get("/seats.pdf").data
    assert b"DejaVuSans" in whole
    with hub.database.writing() as session:
        session.get_one(PlayerRow, 1).name = "王芳"
    assert len(client.get("/seats.pdf").data) > len(whole)
