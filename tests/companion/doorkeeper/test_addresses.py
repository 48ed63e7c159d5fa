"""Which requests come from this machine, and which `Host` headers name it."""

import pytest

from tilekeeper.companion.doorkeeper.addresses import is_in_house, is_own_host, is_this_machine, network_of


@pytest.mark.parametrize(
    ("host", "is_own"),
    [
        ("127.0.0.1:8645", True),
        ("localhost", True),
        ("LOCALHOST.:8645", True),
        ("[::1]:8645", True),
        ("192.168.1.2:8645", True),
        ("evil.example:8645", False),
        ("localhost.evil.example", False),
        ("0.0.0.0:8645", False),
        ("[::]:8645", False),
        ("[::ffff:0:0]:8645", False),
        ("[::ffff:7f00:1]:8645", False),
        ("[::ffff:127.0.0.1]", False),
        ("127.0.0.1:80@evil.example", False),
        ("[::1].evil.example", False),
        ("", False),
    ],
)
def test_names_of_other_sites_are_not_this_machine(host: str, is_own: bool) -> None:
    assert is_own_host(host) is is_own


def test_host_name_and_its_local_name_are_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "Laptop.lan")
    assert all(map(is_own_host, ("laptop.lan", "laptop.local:8645")))
    assert not is_own_host("other.local")


def test_only_loopback_addresses_are_this_machine() -> None:
    assert all(map(is_this_machine, ("127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1")))
    assert not any(map(is_this_machine, ("192.168.1.2", "fe80::1%eth0", "", None, "localhost")))


@pytest.mark.parametrize(
    ("peer", "network"),
    [
        ("192.168.1.30", "192.168.1.30"),
        ("::ffff:192.168.1.30", "192.168.1.30"),
        ("fd00:1:2:3:4:5:6:7", "fd00:1:2:3::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        (None, ""),
        ("nobody", ""),
    ],
)
def test_addresses_that_one_machine_may_have_are_one_network(peer: str | None, network: str) -> None:
    assert network_of(peer) == network


@pytest.mark.parametrize(
    ("address", "is_here"),
    [
        ("http://192.168.1.7:8645/join?code=ABC", True),
        ("https://10.0.0.7/", True),
        ("http://127.0.0.1:8661/", True),
        ("http://[fd00::7]:8645/", True),
        ("http://[fe80::7]/", True),
        ("http://100.64.0.7/", True),
        ("https://desk-1.local:8645/", True),
        ("http://8.8.8.8/", False),
        ("http://[2001:4860:4860::8888]/", False),
        ("http://[::ffff:8.8.8.8]/", False),
        ("https://evil.example/", False),
        ("https://local/", False),
        ("https://192.168.1.7@evil.example/", False),
        ("http://224.0.0.1/", False),
        (r"http://evil.example\@192.168.1.7/join", False),  # Python reads the second host, browsers the first
        ("http://evil.example:80@192.168.1.7/", False),
        ("http://[/join", False),
        ("http://192.168.1.7/\n", False),
        ("javascript://192.168.1.7/", False),
        ("", False),
    ],
)
def test_address_in_the_house_is_told_from_a_site_of_the_internet(address: str, is_here: bool) -> None:
    assert is_in_house(address) is is_here
