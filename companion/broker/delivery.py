"""Delivery of received messages to a handler: tries again during an outage, and sets poison messages aside.

A poison message is one that its handler can't process whatever happens. Without an end it would be tried for ever, and
all messages after it would wait.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from typing import Final

from sqlalchemy.exc import DBAPIError, InterfaceError, InternalError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from tilekeeper.companion.broker.broker import Handler, SetAside

log = logging.getLogger(__name__)

MOST_FAULTS: Final = 3
"""So often a handler may fail with a message, outages apart, before the message is set aside."""
_RETRY_AFTER_S: Final = (0.1, 0.5, 2.0)
"""Delays before a failed handler is called again; the last one repeats."""
_TOO_COMPLEX: Final = "54"
"""The first digits of PostgreSQL's codes for what exceeds a limit of the database, which waiting does not change."""
_SHOWN_BYTES: Final = 500


def is_outage(error: Exception) -> bool:
    """Return whether an error is due to a disk or a database that is away, and not to the message in hand."""
    if str(getattr(getattr(error, "orig", None), "sqlstate", None) or "").startswith(_TOO_COMPLEX):
        return False
    if isinstance(error, OSError | OperationalError | InterfaceError | InternalError | PoolTimeout):
        return True
    return isinstance(error, DBAPIError) and error.connection_invalidated


def deliver(
    handler: Handler,
    messages: Sequence[tuple[str, bytes]],
    closed: threading.Event,
    set_aside: SetAside,
    faults: int = 0,
) -> bool:
    """Call a handler with messages until it has taken them or they are set aside.

    Args:
        handler: takes the messages.
        messages: topics and payloads, in order.
        closed: ends the tries.
        set_aside: is told of each message that is set aside.
        faults: how often the handler has failed with these messages before.

    Returns:
        Whether they can be acknowledged; false if `closed` was set first.
    """
    tries = 0
    while not closed.is_set():
        try:
            handler(messages)
        except Exception as error:
            faults += not is_outage(error)
            if faults < MOST_FAULTS:
                log.warning("A message of %s could not be processed yet", messages[0][0], exc_info=True)
                closed.wait(_RETRY_AFTER_S[min(tries, len(_RETRY_AFTER_S) - 1)])
                tries += 1
            elif len(messages) > 1:  # only some of them are poison
                return all(deliver(handler, [message], closed, set_aside, MOST_FAULTS - 1) for message in messages)
            else:
                _report(messages[0], error, set_aside)
                return True
        else:
            return True
    return False


def _report(message: tuple[str, bytes], error: Exception, set_aside: SetAside) -> None:
    topic, payload = message
    log.error("A message of %s is set aside: %r", topic, payload[:_SHOWN_BYTES], exc_info=error)
    try:
        set_aside(topic, payload, error)
    except Exception:  # nobody can be told now; the log has it
        log.warning("Nobody could be told of it", exc_info=True)
