"""The machine's certificate authority: names and validity of certificates, file permissions, and renewal."""

import ipaddress
import ssl
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509

from tilekeeper.companion.storage import certificates
from tilekeeper.companion.storage.certificates import Certificates
from tilekeeper.companion.storage.folder import StoreUnusable

HOUSE = ("localhost", "127.0.0.1", "192.168.1.5", "parlour.local")
LONGEST_TAKEN = timedelta(days=398)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of the certificates."""
    return tmp_path / "https"


class Calendar:
    """A clock that the test moves forward by days."""

    def __init__(self) -> None:
        self.days = 0

    def __call__(self) -> datetime:
        return datetime.now(UTC) + timedelta(days=self.days)


def connect(server: ssl.SSLContext, authority: x509.Certificate, name: str) -> x509.Certificate:
    """Make a TLS connection like a browser that trusts the authority; return the certificate of the server.

    Raises:
        ssl.SSLCertVerificationError: if a browser would refuse the connection.
    """
    client = ssl.create_default_context(cadata=authority.public_bytes(certificates.Encoding.DER))
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    ours = client.wrap_bio(to_client, to_server, server_hostname=name)
    theirs = server.wrap_bio(to_server, to_client, server_side=True)
    waiting = [ours, theirs]
    for _ in range(10):
        for one in tuple(waiting):
            try:
                one.do_handshake()
                waiting.remove(one)
            except ssl.SSLWantReadError:
                pass
    assert not waiting
    shown = ours.getpeercert(binary_form=True)
    assert shown is not None
    return x509.load_der_x509_certificate(shown)


@pytest.mark.parametrize("name", HOUSE)
def test_browser_that_trusts_the_authority_connects_by_each_name_of_the_machine(folder, name):
    kept = Certificates(folder, HOUSE)
    shown = connect(kept.context(), kept.authority, name)
    assert shown.not_valid_after_utc - shown.not_valid_before_utc <= LONGEST_TAKEN
    with pytest.raises(ssl.SSLCertVerificationError):
        connect(kept.context(), kept.authority, "192.168.1.6")


def test_all_names_of_the_machine_are_permitted_by_the_authority(folder):
    kept = Certificates(folder)
    for name in ("localhost", "127.0.0.1", "::1"):
        connect(kept.context(), kept.authority, name)


@pytest.mark.parametrize("name", ["bank.example", "203.0.113.7", "2001:db8::5"])
def test_name_outside_the_constraints_of_the_authority_is_refused(folder, monkeypatch, name):
    kept = Certificates(folder, (*HOUSE, name))
    with pytest.raises(ssl.SSLCertVerificationError):
        connect(kept.context(), kept.authority, name)
    # A stolen key could sign this name; browsers must refuse it all the same.
    monkeypatch.setattr(Certificates, "_may_vouch_for", lambda *_: True)
    stolen = Certificates(folder, (*HOUSE, name))
    with pytest.raises(ssl.SSLCertVerificationError, match="permitted subtree"):
        connect(stolen.context(), kept.authority, name)


def test_keys_are_readable_for_their_user_only(folder):
    Certificates(folder, HOUSE).context()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {
        "authority.crt": 0o600,
        "authority.key": 0o600,
        "server.pem": 0o600,
    }


def test_authority_and_certificate_survive_a_restart(folder):
    first, second = Certificates(folder, HOUSE), Certificates(folder, HOUSE)
    shown = connect(first.context(), first.authority, "localhost")
    assert second.authority == first.authority
    assert connect(second.context(), first.authority, "localhost") == shown


def test_new_address_gets_a_new_certificate_of_the_same_authority(folder):
    kept = Certificates(folder, HOUSE)
    before = kept.context()
    assert kept.context("192.168.1.5") is before
    after = kept.context("10.0.0.9")
    assert after is not before
    connect(after, kept.authority, "10.0.0.9")
    assert kept.context("10.0.0.9") is kept.context("::ffff:192.168.1.5") is kept.context("203.0.113.7") is after
    moved = Certificates(folder, ("localhost", "172.16.0.3"))
    names = connect(moved.context(), kept.authority, "172.16.0.3").extensions
    held = names.get_extension_for_class(x509.SubjectAlternativeName).value
    assert held.get_values_for_type(x509.IPAddress) == [ipaddress.ip_address("172.16.0.3")]


def test_certificate_is_renewed_before_it_expires(folder):
    today = Calendar()
    kept = Certificates(folder, HOUSE, today)
    first = kept.context()
    today.days = 360
    assert kept.context() is first
    today.days = 370
    assert kept.context() is not first
    assert Certificates(folder, HOUSE, today).authority == kept.authority
    today.days = 3300
    assert Certificates(folder, HOUSE, today).authority != kept.authority


@pytest.mark.parametrize("damaged", ["authority.crt", "authority.key", "server.pem"])
def test_damaged_file_is_created_again(folder, damaged):
    Certificates(folder, HOUSE).context()
    (folder / damaged).write_bytes((folder / damaged).read_bytes()[:100])
    kept = Certificates(folder, HOUSE)
    connect(kept.context(), kept.authority, "localhost")


def test_certificate_of_another_authority_is_replaced(folder, tmp_path):
    other = Certificates(tmp_path / "other", HOUSE)
    other.context()
    kept = Certificates(folder, HOUSE)
    (folder / "server.pem").write_bytes((tmp_path / "other" / "server.pem").read_bytes())
    connect(kept.context(), kept.authority, "localhost")


def test_folder_that_can_not_be_written_is_reported_in_one_line(tmp_path):
    (tmp_path / "https").write_text("a file")
    with pytest.raises(StoreUnusable, match="the certificate can't be saved"):
        Certificates(tmp_path / "https", HOUSE)


def test_authority_made_by_a_clock_in_the_future_is_replaced_once_the_clock_is_right(folder):
    """A machine without a battery for its clock begins with a wrong date; browsers refuse what is not valid yet."""
    today = Calendar()
    today.days = 4000
    wrong = Certificates(folder, HOUSE, today)
    wrong.context()
    today.days = 0
    for kept in (Certificates(folder, HOUSE, today), wrong):  # after a restart, and while the app runs
        connect(kept.context(), kept.authority, "localhost")
    assert wrong.context() is wrong.context()
