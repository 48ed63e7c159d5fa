"""Uploaded pictures: each is decoded in a process of its own, and senders share the computer fairly."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Final

from tilekeeper.companion.capture.decoder import PictureDecoder
from tilekeeper.companion.capture.fair_turns import FairTurns
from tilekeeper.companion.heap import trim_heap
from tilekeeper.companion.refusal import Refused
from tilekeeper.engine.language import gettext, lazy_gettext, translate
from tilekeeper.vision.arrays import Image
from tilekeeper.vision.photos import UnreadablePhoto

LARGEST_UPLOAD_BYTES: Final = 20 * 1024 * 1024
MOST_PX: Final = 40_000_000
WAITS_S: Final = 20.0
"""The longest wait for a turn; a sender whose picture comes next waits for at most one picture of another sender."""
_ONE_AT_A_TIME: Final = lazy_gettext("One picture at a time.")
_OTHERS_FIRST: Final = lazy_gettext("Another picture is being read. Try again in a moment.")
_decoding: Final = FairTurns(WAITS_S, _ONE_AT_A_TIME, _OTHERS_FIRST)
_reading: Final = FairTurns(WAITS_S, _ONE_AT_A_TIME, _OTHERS_FIRST)


@contextmanager
def reading_turn(sender: str) -> Iterator[None]:
    """Wait for the turn to read or test a picture: one thread at a time, so that the table's reading stays fast.

    Freed memory is returned to the system afterwards; otherwise each of the server's threads keeps that of a picture.

    Raises:
        Refused: if another picture of the sender waits already, or the pictures of other senders take too long.
    """
    with _reading.turn(sender):
        try:
            yield
        finally:
            trim_heap()


def decode_upload(data: bytes, sender: str) -> Image:
    """Return the decoded picture `(H, W, 3) uint8` BGR, upright.

    Each picture gets a new process, so that a malicious picture can't change how the next one is decoded.

    Raises:
        Refused: if the picture can't be decoded or is too large; and as `reading_turn`.
    """
    with _decoding.turn(sender), closing(PictureDecoder(MOST_PX)) as decoder:
        return decode_with(decoder, data)


def decode_with(decoder: PictureDecoder, data: bytes) -> Image:
    """Return the decoded picture `(H, W, 3) uint8` BGR, upright.

    Raises:
        Refused: if the picture can't be decoded or is too large.
    """
    try:
        return decoder.decode(data).image_bgr
    except UnreadablePhoto as error:
        why = translate(str(error))
        raise Refused(gettext("This picture can't be read: {why}.", why=why), "bad-input") from None
