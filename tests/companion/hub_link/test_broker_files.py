"""The broker's configuration for a hall, with a real Mosquitto: passwords, certificates and topic permissions."""

from __future__ import annotations

import argparse
import ssl
import stat
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.support.forked_app import ForkedApp
from tests.support.hub_ear import HubEar, wait_for
from tests.support.mosquitto import Mosquitto, free_port, needs_mosquitto
from tilekeeper.companion.cli import club_certs
from tilekeeper.companion.hub_link.broker_files import HallFiles, write_hall
from tilekeeper.companion.messaging.address import HallAddress
from tilekeeper.companion.messaging.client import MqttBroker
from tilekeeper.companion.messaging.messages import Player, SeatCommand
from tilekeeper.companion.messaging.topics import Branch, topic
from tilekeeper.companion.refusal import Refused

QUIET_S = 0.5


def test_invalid_name_or_host_is_refused(tmp_path: Path) -> None:
    """The message is one line, and no certificate is made for a host name that others may use too."""
    for club, tables, host, message in (
        ("my club", ["1"], "127.0.0.1", "'my club' can't be a name"),
        ("club", ["1", "a/b"], "127.0.0.1", "'a/b' can't be a name"),
        ("club", ["1", "2", "1"], "127.0.0.1", "The name 1 is already taken"),
        ("club", ["1", "hub"], "127.0.0.1", "The name hub is already taken"),
        ("club", ["1"], "8.8.8.8", "No certificate can be made for 8.8.8.8"),
        ("club", ["1"], "bank.example", "No certificate can be made for bank.example"),
        ("club", ["1"], "no host", "No certificate can be made for no host"),
    ):
        with pytest.raises(Refused, match=message):
            write_hall(tmp_path, club, tables, host, 8883)


def test_cards_stay_valid_when_a_table_is_added(tmp_path: Path) -> None:
    """Adding a table keeps the other passwords; a deleted card is made again with a new password."""
    made = write_hall(tmp_path, "club", ["1", "2"], "192.168.1.4", 8883)
    before = {path.name: HallAddress.parse(str(path)).password for path in made.cards}
    (tmp_path / "cards" / "2.json").unlink()
    rewritten = write_hall(tmp_path, "club", ["1", "2", "3"], "192.168.1.4", 8883)
    after = {path.name: HallAddress.parse(str(path)).password for path in rewritten.cards}
    assert set(after) == {"hub.json", "hub-2.json", "1.json", "2.json", "3.json"}
    assert [after[name] == before[name] for name in ("hub.json", "1.json", "2.json")] == [True, True, False]
    assert rewritten.fingerprint == made.fingerprint
    assert len(set(after.values())) == 5
    for path in (*rewritten.cards, rewritten.config, tmp_path / "broker" / "server.pem"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert not any(password in (tmp_path / "broker" / "users").read_text() for password in after.values())


def test_command_prints_how_to_start_the_broker(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It prints how to start the broker and where the cards are; a bad name ends in one line."""
    parser = argparse.ArgumentParser()
    club_certs.add_parser(parser.add_subparsers())
    words = ["certs", str(tmp_path), "--club", "club", "--tables", "3", "--broker-host", "127.0.0.1"]
    assert club_certs.run(parser.parse_args(words)) == 0
    output = capsys.readouterr().out
    assert f"mosquitto -c {tmp_path}/broker/mosquitto.conf" in output
    assert sorted(path.stem for path in (tmp_path / "cards").iterdir()) == ["1", "2", "3", "hub", "hub-2"]
    assert club_certs.run(parser.parse_args([*words[:-3], "Ada,Bo/", *words[-2:]])) == 1
    assert (
        capsys.readouterr().err
        == "tilekeeper club certs: 'Bo/' can't be a name here. Use 1 to 40 letters, digits, - and _.\n"
    )


@pytest.fixture
def files(tmp_path: Path) -> HallFiles:
    """The files of a hall with two tables."""
    return write_hall(tmp_path / "hall", "club", ["1", "2"], "127.0.0.1", free_port())


@pytest.fixture
def broker(files: HallFiles, tmp_path: Path) -> Iterator[Mosquitto]:
    """A broker with these files on loopback only."""
    port = HallAddress.parse(str(files.cards[0])).port
    lines = [
        line.replace(f"listener {port}", f"listener {port} 127.0.0.1") for line in files.config.read_text().splitlines()
    ]
    running = Mosquitto(tmp_path / "broker", lines, port).start()
    yield running
    running.stop()


class User:
    """A client with a card that records every message it receives."""

    def __init__(self, card: Path) -> None:
        self.got: list[tuple[str, bytes]] = []
        self.broker = MqttBroker(HallAddress.parse(str(card)), "anything")
        self.broker.start({"tilekeeper/#": self._take})
        wait_for(lambda: self.broker.connected)

    def _take(self, messages: Sequence[tuple[str, bytes]]) -> None:
        self.got += messages


@pytest.mark.slow
@needs_mosquitto()
def test_each_client_reads_and_writes_its_own_topics_only(files: HallFiles, broker: Mosquitto) -> None:
    """Over TLS each table reads and writes its own topics; what it writes to others is dropped."""
    cards = {path.stem: path for path in files.cards}
    hub, one, two = User(cards["hub"]), User(cards["1"]), User(cards["2"])
    for branch in Branch:
        for table in ("1", "2", "3"):
            one.broker.publish(topic("club", table, branch), b"of 1")
    one.broker.publish(topic("other", "1", Branch.EVENTS), b"of 1")
    written = {topic("club", "1", branch) for branch in Branch} - {
        topic("club", "1", Branch.COMMANDS),
        topic("club", "1", Branch.RESEND),
    }
    wait_for(lambda: {name for name, _ in hub.got} >= written)
    time.sleep(QUIET_S)
    assert {name for name, _ in hub.got} == written
    assert one.got == two.got == []
    for branch in Branch:
        hub.broker.publish(topic("club", "2", branch), b"of the hub")
    wait_for(lambda: len(two.got) == 2)
    time.sleep(QUIET_S)
    assert {name for name, _ in two.got} == {topic("club", "2", Branch.COMMANDS), topic("club", "2", Branch.RESEND)}
    assert one.got == []
    for user in (hub, one, two):
        user.broker.close()


@pytest.mark.slow
@needs_mosquitto()
def test_table_started_with_its_card_is_seated_and_sends_its_log(
    files: HallFiles, broker: Mosquitto, tmp_path: Path
) -> None:
    """`tilekeeper run --hall 1.json` as a process over TLS: it is seated, answers, sends its log, and signs off.

    The other table receives nothing and sends nothing.
    """
    cards = {path.stem: path for path in files.cards}
    hub, other = HubEar(HallAddress.parse(str(cards["hub"]))), User(cards["2"])
    with ForkedApp(tmp_path / "table", more=("--hall", str(cards["1"]))) as table:
        assert table.port
        wait_for(lambda: hub.presence.get("1") == "here")
        players = [Player(id=name, name=name) for name in ("Ada", "Bo")]
        seat = SeatCommand(
            id="s1", table="1", by="Olga", role="organiser", round=1, players=players, edition="large-numbers"
        )
        other.broker.publish(topic("club", "1", Branch.COMMANDS), seat.payload().replace(b"s1", b"forged"))
        other.broker.publish(topic("club", "1", Branch.PRESENCE), b"forged")
        hub.send(seat)
        answer = wait_for(lambda: hub.answers)[0]
        assert (answer.command, answer.done, answer.refusal) == ("s1", True, "")
        log = wait_for(lambda: hub.logs.get(("1", answer.log or "")))
        wait_for(lambda: [entry["event"] for entry in log] == ["game-started", "commanded"])
        table.end()
        wait_for(lambda: hub.presence.get("1") == "gone")
    assert len(hub.answers) == 1
    assert [name for name, _ in other.got if "/tables/1/" in name] == []
    hub.close()
    other.broker.close()


@pytest.mark.slow
@needs_mosquitto()
# paho leaves the socket to the garbage collector if the broker's certificate is not trusted.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_connection_with_wrong_credentials_is_refused(files: HallFiles, broker: Mosquitto, tmp_path: Path) -> None:
    """No password, a wrong one, that of another table, or a broker with another certificate authority."""
    card = HallAddress.parse(str(files.cards[-1]))

    def trouble(address: HallAddress) -> str:
        link = MqttBroker(address, "anything")
        link.start({})
        trouble_words = wait_for(lambda: link.trouble or link.connected)
        link.close()
        assert isinstance(trouble_words, str)
        return trouble_words

    def as_user(user: str, password: str, authority: str = card.authority) -> HallAddress:
        return HallAddress(card.scheme, card.host, card.port, card.club, user, password, authority)

    for user, password in (("", ""), ("2", "guess"), ("1", card.password), ("3", card.password)):
        assert "Not authorized" in trouble(as_user(user, password))
    other = write_hall(tmp_path / "other", "club", ["2"], "127.0.0.1", card.port)
    assert trouble(HallAddress.parse(str(other.cards[-1])))
    with pytest.raises(ssl.SSLError):
        HallAddress(card.scheme, card.host, card.port, card.club, authority="no certificate").context()


@pytest.mark.slow
@needs_mosquitto()
def test_card_of_one_table_does_not_fill_the_memory_of_the_broker(files: HallFiles, broker: Mosquitto) -> None:
    """A table sends 300 MB while the hub is away; the hub then hears of the other table as before."""
    cards = {path.stem: path for path in files.cards}
    User(cards["hub"]).broker.close()
    hostile, honest = User(cards["1"]), User(cards["2"])
    events = topic("club", "1", Branch.EVENTS)
    receipts = [hostile.broker.publish(events, number.to_bytes() * 4_000_000) for number in range(75)]
    until_s = time.monotonic() + 15
    wait_for(lambda: all(receipt.taken for receipt in receipts) or time.monotonic() > until_s)
    receipt = honest.broker.publish(topic("club", "2", Branch.STATE), b"of 2", retain=True)
    wait_for(lambda: receipt.taken)
    status = Path(f"/proc/{broker.process.pid}/status").read_text()
    peak_kb = int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")))
    assert peak_kb < 200_000
    hub = User(cards["hub"])
    wait_for(lambda: (topic("club", "2", Branch.STATE), b"of 2") in hub.got)
    for user in (hub, hostile, honest):
        user.broker.close()
