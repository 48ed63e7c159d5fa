"""`tilekeeper run`: watches a table and shows it on a page with the referee's verdicts.

Exit codes: 0 ended by a person, 1 the source, the port or the models could not be opened, 2 options not understood.
"""

import argparse
import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING

from tilekeeper.companion.cli.process_end import LONGEST_END_S, end_within, leave, until_asked_to_end
from tilekeeper.companion.cli.set_option import add_set_option, own_set_of
from tilekeeper.companion.hooks.address import HOOKS_VARIABLE, HookAddress, HookRefused
from tilekeeper.companion.user_settings import SETTINGS, SettingRefused, UserSettings
from tilekeeper.engine.language import gettext, translate
from tilekeeper.engine.rules.editions import DEFAULT_EDITION, RULE_SETS, UnknownEdition, rule_set

if TYPE_CHECKING:
    from tilekeeper.companion.capture.source_choice import ChosenSource
    from tilekeeper.companion.doorkeeper.host_key import HostKey
    from tilekeeper.companion.messaging.broker import Link
    from tilekeeper.companion.storage.certificates import Certificates
    from tilekeeper.companion.web.api.extensions import AppParts
    from tilekeeper.companion.web.server import Listening

HIGHEST_PORT = 65535


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command with its options to the parser of the command line."""
    parser = subparsers.add_parser(
        "run",
        help=gettext("watch a table and show it on a page with the referee's decisions"),
        description=gettext(
            "Watch a table and show it on a page with the referee's decisions. Without a source it watches the first "
            "camera, or a recorded table if there is no camera."
        ),
        allow_abbrev=False,
    )
    parser.add_argument(
        "--source",
        metavar="SOURCE",
        help=gettext(
            "a camera (0 or /dev/video0), a stream (http://… or rtsp://…), a video (game.mp4), a folder "
            "of photos, phone for the camera of a phone (see --https), or none to enter everything by hand"
        ),
    )
    parser.add_argument(
        "--lan",
        action="store_true",
        help=gettext("let tablets in the same network join, with a join code and a QR code"),
    )
    parser.add_argument("--host", help=gettext("the address to listen on (default: 127.0.0.1; with --lan 0.0.0.0)"))
    parser.add_argument(
        "--port", type=port_number, help=gettext("the port to listen on (default: 8645, or the next free one)")
    )
    parser.add_argument(
        "--open",
        action="store_true",
        help=gettext("open the page in a browser of this machine, as `tilekeeper` without a command does"),
    )
    parser.add_argument(
        "--https",
        action="store_true",
        help=gettext(
            "let them join over https only; each tablet must trust this machine's certificate once, then screens stay "
            "on and phones can be cameras"
        ),
    )
    parser.add_argument(
        "--authority",
        metavar="FOLDER",
        help=gettext(
            "the folder of the certificate authority for --https, to share that of another Tilekeeper on this machine"
        ),
    )
    parser.add_argument(
        "--rules",
        metavar="EDITION",
        default=DEFAULT_EDITION,
        help=gettext("the edition in play: {editions} (default: %(default)s)", editions=", ".join(RULE_SETS)),
    )
    add_set_option(parser)
    parser.add_argument(
        "--hall",
        metavar="HALL",
        help=gettext(
            "the tournament of this table: mqtts://HOST:8883/CLUB, or the table's access card from `tilekeeper club "
            "certs`"
        ),
    )
    parser.add_argument(
        "--table-id",
        metavar="TABLE",
        help=gettext("the name of this table in the tournament (default: the name on its access card)"),
    )
    parser.add_argument(
        "--data", metavar="FOLDER", help=gettext("where game nights are kept (default: your own data folder)")
    )
    parser.add_argument(
        "--hook",
        metavar="URL",
        action="append",
        default=[],
        help=gettext(
            "send events of the game to this address (JSON by POST), for lamps and home automation; can be given "
            "several times, or as addresses in {variable}",
            variable=HOOKS_VARIABLE,
        ),
    )
    settings = parser.add_argument_group(gettext("settings"))
    for setting in SETTINGS:
        settings.add_argument(setting.option, metavar=setting.metavar, dest=setting.name, help=setting.describe())


def run(args: argparse.Namespace) -> int:
    """Run the command until somebody ends it, and return its exit code."""
    try:
        rules = rule_set(args.rules)
        user = UserSettings.of_options(vars(args))
        # Processes that decode pictures are started later and must not inherit secrets; hence also `HUB_KEY` below.
        hooks = {url: HookAddress.parse(url) for url in (*args.hook, *os.environ.pop(HOOKS_VARIABLE, "").split())}
    except (UnknownEdition, SettingRefused, HookRefused) as error:
        return _complain(str(error), 2)
    from tilekeeper.companion.storage.private_files import keep_others_out

    keep_others_out()
    # These modules import OpenCV, ONNX Runtime and Flask, for which --help should not wait.
    from tilekeeper.companion.capture.source_choice import choose_source
    from tilekeeper.companion.messaging.shared_key import HUB_KEY

    hub_key = os.environ.pop(HUB_KEY, "")

    # Opening a camera takes long and happens in another process: meanwhile this one imports and loads the rest.
    opening = _open_in_thread(lambda: choose_source(args.source, user))
    from tilekeeper.companion.capture.sources import SourceUnavailable
    from tilekeeper.companion.doorkeeper.host_key import HostKey
    from tilekeeper.companion.messaging.address import AddressRefused
    from tilekeeper.companion.messaging.client import BrokerMissing
    from tilekeeper.companion.session.observer import NetworkObserver
    from tilekeeper.companion.session.settings import Settings
    from tilekeeper.companion.storage.examples import OUR_SET
    from tilekeeper.companion.storage.folder import StoreUnusable, default_folder
    from tilekeeper.companion.storage.private_files import own_key
    from tilekeeper.companion.web.api.extensions import parts
    from tilekeeper.companion.web.app import create_app
    from tilekeeper.companion.web.server import CannotServe, listen
    from tilekeeper.vision.finetune.own_sets import OwnSetRefused
    from tilekeeper.vision.manifest import ModelsMissing
    from tilekeeper.vision.shipped import load_reader

    folder = default_folder() if args.data is None else Path(args.data)
    try:
        link = _link(args.hall, args.table_id, hub_key)
        reader = load_reader(user.threads, own_set_of(args.own_set, folder), user.working_px)
        chosen = opening.result()
    except (AddressRefused, BrokerMissing, ModelsMissing, OwnSetRefused, SourceUnavailable) as error:
        opening.add_done_callback(_close)
        return _complain(str(error), 2 if isinstance(error, AddressRefused | BrokerMissing) else 1)
    host_key = HostKey(own_key(folder))
    try:
        app = create_app(
            Settings(
                rules,
                chosen.source,
                NetworkObserver(reader),
                chosen.watched,
                folder,
                chosen.notice,
                user=user,
                named=chosen.named,
                set_name=args.own_set or OUR_SET,
                https=args.https,
                hooks=tuple(hooks),
                hall=link,
                authority=None if args.authority is None else Path(args.authority),
                host_key=host_key,
            )
        )
    except StoreUnusable as error:
        chosen.source.close()
        return _complain(str(error), 1)
    try:
        host = args.host or ("0.0.0.0" if args.lan else "127.0.0.1")
        listening = listen(app, host, args.port, parts(app).certificates)
    except CannotServe as error:
        parts(app).close()
        return _complain(str(error), 1)

    _say_where(parts(app), listening, host_key)
    _say_what(chosen, hooks)
    opened = host_key.link_for_one_use(listening.address) if args.open else None
    _serve_until_asked_to_end(parts(app), listening, opened)
    return leave()


def _say_what(chosen: "ChosenSource", hooks: dict[str, HookAddress]) -> None:
    """Print what the app watches, and where its events go."""
    print(gettext("Watching: {source}.", source=chosen.watched), translate(chosen.notice))
    if hooks:
        print(gettext("Events go to: {hosts}.", hosts=", ".join(address.name for address in hooks.values())))
    print(gettext("Press Ctrl+C to end."), flush=True)


def _open_in_thread(open_source: "Callable[[], ChosenSource]") -> "Future[ChosenSource]":
    """Call a function that opens a source in a daemon thread, which does not keep the process from ending."""
    opening: Future[ChosenSource] = Future()

    def open_it() -> None:
        try:
            opening.set_result(open_source())
        except Exception as error:  # noqa: BLE001, the future raises it for whoever waits for the source
            opening.set_exception(error)

    threading.Thread(target=open_it, name="opening the source", daemon=True).start()
    return opening


def _close(opened: "Future[ChosenSource]") -> None:
    if opened.exception() is None:
        opened.result().source.close()


def _link(hall: str | None, table: str | None, hub_key: str) -> "Link | None":
    """Return the link to the hall; None for a table without a hall.

    Args:
        hall: the hall's address or the path of a card; None for a table without a hall.
        table: the table's name; None for the name on the card.
        hub_key: the key of a hub on this machine, for a table without a broker; empty if it is unknown.

    Raises:
        AddressRefused, BrokerMissing: if the hall's address or the table's name can't be used, or a library is missing.
    """
    from tilekeeper.companion.hub_link.table_report import last_will
    from tilekeeper.companion.messaging.address import AddressRefused, HallAddress
    from tilekeeper.companion.messaging.broker import Link
    from tilekeeper.companion.messaging.client import MqttBroker
    from tilekeeper.companion.messaging.local import LocalBroker
    from tilekeeper.companion.messaging.shared_key import HUB_KEY
    from tilekeeper.companion.messaging.topics import TableName, is_name

    if hall is None:
        if table is not None:
            raise AddressRefused(gettext("Give the tournament of table {table} with --hall.", table=table))
        return None
    address = HallAddress.parse(hall)
    called = table or address.user
    if not is_name(called):
        raise AddressRefused(gettext("Name this table with --table-id: letters, digits, - and _."))
    if address.user and called != address.user:
        raise AddressRefused(
            gettext("This is the access card of table {user}, not of table {table}.", user=address.user, table=called)
        )
    name = TableName(address.club, called)
    will = last_will(name)
    if address.scheme == "http":
        if not hub_key:
            raise AddressRefused(
                gettext(
                    "A table that you start yourself needs the key of the hub: set {variable} to the text in the file "
                    "club/host-key of the hub's data folder.",
                    variable=HUB_KEY,
                )
            )
        return Link(name, LocalBroker(address, called, hub_key, will))
    return Link(name, MqttBroker(address, f"tilekeeper-{name.club}-{called}", will))


def _say_where(app: "AppParts", listening: "Listening", host_key: "HostKey") -> None:
    """Print the page's addresses for this machine and for tablets, and open the app to tablets."""
    app.game_nights.database.data_folder.announce(listening.address)
    print(gettext("Tilekeeper is at {address}", address=host_key.link(listening.address)))
    access = app.access
    access.let_in_at(listening.address_for_others)
    certificates = app.certificates
    if access.address and certificates is not None:
        say_how_to_trust(access.address, certificates)
    if access.address:
        print(
            gettext(
                "On a tablet in the same network: {address} with the join code {code}",
                address=access.address,
                code=access.code,
            )
        )
        print_qr(access.join_address() or access.address)


def say_how_to_trust(address: str, certificates: "Certificates") -> None:
    """Print the address at which a tablet learns to trust this machine, and the fingerprint to compare.

    Args:
        address: the https address for other devices in the network.
        certificates: the certificates that the devices must trust.
    """
    from tilekeeper.companion.web.blueprints.trust import trust_address

    where = trust_address(address)
    print(gettext("Once on each tablet, to trust this machine: {address}", address=where))
    print(gettext("Its SHA-256 fingerprint is {fingerprint}", fingerprint=certificates.fingerprint))
    print_qr(where)


def _serve_until_asked_to_end(app: "AppParts", listening: "Listening", opened: str | None) -> None:
    """Serve the app until somebody ends it, and open an address of it in a browser, if there is one."""
    ending = until_asked_to_end()
    # The server has its own thread, so that this thread is free to react to signals and to shut everything down.
    server = threading.Thread(target=listening.server.serve, name="server", daemon=True)
    try:
        app.start()
        server.start()
        if opened is not None:
            open_page(opened)
        while server.is_alive() and not ending.wait(0.5):
            pass
    except KeyboardInterrupt:
        pass
    finally:
        end_within(LONGEST_END_S)
        app.close()
        listening.server.stop()
        if server.ident is not None:
            server.join()


def open_page(address: str) -> None:
    """Open a page in a browser on this machine, unless the machine has no screen."""
    if sys.platform == "linux" and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return
    import webbrowser

    # A browser may take seconds to start, and with some browsers the call returns only when they end.
    threading.Thread(target=webbrowser.open, args=(address,), name="browser", daemon=True).start()


def print_qr(address: str) -> None:
    """Print an address as a QR code, if standard output is a terminal."""
    if sys.stdout.isatty():
        import segno

        segno.make_qr(address).terminal(compact=True)


def port_number(word: str) -> int:
    """Parse the number of a port, for argparse."""
    if not word.isascii() or not word.isdigit() or not 0 <= int(word) <= HIGHEST_PORT:
        raise argparse.ArgumentTypeError(
            gettext("{word!r} is not a port; give a number from 1 to {most}", word=word, most=HIGHEST_PORT)
        )
    return int(word)


def _complain(message: str, code: int) -> int:
    print(f"tilekeeper run: {translate(message)}", file=sys.stderr, flush=True)
    return code
