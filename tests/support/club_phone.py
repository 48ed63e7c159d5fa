"""A phone in the hall that signs in at the hub."""

from flask import Flask
from flask.testing import FlaskClient

from tests.support.cookies import cookie_of
from tilekeeper.companion.doorkeeper.origin import csrf_token
from tilekeeper.companion.hub.access import COOKIE
from tilekeeper.companion.hub.database import Database
from tilekeeper.companion.hub.schema import HallRow

PHONE = {"REMOTE_ADDR": "192.168.1.30"}


def codes(database: Database) -> dict[str, str]:
    """Return the sign-in codes of the staff, by role."""
    with database.reading() as session:
        return dict(session.get_one(HallRow, 1).codes)


def signed_in(app: Flask, database: Database, role: str) -> tuple[FlaskClient, dict[str, str]]:
    """Return a client that has signed in, and the headers for its buttons."""
    phone = app.test_client()
    answer = phone.post("/sign-in", data={"code": codes(database)[role].lower(), "name": "Arto"}, environ_base=PHONE)
    assert answer.status_code == 302
    cookie = cookie_of(phone, COOKIE)
    assert cookie is not None
    return phone, {"X-CSRF-Token": csrf_token(cookie.value)}
