"""`tilekeeper club certs`: writes the certificates and passwords of a hall's broker, hubs and tables.

Exit codes: 0 written, 1 a name can't be used or the folder can't be written, 2 wrong options.
"""

import argparse
import sys
from pathlib import Path

from tilekeeper.engine.language import gettext, translate

MOST_TABLES = 2000


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command with its options to the parser of the command line."""
    parser = subparsers.add_parser(
        "certs",
        help=gettext(
            "make the files for a tournament's broker (TLS certificate, users, rights), and an access card for each "
            "table"
        ),
        description=gettext(
            "Make the files that a tournament's broker needs (Mosquitto: TLS certificate, users, rights), and an "
            "access card for each hub and table, for `tilekeeper club --broker` and `tilekeeper run --hall`. Existing "
            "access cards stay valid."
        ),
        allow_abbrev=False,
    )
    parser.add_argument("folder", metavar="FOLDER", type=Path, help=gettext("the folder to write to"))
    parser.add_argument("--club", required=True, help=gettext("the club's name in letters, digits, - and _"))
    parser.add_argument(
        "--tables",
        required=True,
        help=gettext("how many tables (named 1, 2, …), or their names separated by commas"),
    )
    parser.add_argument(
        "--broker-host",
        required=True,
        metavar="HOST",
        help=gettext("how tables reach the broker: an address in your own network, or a name that ends in .local"),
    )
    parser.add_argument("--broker-port", type=int, default=8883, metavar="PORT")
    parser.add_argument(
        "--lies-at",
        default="",
        metavar="PATH",
        help=gettext("where the folder “broker” is on the broker's machine (default: the folder that is written here)"),
    )


def run(args: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from tilekeeper.companion.hub_link.broker_files import write_hall
    from tilekeeper.companion.refusal import Refused
    from tilekeeper.companion.storage.folder import StoreUnusable

    try:
        made = write_hall(
            args.folder, args.club, _tables(args.tables), args.broker_host, args.broker_port, args.lies_at
        )
    except (Refused, StoreUnusable, OSError) as error:
        print(f"tilekeeper club certs: {translate(str(error))}", file=sys.stderr)
        return 1
    print(gettext("Start the broker with: mosquitto -c {config}", config=made.config))
    print(gettext("If root starts it, first run: chown -R mosquitto {folder}", folder=made.config.parent))
    print(gettext("Access cards of hubs and tables, each with its password: {folder}", folder=made.cards[0].parent))
    print(
        gettext("The SHA-256 fingerprint of the certificate authority is {fingerprint}", fingerprint=made.fingerprint)
    )
    return 0


def _tables(words: str) -> list[str]:
    if words.isascii() and words.isdigit() and 1 <= int(words) <= MOST_TABLES:
        return [str(number) for number in range(1, int(words) + 1)]
    return [name.strip() for name in words.split(",")]
