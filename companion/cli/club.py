"""`tilekeeper club`: runs the hub of a hall, checks or simulates an event, or writes the certificates of its broker.

Exit codes: 0 ended by a person or nothing wrong, 1 the database, the broker or the port can't be used, 2 wrong options,
3 a check found differences.
"""

import argparse
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from tilekeeper.companion.cli import club_certs, club_files
from tilekeeper.companion.cli.process_end import end_within, leave, until_asked_to_end
from tilekeeper.companion.cli.run import port_number, print_qr, say_how_to_trust
from tilekeeper.engine.language import gettext, translate

if TYPE_CHECKING:
    from tilekeeper.companion.doorkeeper.host_key import HostKey
    from tilekeeper.companion.hub.database import Database
    from tilekeeper.companion.hub.hub import Hub
    from tilekeeper.companion.hub.table_processes import TableProcesses
    from tilekeeper.companion.messaging.broker import Broker
    from tilekeeper.companion.storage.certificates import Certificates
    from tilekeeper.companion.web.server import Listening

DEFAULT_PORT = 8650
FILE_NAME = "club.sqlite3"
AUTHORITY = "https"
"""The folder of the certificate authority, beside the hub's database. Tables on this machine use the same authority, so
devices need to trust only one."""
LONGEST_END_S = 12.0


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command with its options to the parser of the command line."""
    parser = subparsers.add_parser(
        "club",
        help=gettext(
            "run a tournament of many tables: rounds, disputes, standings; or make the security files for its network"
        ),
        description=gettext(
            "Run a tournament: players, rounds, disputes and standings over many tables. Without options everything is "
            "kept in one file, and only tables of this computer can take part."
        ),
        allow_abbrev=False,
    )
    parser.add_argument(
        "--database",
        metavar="URL",
        help=gettext("postgresql+psycopg://USER@HOST/NAME for a tournament (default: a file in the data folder)"),
    )
    parser.add_argument(
        "--broker",
        metavar="ADDRESS",
        help=gettext("the broker that connects the tables: mqtts://HOST:8883/CLUB, or the hub's access card"),
    )
    parser.add_argument(
        "--hub", metavar="NAME", help=gettext("the name of this hub at the broker (default: this machine's name)")
    )
    parser.add_argument(
        "--table",
        action="append",
        default=[],
        metavar="SOURCE",
        help=gettext(
            "a table on this machine: camera-1, a stream, or none to enter everything by hand; repeat the option for "
            "each table"
        ),
    )
    parser.add_argument(
        "--lan", action="store_true", help=gettext("let phones, tablets and the projector in the network join")
    )
    parser.add_argument(
        "--https",
        action="store_true",
        help=gettext("let them join over https only; each device must trust this machine's certificate once"),
    )
    parser.add_argument("--host", help=gettext("the address to listen on (default: 127.0.0.1; with --lan 0.0.0.0)"))
    parser.add_argument(
        "--port", type=port_number, help=gettext("the port to listen on (default: 8650, or the next free one)")
    )
    parser.add_argument(
        "--data", metavar="FOLDER", help=gettext("where everything is kept (default: your own data folder)")
    )
    parser.add_argument(
        "--check",
        metavar="EVENT",
        help=gettext(
            "recount everything in a tournament (a database, its file or a data folder), and list differences"
        ),
    )
    parser.add_argument(
        "--simulate",
        nargs=2,
        type=int,
        metavar=("PLAYERS", "ROUNDS"),
        help=gettext("fill a new database with a tournament that has random results"),
    )
    parser.add_argument(
        "--rebuild", metavar="FILE", type=Path, help=gettext("rebuild a tournament from its file in a new database")
    )
    parser.add_argument(
        "--season",
        metavar="FILE",
        nargs="+",
        type=Path,
        help=gettext("print the table of a season as CSV, from the results.json files of its tournaments"),
    )
    best = parser.add_mutually_exclusive_group()
    best.add_argument(
        "--best", metavar="COUNT", type=int, help=gettext("how many tournaments of each player count in --season")
    )
    best.add_argument(
        "--best-games",
        metavar="COUNT",
        type=int,
        help=gettext("how many games of each player count in --season, from all its tournaments"),
    )
    club_certs.add_parser(parser.add_subparsers(dest="what", metavar="certs"))


def run(args: argparse.Namespace) -> int:
    """Run the command and return its exit code; without special options it serves until somebody ends it."""
    if args.what == "certs":
        return club_certs.run(args)
    if args.check is not None:
        return _check(args.check)
    if args.season is not None:
        return club_files.season(args.season, args.best, args.best_games)
    return _open(args)


def _open(args: argparse.Namespace) -> int:
    """Open the hub's database, then simulate, rebuild or serve an event; return the exit code."""
    from tilekeeper.companion.hub.database import Database, DatabaseUnusable
    from tilekeeper.companion.hub.hub import DEFAULT_CLUB, Hub
    from tilekeeper.companion.messaging.address import AddressRefused
    from tilekeeper.companion.messaging.client import BrokerMissing
    from tilekeeper.companion.storage.folder import default_folder
    from tilekeeper.companion.storage.private_files import keep_others_out

    if args.broker and args.table:
        return _complain(
            gettext(
                "Tables of this machine need no broker. Leave out --broker, or start them with tilekeeper run --hall."
            ),
            2,
        )
    keep_others_out()
    folder = (default_folder() if args.data is None else Path(args.data)) / "club"
    try:
        club, broker = (DEFAULT_CLUB, None) if args.broker is None else _broker(args.broker, args.hub)
    except (AddressRefused, BrokerMissing, OSError) as error:
        return _complain(str(error), 2)
    try:
        if args.database is None:
            folder.mkdir(parents=True, exist_ok=True)
        database = Database(args.database or f"sqlite:///{folder.resolve() / FILE_NAME}")
    except (DatabaseUnusable, OSError) as error:
        return _complain(str(error), 1)
    if args.simulate is not None:
        return _simulate(database, *args.simulate)
    if args.rebuild is not None:
        return club_files.rebuild(database, args.rebuild)
    return _serve(args, folder, Hub(database, club, broker))


def _serve(args: argparse.Namespace, folder: Path, hub: "Hub") -> int:
    """Serve a hub's pages until somebody ends it; return the exit code."""
    from tilekeeper.companion.doorkeeper.host_key import HostKey
    from tilekeeper.companion.hub.app import create_app
    from tilekeeper.companion.hub.parts import parts_of
    from tilekeeper.companion.storage.certificates import Certificates
    from tilekeeper.companion.storage.folder import StoreUnusable
    from tilekeeper.companion.storage.private_files import own_key
    from tilekeeper.companion.web.blueprints.trust import trust_address
    from tilekeeper.companion.web.server import CannotServe, listen

    host_key = HostKey(own_key(folder))
    try:
        certificates = Certificates(folder / AUTHORITY) if args.https else None
        app = create_app(hub, certificates, host_key)
        host = args.host or ("0.0.0.0" if args.lan else "127.0.0.1")
        listening = listen(app, host, args.port, certificates, DEFAULT_PORT)
    except (CannotServe, StoreUnusable) as error:
        hub.close()
        return _complain(str(error), 1)
    parts_of(app).address = address = listening.address_for_others or ""
    parts_of(app).trust = trust_address(address) if certificates is not None and address else ""
    if address:
        parts_of(app).sign_ins.let_in_at(address)
    _say_where(hub, listening, certificates, host_key)
    _serve_until_asked_to_end(hub, listening, _tables(args, folder, hub, listening, host_key))
    return leave()


def _check(event: str) -> int:
    """Print each difference that a check of an event finds; return the exit code."""
    from tilekeeper.companion.hub.database import DatabaseUnusable
    from tilekeeper.companion.hub.foreign_event import copied_event

    file = event.removeprefix("sqlite:///")
    try:
        if "://" in file:
            return _check_database(event)
        path = Path(file)
        found = next((one for one in (path / "club" / FILE_NAME, path / FILE_NAME, path) if one.is_file()), None)
        if found is None:
            return _complain(gettext("There is no tournament at {path}.", path=event), 1)
        with copied_event(found) as copy:
            return _check_database(f"sqlite:///{copy}")
    except DatabaseUnusable as error:
        return _complain(str(error), 1)


def _check_database(url: str) -> int:
    """Print each difference in the event of a database; return the exit code."""
    from tilekeeper.companion.hub.check import check_event
    from tilekeeper.companion.hub.database import Database
    from tilekeeper.companion.hub.simulate import count_games

    database = Database(url)
    with database.reading() as session:
        players, rounds, games = count_games(session)
        differences = list(check_event(session))
    database.close()
    for difference in differences:
        print(difference)
    print(
        gettext(
            "{players} players, {rounds} rounds, {games} games checked; differences: {count}",
            players=players,
            rounds=rounds,
            games=games,
            count=len(differences),
        )
    )
    return 3 if differences else 0


def _simulate(database: "Database", players: int, rounds: int) -> int:
    """Fill an empty database with a simulated event, and close the database; return the exit code."""
    import random

    from tilekeeper.companion.hub.simulate import count_games, simulate
    from tilekeeper.companion.refusal import Refused

    try:
        simulate(database, players, rounds, random.Random())
        with database.reading() as session:
            print(
                gettext(
                    "{players} players, {rounds} rounds, {games} games are in the database.",
                    **dict(zip(("players", "rounds", "games"), count_games(session), strict=True)),
                )
            )
    except Refused as why:
        return _complain(str(why), 2)
    finally:
        database.close()
    return 0


def _broker(words: str, hub: str | None) -> "tuple[str, Broker]":
    """Return the name of the club and a connection to the broker; `words` is an address or the path of a card.

    Raises:
        AddressRefused, BrokerMissing, OSError: if the address, the hub's name or the card can't be used.
    """
    import socket

    from tilekeeper.companion.messaging.address import AddressRefused, HallAddress
    from tilekeeper.companion.messaging.client import MqttBroker
    from tilekeeper.companion.messaging.topics import is_name

    address = HallAddress.parse(words)
    if address.scheme == "http":
        raise AddressRefused(
            gettext("A hub needs a broker's address (mqtts:// or mqtt://). If there is no broker, leave out --broker.")
        )
    # The name is the same after a restart, so that the broker keeps messages for this hub meanwhile.
    name = hub or socket.gethostname().partition(".")[0]
    if not is_name(name):
        raise AddressRefused(gettext("Name this hub with --hub: letters, digits, - and _."))
    return address.club, MqttBroker(address, f"tilekeeper-{address.club}-hub-{name}")


def _tables(
    args: argparse.Namespace, folder: Path, hub: "Hub", listening: "Listening", host_key: "HostKey"
) -> "TableProcesses":
    """Return the tables of this machine, which are not started yet."""
    from tilekeeper.companion.hub.table_processes import FIRST_PORT, TableProcess, TableProcesses

    hall = f"http://127.0.0.1:{listening.port}/{hub.club}"
    access_options = ["--lan"] if args.lan else []
    if args.https:
        access_options += ["--https", "--authority", str(folder.resolve() / AUTHORITY)]
    return TableProcesses(
        [
            TableProcess(
                str(number),
                source,
                folder.resolve() / f"table-{number}",
                hall,
                ["--port", str(FIRST_PORT + number - 1), *access_options],
                host_key.value,
            )
            for number, source in enumerate(args.table, start=1)
        ],
        hub.database,
    )


def _say_where(hub: "Hub", listening: "Listening", certificates: "Certificates | None", host_key: "HostKey") -> None:
    """Print the addresses of the pages, and for other devices the codes and a QR code."""
    from tilekeeper.companion.hub.schema import HallRow

    print(gettext("The tournament page: {address}", address=listening.address))
    print(gettext("The organiser's page: {address}", address=host_key.link(listening.address)))
    others = listening.address_for_others
    if others is not None:
        with hub.database.reading() as session:
            codes = session.get_one(HallRow, 1).codes
        if certificates is not None:
            say_how_to_trust(others, certificates)
        print(gettext("For phones and the projector: {address}", address=others))
        print(
            gettext(
                "Code of the organiser: {code}, of the referees: {other}",
                code=codes["organiser"],
                other=codes["arbiter"],
            )
        )
        print_qr(others)
    print(gettext("Press Ctrl+C to end."), flush=True)


def _serve_until_asked_to_end(hub: "Hub", listening: "Listening", tables: "TableProcesses") -> None:
    ending = until_asked_to_end()
    server = threading.Thread(target=listening.server.serve, name="server", daemon=True)
    try:
        hub.start()
        server.start()
        tables.start()
        while server.is_alive() and not ending.wait(0.5):
            pass
    except KeyboardInterrupt:
        pass
    finally:
        end_within(LONGEST_END_S)
        tables.close()
        hub.close()
        listening.server.stop()
        server.join()


def _complain(message: str, code: int) -> int:
    print(f"tilekeeper club: {translate(message)}", file=sys.stderr, flush=True)
    return code
