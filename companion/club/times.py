"""The hub’s clock, and times for people."""

from datetime import UTC, datetime


def now() -> str:
    """Return the present time in UTC, as it is stored."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def seconds_ahead(moment: datetime) -> float:
    """Return the seconds by which a time is ahead of the hub's clock; negative for a past time."""
    return (moment - datetime.now(UTC)).total_seconds()


def clock_words(seconds: float | None) -> str:
    """Return a time on a clock, as `9:05`; empty for None."""
    if seconds is None:
        return ""
    return f"{'-' if seconds < 0 else ''}{int(abs(seconds)) // 60}:{int(abs(seconds)) % 60:02}"


def time_words(at: str) -> str:
    """Return the time of day of a stored time, in this machine's time zone."""
    return datetime.fromisoformat(at).astimezone().strftime("%H:%M")
