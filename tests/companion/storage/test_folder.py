"""The data folder: its owner, its lock, and what happens if it can't be used."""

import os

import pytest

from tilekeeper.companion.storage.folder import DataFolder, FolderInUse, StoreUnusable
from tilekeeper.companion.storage.store import Store

pytestmark = pytest.mark.slow  # real files, and threads


def test_unusable_folder_leaves_the_game_night_in_memory(tmp_path):
    (tmp_path / "file").write_text("")
    store = Store.open(tmp_path / "file" / "below")
    (notice,) = store.notices
    assert notice.startswith("This evening will not be saved:")
    folder = store.folder
    assert folder.is_dir()
    store.close()
    assert not folder.exists()


@pytest.mark.skipif(os.name != "posix", reason="other systems have no such rights")
def test_files_that_an_earlier_version_let_others_read_are_made_private(tmp_path):
    """The database has the join code, and the folders have pictures of people's tables."""
    Store(tmp_path).close()
    folders = [tmp_path / name for name in ("pictures", "backups", "examples", "set-aside")]
    for path in (tmp_path / "evenings.sqlite3", *folders):
        path.mkdir(exist_ok=True) if path in folders else None
        path.chmod(0o755)
    store = Store(tmp_path)
    modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
    store.close()
    assert [modes[folder.name] for folder in folders] == [0o700] * 4
    assert {mode for name, mode in modes.items() if name.startswith("evenings.sqlite3")} <= {0o600, 0o700}


def test_folder_is_used_by_one_app_at_a_time(tmp_path):
    store = Store(tmp_path)
    store.data_folder.announce("http://127.0.0.1:8645/")
    with pytest.raises(FolderInUse, match=r"in use by another Tilekeeper at http://127\.0\.0\.1:8645/"):
        Store.open(tmp_path)
    store.close()
    Store(tmp_path).close()


def test_folder_that_can_not_be_created_is_reported(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreUnusable, match="game nights can't be saved"):
        Store(tmp_path / "file" / "below")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_something_else_in_place_of_the_address_neither_blocks_nor_fails(tmp_path, make):
    make(tmp_path / "in-use.txt")
    held = DataFolder(tmp_path)
    with pytest.raises(FolderInUse):
        DataFolder(tmp_path)
    held.announce("http://127.0.0.1:8645/")
    with pytest.raises(FolderInUse):
        DataFolder(tmp_path)
    held.release()
