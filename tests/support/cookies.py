"""Cookies of test clients, which use the default port."""

from typing import Final

from flask.testing import FlaskClient
from werkzeug.test import Cookie

_PORT: Final = 80


def cookie_name(name: str) -> str:
    """Return the name of a cookie as the app sets it in a test."""
    return f"{name}-{_PORT}"


def cookie_of(client: FlaskClient, name: str) -> Cookie | None:
    """Return a cookie of a client; None if it has none."""
    return client.get_cookie(cookie_name(name))
