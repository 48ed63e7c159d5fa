"""The HTTP transport of a hub without a broker: tables on this machine post and fetch messages by long polling.

Requests and answers are signed with the table's key: no other user of this machine can speak as a table or as the hub.
"""

from __future__ import annotations

import json
import time
from typing import Any

from flask import Blueprint, Response, g, jsonify, request

from tilekeeper.companion.doorkeeper.addresses import is_this_machine
from tilekeeper.companion.hub.hub import keys_of
from tilekeeper.companion.hub.parts import hub
from tilekeeper.companion.messaging.shared_key import ANSWER_HEADER, REQUEST_HEADER, is_request_signed, sign_answer
from tilekeeper.companion.messaging.topics import is_name, parse_topic
from tilekeeper.companion.refusal import Refused
from tilekeeper.engine.language import gettext

blueprint = Blueprint("wire", __name__, url_prefix="/api/wire")

LONGEST_WAIT_S = 5.0
LONGEST_MESSAGE_BYTES = 12 * 1024 * 1024
"""The maximum size of a table's message; enough for a raised hand with two pictures."""
REPEAT_EVERY_S = 2.0
_last_sent: dict[str, tuple[frozenset[str], float]] = {}
"""By table: the keys of the messages that the table last received, and when (monotonic seconds).

A restart of the hub forgets them, so messages are sent once more."""


@blueprint.post("")
def take() -> tuple[str, int]:
    """Store the message that the table `?table=` sends as the request's body; answer 204 once it is in the database."""
    table = _expect_table()
    sent = request.get_json(silent=True)
    if not isinstance(sent, dict) or not isinstance(sent.get("topic"), str) or "payload" not in sent:
        raise Refused(gettext("Send JSON."), "bad-input")
    place = parse_topic(sent["topic"])
    if place is None or place.table != table:
        raise Refused(gettext("There is no such table."), "bad-input")
    taken = hub().hub.intake.take([(sent["topic"], json.dumps(sent["payload"]).encode())])
    if taken.refused:
        raise Refused(gettext("The tournament did not accept that. Look at the organiser's page."), "bad-input")
    return "", 204


@blueprint.get("")
def bring() -> Response:
    """Return the messages for the table `?table=`; if there is none, wait for one, `?wait=` seconds (at most 5)."""
    table = _expect_table()
    wait_s = request.args.get("wait", 0.0, float)
    until_s = time.monotonic() + (wait_s if 0 <= wait_s <= LONGEST_WAIT_S else LONGEST_WAIT_S)
    return jsonify(messages=_messages(table, until_s))


def _messages(table: str, until_s: float) -> list[dict[str, Any]]:
    database = hub().hub.database
    while True:
        revision = database.revision()
        known, at_s = _last_sent.get(table, (frozenset(), 0.0))
        if time.monotonic() - at_s > REPEAT_EVERY_S:
            known = frozenset()
        messages = hub().hub.messages_for(table, known)
        remaining_s = until_s - time.monotonic()
        if messages or remaining_s <= 0 or database.closed:
            if messages:
                _last_sent[table] = keys_of(messages), time.monotonic()
            return messages
        database.wait(revision, min(remaining_s, REPEAT_EVERY_S))


def _expect_table() -> str:
    """Return the table `?table=` that has signed the current request with its key, on this machine.

    Raises:
        Refused: if there is no such table, or another program has sent the request.
    """
    table = request.args.get("table", "")
    if hub().hub.broker is not None or not is_this_machine(request.remote_addr):
        raise _joins_through_broker()
    if not is_name(table):
        raise Refused(gettext("There is no such table."), "not-found")
    request.max_content_length = LONGEST_MESSAGE_BYTES
    key, query = hub().sign_ins.key_of_table(table), request.query_string.decode("ascii", "replace")
    header, body = request.headers.get(REQUEST_HEADER, ""), request.get_data()
    if key is not None and not is_request_signed(key, header, request.method, query, body):
        raise _joins_through_broker()
    g.table_key = key
    return table


def _joins_through_broker() -> Refused:
    return Refused(gettext("Tables that the tournament did not start join through a broker."), "no-control")


@blueprint.after_request
def _sign(response: Response) -> Response:
    """Sign the answer to a signed request."""
    key = g.get("table_key")
    if key is not None:
        request_id, body = request.headers.get(REQUEST_HEADER, ""), response.get_data()
        response.headers[ANSWER_HEADER] = sign_answer(key, request_id, response.status_code, body)
    return response
