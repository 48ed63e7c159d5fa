"""The hub's clock, and times as the pages show them."""

from datetime import UTC, datetime


def now() -> str:
    """Return the current time as the database stores it: ISO 8601 in UTC, with milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def seconds_ahead(moment: datetime) -> float:
    """Return how many seconds a moment lies in the future by the hub's clock; negative for a past moment."""
    return (moment - datetime.now(UTC)).total_seconds()


def clock_words(seconds: float | None) -> str:
    """Return a duration as minutes and seconds, such as `9:05` or `-0:10`; empty for None."""
    if seconds is None:
        return ""
    return f"{'-' if seconds < 0 else ''}{int(abs(seconds)) // 60}:{int(abs(seconds)) % 60:02}"


def time_words(at: str) -> str:
    """Return a stored time as the time of day in this machine's time zone, such as `19:05`."""
    return datetime.fromisoformat(at).astimezone().strftime("%H:%M")
