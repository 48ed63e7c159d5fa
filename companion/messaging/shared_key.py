"""Mutual authentication over HTTP of a hub and the tables on its machine, by HMAC with a key that is never sent.

Another user's program may take the hub's port while the hub is away. It learns no key, and tables ignore its answers.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import time
from typing import Final

HUB_KEY: Final = "TILEKEEPER_HUB_KEY"
"""The environment variable with the hub's key, for a table on its machine; other users can't read it."""
REQUEST_HEADER: Final = "Authorization"
ANSWER_HEADER: Final = "Authentication-Info"
VALID_FOR_S: Final = 60
"""A request is accepted for this time, so that nobody can repeat it much later; both use the same machine's clock."""
_REQUEST: Final = re.compile(r"Tilekeeper (?P<time_s>\d{1,12})\.[0-9a-f]{32}\.[0-9a-f]{64}", re.ASCII)


def table_key(hub_key: str, table: str) -> bytes:
    """Return the key of a table, which is derived from the hub's key; no table can speak as another one."""
    return _mac(hub_key.encode(), "table", table)


def sign_request(key: bytes, method: str, query: str, body: bytes) -> str:
    """Return the value of `REQUEST_HEADER` for a request: time, a random nonce and the HMAC."""
    stamp = f"{int(time.time())}.{secrets.token_hex(16)}"
    return f"Tilekeeper {stamp}.{_request_mac(key, stamp, method, query, body)}"


def is_request_signed(key: bytes, header: str, method: str, query: str, body: bytes) -> bool:
    """Return whether a request has a valid signature that is not older than `VALID_FOR_S`."""
    match = _REQUEST.fullmatch(header)
    if match is None or abs(time.time() - int(match["time_s"])) > VALID_FOR_S:
        return False
    stamp, _, sent = header.removeprefix("Tilekeeper ").rpartition(".")
    return hmac.compare_digest(sent, _request_mac(key, stamp, method, query, body))


def sign_answer(key: bytes, request_header: str, status: int, body: bytes) -> str:
    """Return the value of `ANSWER_HEADER` for the answer to the request with this `REQUEST_HEADER`."""
    return _mac(key, "answer", request_header, str(status), hashlib.sha256(body).hexdigest()).hex()


def is_answer_signed(key: bytes, header: str, request_header: str, status: int, body: bytes) -> bool:
    """Return whether an answer to the request with this `REQUEST_HEADER` has a valid signature."""
    return hmac.compare_digest(header.encode(), sign_answer(key, request_header, status, body).encode())


def _request_mac(key: bytes, stamp: str, method: str, query: str, body: bytes) -> str:
    return _mac(key, "request", stamp, method, query, hashlib.sha256(body).hexdigest()).hex()


def _mac(key: bytes, *parts: str) -> bytes:
    return hmac.new(key, "\0".join(parts).encode(), hashlib.sha256).digest()
