"""The host's key: who shows it is the host; a link for one use works once and for a minute."""

from tilekeeper.companion.doorkeeper.host_key import ONE_USE_WITHIN_S, HostKey

ADDRESS = "http://127.0.0.1:8645/"


class Clock:
    """A monotonic clock that the test moves forward."""

    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def key_in(link: str) -> str:
    return link.removeprefix(f"{ADDRESS}host/")


def test_only_the_key_itself_proves_who_the_host_is() -> None:
    key = HostKey("right")
    assert key.is_shown_by("right")
    assert not any(map(key.is_shown_by, (None, "", "wrong", "right ", "ä")))
    assert key.opens(key_in(key.link(ADDRESS)))
    assert not key.opens("wrong")


def test_link_for_one_use_works_once() -> None:
    key = HostKey("right")
    once = key_in(key.link_for_one_use(ADDRESS))
    assert not key.is_shown_by(once)
    assert (key.opens(once), key.opens(once)) == (True, False)


def test_link_for_one_use_is_valid_for_a_minute() -> None:
    clock = Clock()
    key = HostKey("right", clock)
    once = key_in(key.link_for_one_use(ADDRESS))
    clock.now_s = ONE_USE_WITHIN_S
    assert not key.opens(once)
