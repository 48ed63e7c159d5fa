"""Who asks: the tablet behind a request."""

from flask import g


def device_name() -> str:
    """The name of the tablet that asks; empty for the one at which the app runs."""
    return str(g.get("device_name", ""))
