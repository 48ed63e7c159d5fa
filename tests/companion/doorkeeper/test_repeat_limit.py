"""A failure that somebody repeats is written into the log now and then, with the number of those left out."""

import logging

from tilekeeper.companion.doorkeeper.repeat_limit import EVERY_S, RepeatLimit


def test_repeated_failure_is_written_once_a_minute_and_other_records_always() -> None:
    """Failures are the same by their type and line; a record without a traceback is no failure."""
    now_s, written = [0.0], []
    limit = RepeatLimit(lambda: now_s[0])
    logger = logging.Logger("test")
    logger.addFilter(limit)
    logger.addHandler(handler := logging.Handler())
    handler.emit = lambda record: written.append(record.getMessage())  # type: ignore[method-assign]

    def fail(kind: type[Exception]) -> None:
        try:
            raise kind
        except (ValueError, KeyError):
            logger.exception("failed: %s", kind.__name__)

    for _ in range(5):
        fail(ValueError)
        fail(KeyError)
        logger.warning("no failure")
    assert written == ["failed: ValueError", "failed: KeyError", *5 * ["no failure"]]
    now_s[0] = EVERY_S
    fail(ValueError)
    assert written[-1] == "failed: ValueError (4 more like it before)"
