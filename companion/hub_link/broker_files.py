"""Writes the files of a hall's Mosquitto broker into a folder: configuration, certificate, users, rights and cards.

A card contains the credentials of one hub or table. An existing card keeps its password, so that a new table changes
nothing for the others; to give a table a new password, delete its card.
"""

from __future__ import annotations

import base64
import hashlib
import os
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from tilekeeper.companion.messaging.address import Card
from tilekeeper.companion.messaging.broker import MOST_BYTES_ON_THE_WAY, MOST_ON_THE_WAY
from tilekeeper.companion.messaging.messages import MOST_PAYLOAD_BYTES
from tilekeeper.companion.messaging.topics import ROOT, WRITTEN_BY_TABLES, Branch, is_name, topic
from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.storage.certificates import Certificates
from tilekeeper.companion.storage.own_names import own_names
from tilekeeper.companion.storage.private_files import write_private
from tilekeeper.engine.language import gettext

HUBS: Final = ("hub", "hub-2")
"""The names of the users for hubs; two hubs may run at the same time."""
PASSWORD_BYTES: Final = 24
_ROUNDS: Final = 1000
"""The rounds of PBKDF2; few are enough, since the passwords are long and random."""
_SALT_BYTES: Final = 12
MOST_MEMORY_BYTES: Final = 190_000_000
"""The memory limit of the broker; beyond it the broker refuses messages, and the hub requests them again later."""
MOST_QUEUED_BYTES: Final = 40_000_000
"""The total size of messages that may wait for one hub or table; twenty raised hands need half of it."""
MOST_QUEUED: Final = 5_000
"""The number of these messages; a hub that works off a flood of them is through in a few seconds."""


@dataclass(frozen=True, slots=True)
class HallFiles:
    """The paths of the written files, and the authority's fingerprint."""

    config: Path
    """The configuration of Mosquitto."""
    cards: tuple[Path, ...]
    """A card for each hub and table."""
    fingerprint: str
    """The SHA-256 digest of the authority's certificate."""


def write_hall(
    folder: Path, club: str, tables: Sequence[str], host: str, port: int, broker_path: str = ""
) -> HallFiles:
    """Write all files of a broker, its hubs and its tables.

    Args:
        folder: the target folder; only this user gets access to the files in it.
        club: the club's name.
        tables: the tables' names.
        host: the broker's address in the local network, or a name such as `hall.local`.
        port: the broker's port.
        broker_path: the path of `folder/broker` on the broker's machine; by default its path on this machine.

    Raises:
        Refused: if a name is not allowed or used twice, or no certificate can be made for the host.
        StoreUnusable, OSError: if the folder can't be written.
    """
    _check_names(club, tables)
    certificates = Certificates(folder / "authority", (*own_names(), host))
    if not certificates.vouches_for(host):
        raise Refused(
            gettext(
                "No certificate can be made for {host}. Use an address in your own network (192.168.…), this machine's "
                "own name, or a name that ends in .local.",
                host=host,
            )
        )
    for part in ("broker", "cards"):
        (folder / part).mkdir(exist_ok=True, mode=0o700)
    hall, authority = f"mqtts://{_in_url(host)}:{port}/{club}", certificates.authority_pem()
    paths = {user: folder / "cards" / f"{user}.json" for user in (*HUBS, *tables)}
    cards = [_write_card(path, hall, user, authority) for user, path in paths.items()]
    broker = folder / "broker"
    write_private(broker / "server.pem", certificates.server_pem())
    users = "".join(f"{card.user}:{_digest(card.password)}\n" for card in cards)
    write_private(broker / "users", users.encode())
    write_private(broker / "rights", _rights(club).encode())
    config = broker / "mosquitto.conf"
    write_private(config, _config(broker_path or str(broker.resolve()), port).encode())
    return HallFiles(config, tuple(paths.values()), certificates.fingerprint)


def _check_names(club: str, tables: Sequence[str]) -> None:
    for name in (club, *tables):
        if not is_name(name):
            raise Refused(
                gettext("{name!r} can't be a name here. Use 1 to 40 letters, digits, - and _.", name=name[:60])
            )
    duplicate = next((name for name in tables if tables.count(name) > 1 or name in HUBS), None)
    if duplicate is not None:
        raise Refused(gettext("The name {name} is already taken.", name=duplicate))


def _write_card(path: Path, hall: str, user: str, authority: str) -> Card:
    """Write and return a card; if it exists, its password stays."""
    try:
        password = Card.model_validate_json(path.read_bytes()).password
    except (FileNotFoundError, ValidationError):
        password = secrets.token_urlsafe(PASSWORD_BYTES)
    card = Card(hall=hall, user=user, password=password, authority=authority)
    write_private(path, f"{card.model_dump_json(indent=1)}\n".encode())
    return card


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _digest(password: str) -> str:
    """Return a salted password digest in Mosquitto's format: PBKDF2 with SHA-512."""
    salt = os.urandom(_SALT_BYTES)
    digest = hashlib.pbkdf2_hmac("sha512", password.encode(), salt, _ROUNDS)
    return f"$7${_ROUNDS}${base64.b64encode(salt).decode()}${base64.b64encode(digest).decode()}"


def _rights(club: str) -> str:
    """Return Mosquitto's access rules: a table may use its own topics, a hub all topics of the club, others none."""
    lines: list[str] = []
    for hub in HUBS:
        lines += [f"user {hub}", f"topic readwrite {ROOT}/{club}/#", ""]
    lines += [f"pattern write {topic(club, '%u', branch)}" for branch in WRITTEN_BY_TABLES]
    lines += [f"pattern read {topic(club, '%u', branch)}" for branch in (Branch.COMMANDS, Branch.RESEND)]
    return "\n".join([*lines, ""])


def _config(folder: str, port: int) -> str:
    lines: Iterable[str] = (
        "# The broker of a hall of Tilekeeper tables: mosquitto -c mosquitto.conf",
        f"listener {port}",
        f"certfile {folder}/server.pem",
        f"keyfile {folder}/server.pem",
        "tls_version tlsv1.2",
        "allow_anonymous false",
        "# Nobody takes over another's connection by its name; each hub needs a card of its own.",
        "use_username_as_clientid true",
        f"password_file {folder}/users",
        f"acl_file {folder}/rights",
        "# What is sent to a table or hub that is away waits for it, also while the broker is started anew.",
        "persistence true",
        f"persistence_location {folder}/",
        "autosave_interval 30",
        "# No table's messages fill the memory of the broker or of a hub.",
        f"memory_limit {MOST_MEMORY_BYTES}",
        f"max_queued_messages {MOST_QUEUED}",
        f"max_queued_bytes {MOST_QUEUED_BYTES}",
        f"max_inflight_messages {MOST_ON_THE_WAY}",
        f"max_inflight_bytes {MOST_BYTES_ON_THE_WAY}",
        f"message_size_limit {MOST_PAYLOAD_BYTES}",
        "# What is small goes at once, and does not wait for company.",
        "set_tcp_nodelay true",
    )
    return "\n".join([*lines, ""])
