"""Pictures stay within a budget, the oldest first, and never those of the evening under way."""

import os

from tilekeeper.companion.storage.pictures import Pictures


def test_the_oldest_evenings_make_room_but_not_the_one_that_is_played(tmp_path):
    pictures = Pictures(tmp_path)
    for number, evening in enumerate(("played", "old", "newer", "newest")):
        for name in ("00001", "00002"):
            pictures.keep(evening, name, bytes(1000))
        for file in (tmp_path / "pictures" / evening).iterdir():
            os.utime(file, (number, number))
    pictures.make_room("played", 4000)
    assert {folder.name for folder in (tmp_path / "pictures").iterdir()} == {"played", "newest"}
    pictures.make_room("played", 0)
    assert {folder.name for folder in (tmp_path / "pictures").iterdir()} == {"played"}
