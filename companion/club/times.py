"""The hub’s clock, and times for people."""

from datetime import UTC, datetime


def now() -> str:
    """The present time, UTC, as it is kept."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def seconds_ahead(moment: datetime) -> float:
    """By how many seconds a moment is ahead of the hub's clock; below 0 where it is over."""
    return (moment - datetime.now(UTC)).total_seconds()


def clock_words(seconds: float | None) -> str:
    """A time on a clock: `9:05`; empty where there is none."""
    if seconds is None:
        return ""
    return f"{'-' if seconds < 0 else ''}{int(abs(seconds)) // 60}:{int(abs(seconds)) % 60:02}"


def time_words(at: str) -> str:
    """The time of day of a moment that was kept, by this machine's clock."""
    return datetime.fromisoformat(at).astimezone().strftime("%H:%M")
