"""Pictures stay within a size limit: the oldest are deleted first, never those of the present game night."""

import os
from pathlib import Path

from tilekeeper.companion.storage.pictures import Pictures


def test_oldest_pictures_are_deleted_except_those_of_the_present_game_night(tmp_path):
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


def test_picture_is_synced_before_it_is_renamed(tmp_path, monkeypatch):
    done = []
    fsync, replace = os.fsync, os.replace

    def noting_fsync(descriptor: int) -> None:
        done.append("folder" if os.path.isdir(f"/dev/fd/{descriptor}") else "file")
        fsync(descriptor)

    def noting_replace(source: Path, target: Path) -> None:
        done.append("named")
        replace(source, target)

    monkeypatch.setattr(os, "fsync", noting_fsync)
    monkeypatch.setattr(os, "replace", noting_replace)
    Pictures(tmp_path).keep("played", "00001", b"picture")
    assert done == ["file", "named", "folder"]
    assert Pictures(tmp_path).find("played", "00001") == b"picture"


def test_picture_is_found_by_a_valid_name_only(tmp_path: Path):
    pictures = Pictures(tmp_path)
    pictures.keep("abc", "00001", b"jpeg")
    assert pictures.find("abc", "00001") == b"jpeg"
    (tmp_path / "secret.jpg").write_bytes(b"secret")
    for evening, name in (("abc", "00002"), ("..", "secret"), ("abc", "../../secret"), ("", "secret")):
        assert pictures.find(evening, name) is None
