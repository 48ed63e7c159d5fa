"""Where a hall is: what is understood, what is refused, and that no password is shown."""

import ssl
from pathlib import Path

import pytest

from tilekeeper.companion.broker.address import AddressRefused, Card, HallAddress


def test_address_with_user() -> None:
    """User and password come from the address and are not shown again."""
    address = HallAddress.parse("mqtts://7:se%2Fcret@hall.example:8884/Club-1")
    assert (address.host, address.port, address.club) == ("hall.example", 8884, "Club-1")
    assert (address.user, address.password) == ("7", "se/cret")
    assert address.shown == "mqtts://hall.example:8884/Club-1"
    context = address.context()
    assert context is not None
    assert context.verify_mode is ssl.CERT_REQUIRED
    assert context.check_hostname


def test_usual_ports() -> None:
    """Without a port the usual one is meant, by whether it is encrypted."""
    assert [HallAddress.parse(f"{scheme}://localhost/c").port for scheme in ("mqtt", "mqtts", "http")] == [
        1883,
        8883,
        8650,
    ]


@pytest.mark.parametrize(
    "words",
    [
        "mqtts://host",
        "mqtts://host/a b",
        "mqtts:///club",
        "ftp://host/club",
        "mqtts://host:99999/club",
        "http://elsewhere.example/club",
        "mqtt://7:secret@elsewhere.example/club",
        "mqtts://7:secret@[::1/club",
    ],
)
def test_words_that_name_no_hall(words: str) -> None:
    """One sentence without the password says so."""
    with pytest.raises(AddressRefused) as caught:
        HallAddress.parse(words)
    assert "secret" not in str(caught.value)


def test_card(tmp_path: Path) -> None:
    """A card holds all that a table needs; a file that is none is refused by name."""
    card = tmp_path / "7.json"
    card.write_text(
        Card(hall="mqtts://host/club", user="7", password="word", authority="").model_dump_json(), encoding="utf-8"
    )
    address = HallAddress.parse(str(card))
    assert (address.user, address.password, address.port) == ("7", "word", 8883)
    card.write_text("{}")
    with pytest.raises(AddressRefused, match=r"7\.json is not a table card"):
        HallAddress.parse(str(card))
    with pytest.raises(AddressRefused, match="can't be read"):
        HallAddress.parse(str(tmp_path / "none.json"))
