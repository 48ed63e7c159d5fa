"""Delivery of received messages to a handler: retries during an outage, and sets poison messages aside.

A poison message is one that its handler can never process. If it were not set aside, it would be tried for ever, and
all later messages would wait.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from typing import Final

from sqlalchemy.exc import DBAPIError, InterfaceError, InternalError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from tilekeeper.companion.messaging.broker import Handler, SetAside

log = logging.getLogger(__name__)

MOST_FAULTS: Final = 3
"""A message is set aside after its handler has failed this often; failures during an outage do not count."""
_RETRY_AFTER_S: Final = (0.1, 0.5, 2.0)
"""Delays before a failed handler is called again; the last one repeats."""
_TOO_COMPLEX: Final = "54"
"""The first digits of PostgreSQL's codes for exceeded limits, which waiting does not change."""
_SHOWN_BYTES: Final = 500


def is_outage(error: Exception) -> bool:
    """Return whether an error is due to an outage of disk or database, and not to the message."""
    if str(getattr(getattr(error, "orig", None), "sqlstate", None) or "").startswith(_TOO_COMPLEX):
        return False
    if isinstance(error, OSError | OperationalError | InterfaceError | InternalError | PoolTimeout):
        return True
    return isinstance(error, DBAPIError) and error.connection_invalidated


def warn_of(error: Exception, sentence: str) -> None:
    """Write a warning into the log; with a traceback unless the error is an outage, which repeats until it ends."""
    if is_outage(error):
        first_line = str(getattr(error, "orig", None) or error).partition("\n")[0]
        log.warning("%s: %s", sentence, first_line)
    else:
        log.warning("%s", sentence, exc_info=error)


def deliver(
    handler: Handler,
    messages: Sequence[tuple[str, bytes]],
    closed: threading.Event,
    set_aside: SetAside,
    faults: int = 0,
) -> bool:
    """Call a handler with messages until it returns or the messages are set aside.

    Args:
        handler: the function that processes the messages.
        messages: topics and payloads, in order.
        closed: when set, no further try is made.
        set_aside: called with each message that is set aside.
        faults: how often the handler has failed with these messages before.

    Returns:
        Whether the messages can be acknowledged; False if `closed` was set first.
    """
    tries = 0
    while not closed.is_set():
        try:
            handler(messages)
        except Exception as error:  # noqa: BLE001 - `warn_of` and `report` log it
            faults += not is_outage(error)
            if faults < MOST_FAULTS:
                warn_of(error, f"A message of {messages[0][0]} could not be processed yet")
                closed.wait(_RETRY_AFTER_S[min(tries, len(_RETRY_AFTER_S) - 1)])
                tries += 1
            elif len(messages) > 1:  # only some of them are poison
                return all(deliver(handler, [message], closed, set_aside, MOST_FAULTS - 1) for message in messages)
            else:
                report(messages[0], error, set_aside)
                return True
        else:
            return True
    return False


def report(message: tuple[str, bytes], error: Exception, set_aside: SetAside) -> None:
    """Write a message that is set aside into the log, and call `set_aside` with it, whose errors are logged."""
    topic, payload = message
    log.error("A message of %s is set aside: %r", topic, payload[:_SHOWN_BYTES], exc_info=error)
    try:
        set_aside(topic, payload, error)
    except Exception:  # the message is in the log anyway
        log.warning("Nobody could be told of it", exc_info=True)
