"""Running digests of logs (a hash chain): if two logs have the same digest after an entry, they agree up to it."""

from __future__ import annotations

import hashlib
import json

from tilekeeper.companion.messaging.messages import Event

_HEX_DIGITS = 32


def digest_after(before: str, event: Event) -> str:
    """Return the digest of a log after an entry.

    Args:
        before: the digest before the entry; empty for the first entry.
        event: the entry. The names of table and log are left out, so that a renamed log keeps its digests.
    """
    content = [before, event.kind, event.data, event.at, event.by, event.reason]
    plain = json.dumps(content, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(plain.encode()).hexdigest()[:_HEX_DIGITS]
