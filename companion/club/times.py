"""The hub's clock."""

from datetime import UTC, datetime


def now() -> str:
    """The present time, UTC, as it is kept."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def seconds_ahead(moment: datetime) -> float:
    """By how many seconds a moment is ahead of the hub's clock; below 0 where it is over."""
    return (moment - datetime.now(UTC)).total_seconds()
