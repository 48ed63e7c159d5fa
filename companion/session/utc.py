"""The time of day in UTC, for people who read a history; nothing is ever reckoned from it."""

from datetime import UTC, datetime


def utc_now() -> str:
    """Return the time of day as `2026-11-21T19:30:05Z`."""
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
