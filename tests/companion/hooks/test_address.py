"""Addresses of hooks: what is accepted, and what is refused without repeating a secret."""

import pytest

from tilekeeper.companion.hooks.address import HookAddress, HookRefused


@pytest.mark.parametrize(
    ("url", "address", "name"),
    [
        ("http://lamp.local/hook", HookAddress(False, "lamp.local", 80, "/hook"), "lamp.local:80"),
        ("https://home.example:8123/a?b=c", HookAddress(True, "home.example", 8123, "/a?b=c"), "home.example:8123"),
        ("https://home.example", HookAddress(True, "home.example", 443, "/"), "home.example:443"),
        ("http://[::1]:90/", HookAddress(False, "::1", 90, "/"), "::1:90"),
    ],
)
def test_address_of_a_web_server_is_accepted(url, address, name):
    assert HookAddress.parse(url) == address
    assert address.name == name


@pytest.mark.parametrize(
    "url",
    [
        "",
        "lamp.local/secret",
        "ftp://lamp.local/secret",
        "file:///secret",
        "http:///secret",
        "http://user:secret@lamp.local/",
        "http://lamp.local/secret#part",
        "http://lamp.local:99999/secret",
        "http://lamp.local/secret\r\nHost: other",
        "http://lamp.local/secret name",
        "http://lämp.local/secret",
        "http://lamp..local/secret",
        f"http://{64 * 'a'}.local/secret",
    ],
)
def test_other_address_is_refused_without_repeating_it(url):
    with pytest.raises(HookRefused) as refused:
        HookAddress.parse(url)
    assert "secret" not in str(refused.value)
