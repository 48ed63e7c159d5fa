"""Hall addresses: parsing, refusals, and that no password is ever printed."""

import ssl
from pathlib import Path

import pytest

from tilekeeper.companion.messaging.address import AddressRefused, Card, HallAddress


def test_address_with_user_hides_the_password() -> None:
    """User and password come from the address, and its text shows neither."""
    address = HallAddress.parse("mqtts://7:se%2Fcret@hall.example:8884/Club-1")
    assert (address.host, address.port, address.club) == ("hall.example", 8884, "Club-1")
    assert (address.user, address.password) == ("7", "se/cret")
    assert address.shown == "mqtts://hall.example:8884/Club-1"
    context = address.context()
    assert context is not None
    assert context.verify_mode is ssl.CERT_REQUIRED
    assert context.check_hostname


def test_address_without_a_port_has_the_default_port_of_its_scheme() -> None:
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
        "mqtts:/7:secret@host/club",
        "7:secret@host/club",
    ],
)
def test_invalid_address_is_refused_without_showing_the_password(words: str) -> None:
    """The message is one line without the password."""
    with pytest.raises(AddressRefused) as caught:
        HallAddress.parse(words)
    assert "secret" not in str(caught.value)


def test_card_is_read_and_another_file_is_refused_by_name(tmp_path: Path) -> None:
    """A card has user, password and address; a file that is not a card is refused by its name."""
    card = tmp_path / "7.json"
    card.write_text(
        Card(hall="mqtts://host/club", user="7", password="word", authority="").model_dump_json(), encoding="utf-8"
    )
    address = HallAddress.parse(str(card))
    assert (address.user, address.password, address.port) == ("7", "word", 8883)
    card.write_text("{}")
    with pytest.raises(AddressRefused, match=r"7\.json is not an access card"):
        HallAddress.parse(str(card))
    with pytest.raises(AddressRefused, match="can't be read"):
        HallAddress.parse(str(tmp_path / "none.json"))
