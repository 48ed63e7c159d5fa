"""Files that only their owner can read, and the key of a data folder."""

import os
from pathlib import Path

import pytest

from tilekeeper.companion.storage.private_files import KEY_FILE, own_key, write_private

posix = pytest.mark.skipif(os.name == "nt", reason="Windows has no modes of files")


@posix
def test_only_the_owner_can_read_a_private_file_from_its_beginning(tmp_path: Path, monkeypatch) -> None:
    path, modes = tmp_path / "secret", []
    replace = os.replace

    def note(source: Path, target: Path) -> None:
        modes.append(source.stat().st_mode & 0o777)
        replace(source, target)

    monkeypatch.setattr(os, "replace", note)
    path.write_text("old")
    write_private(path, b"new")
    assert (path.read_bytes(), modes) == (b"new", [0o600])


def test_key_of_a_folder_stays_over_restarts(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    key = own_key(folder)
    assert own_key(folder) == key
    assert own_key(tmp_path / "another") != key
    assert len(key) == 43


@posix
def test_key_that_others_could_read_is_replaced(tmp_path: Path) -> None:
    key = own_key(tmp_path)
    (tmp_path / KEY_FILE).chmod(0o644)
    assert own_key(tmp_path) not in ("", key)
    assert (tmp_path / KEY_FILE).stat().st_mode & 0o777 == 0o600


@posix
def test_key_that_another_user_has_put_there_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Root could read it, and the other user knows it."""
    key = own_key(tmp_path)
    monkeypatch.setattr(os, "getuid", lambda: (tmp_path / KEY_FILE).stat().st_uid + 1)
    assert own_key(tmp_path) != key


@pytest.mark.parametrize("stored", [b"", b"short", b"\xff" * 43, b"x" * 43 + b"\n"])
def test_damaged_key_is_replaced(tmp_path: Path, stored: bytes) -> None:
    write_private(tmp_path / KEY_FILE, stored)
    assert own_key(tmp_path) == own_key(tmp_path)
    assert (tmp_path / KEY_FILE).read_bytes() != stored


def test_key_of_a_folder_that_can_not_be_made_is_valid_for_now(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert len(own_key(tmp_path / "file" / "folder")) == 43
