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
