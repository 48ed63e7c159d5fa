"""Export to one file and import: existing game nights are set aside, damaged archives are refused."""

import os
import shutil
import zipfile

import pytest

from tests.support.game_night_client import EveningClient
from tilekeeper.companion.capture.no_source import NoSource
from tilekeeper.companion.cli import main
from tilekeeper.companion.storage import archive as archive_module
from tilekeeper.companion.storage.folder import FILE_NAME
from tilekeeper.companion.storage.pictures import Pictures
from tilekeeper.companion.storage.store import Store
from tilekeeper.companion.web.api.extensions import parts


def test_exported_game_nights_and_pictures_can_be_imported(make_app, tmp_path, capsys):
    page = EveningClient(app := make_app(NoSource(), watch=False))
    page.deal()
    page.post("/api/players", name="Ada", animal="fox")
    Pictures(tmp_path).keep("abc", "00001", b"jpeg")
    file, elsewhere = tmp_path / "copy.zip", tmp_path / "elsewhere"
    assert main(["backup", str(file), "--data", str(tmp_path)]) == 0
    assert "holds all game nights and 1 picture" in capsys.readouterr().out
    page.act("draw")
    page.post("/api/players", name="Ada", animal="owl")  # newer than the archive, so it stays here
    lines = parts(app).game_nights.database.lines(page.get("/api/evenings/results")["evenings"][0]["id"])
    assert main(["restore", str(file), "--data", str(elsewhere)]) == 0
    assert Pictures(elsewhere).find("abc", "00001") == b"jpeg"
    other = EveningClient(make_app(NoSource(), watch=False, data_folder=elsewhere))
    assert other.get("/api/players/record?name=Ada")["profile"]["animal"] == "fox"
    assert main(["restore", str(file), "--data", str(tmp_path)]) == 1
    assert "in use by another Tilekeeper" in capsys.readouterr().err
    parts(app).close()
    assert main(["restore", str(file), "--data", str(tmp_path)]) == 0
    (aside,) = (tmp_path / "set-aside").iterdir()
    assert str(aside) in capsys.readouterr().out
    restored = EveningClient(make_app(NoSource()))
    assert restored.evening["player"] == 0
    assert restored.get("/api/players/record?name=Ada")["profile"]["animal"] == "owl"
    assert len(lines) == 4


@pytest.mark.parametrize("junk", ["text", "other", "damaged", "missing"])
def test_file_that_is_no_archive_is_refused_and_changes_nothing(tmp_path, capsys, junk):
    file, folder = tmp_path / "copy.zip", tmp_path / "data"
    if junk == "text":
        file.write_text("no archive")
    elif junk != "missing":
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr("../outside.txt" if junk == "other" else FILE_NAME, "no database")
    assert main(["restore", str(file), "--data", str(folder)]) == 1
    assert capsys.readouterr().err.startswith("tilekeeper restore: ")
    assert not (folder / FILE_NAME).exists()
    assert not (tmp_path / "outside.txt").exists()


def test_wal_of_a_deleted_database_is_not_applied_to_the_restored_one(make_app, tmp_path):
    """The WAL file has the newest pages of the old database, and SQLite would apply them to the restored one."""
    page = EveningClient(make_app(NoSource(), watch=False))
    page.deal("Ada", "Bo")
    assert main(["backup", str(tmp_path / "copy.zip"), "--data", str(tmp_path)]) == 0
    page.deal("Cleo", "Dan")
    killed = tmp_path / "killed"
    killed.mkdir()
    shutil.copy(tmp_path / f"{FILE_NAME}-wal", killed)
    assert main(["restore", str(tmp_path / "copy.zip"), "--data", str(killed)]) == 0
    store = Store(killed)
    assert [saved.seated for saved in store.game_nights()] == [(("Ada",), ("Bo",))]
    store.close()


def test_archive_with_undecodable_names_is_refused(tmp_path, capsys):
    file = tmp_path / "copy.zip"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("ä" + FILE_NAME, "x")
    file.write_bytes(file.read_bytes().replace("ä".encode(), b"\xff\xff"))
    assert main(["restore", str(file), "--data", str(tmp_path / "data")]) == 1
    assert "is no copy of game nights" in capsys.readouterr().err


def test_archive_with_a_damaged_picture_changes_nothing(make_app, tmp_path, capsys):
    page = EveningClient(app := make_app(NoSource(), watch=False))
    page.deal()
    Pictures(tmp_path).keep("abc", "00001", b"one picture")
    Pictures(tmp_path).keep("abc", "00002", b"another one")
    parts(app).close()
    file, elsewhere = tmp_path / "copy.zip", tmp_path / "elsewhere"
    assert main(["backup", str(file), "--data", str(tmp_path)]) == 0
    file.write_bytes(file.read_bytes().replace(b"another one", b"an other one"[:11]))
    assert main(["restore", str(file), "--data", str(elsewhere)]) == 1
    assert "damaged" in capsys.readouterr().err
    assert list(elsewhere.iterdir()) == []


def test_folder_without_game_nights_is_not_exported(tmp_path, capsys):
    assert main(["backup", str(tmp_path / "copy.zip"), "--data", str(tmp_path / "none")]) == 1
    assert "there are no game nights" in capsys.readouterr().err
    assert not (tmp_path / "copy.zip").exists()


@pytest.mark.parametrize("year", [-1, 4000])
def test_picture_with_an_impossible_date_is_exported(make_app, tmp_path, year):
    """A ZIP file can only store the years 1980 to 2107."""
    EveningClient(make_app(NoSource(), watch=False)).deal()
    Pictures(tmp_path).keep("abc", "00001", b"jpeg")
    os.utime(tmp_path / "pictures" / "abc" / "00001.jpg", 2 * ((year * 31_556_952,)))
    assert main(["backup", str(tmp_path / "copy.zip"), "--data", str(tmp_path)]) == 0
    assert main(["restore", str(tmp_path / "copy.zip"), "--data", str(tmp_path / "elsewhere")]) == 0
    assert Pictures(tmp_path / "elsewhere").find("abc", "00001") == b"jpeg"


def test_failed_export_leaves_no_file(make_app, tmp_path, capsys):
    EveningClient(make_app(NoSource(), watch=False)).deal()
    (tmp_path / "copy.zip").mkdir()
    assert main(["backup", str(tmp_path / "copy.zip"), "--data", str(tmp_path)]) == 1
    assert "tilekeeper backup: " in capsys.readouterr().err
    assert not list(tmp_path.glob("*.part"))


def test_archive_of_very_many_pictures_is_refused(tmp_path, capsys, monkeypatch):
    """Neither its directory nor its files fill memory and disk for minutes."""
    file = tmp_path / "copy.zip"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(FILE_NAME, b"x")
        for number in range(5):
            archive.writestr(f"pictures/abc/{number}.jpg", b"")
    for limit, most, why in (("MOST_PICTURES", 4, "holds 5 pictures"), ("_MOST_READ_BYTES", 300, "too many files")):
        with monkeypatch.context() as patch:
            patch.setattr(archive_module, limit, most)
            assert main(["restore", str(file), "--data", str(tmp_path / "data")]) == 1
        assert why in capsys.readouterr().err


def test_small_archive_of_large_pictures_is_refused(tmp_path, capsys):
    file = tmp_path / "copy.zip"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(FILE_NAME, b"x")
        archive.writestr("pictures/abc/00001.jpg", bytes(8_000_000))
    assert main(["restore", str(file), "--data", str(tmp_path / "data")]) == 1
    assert "holds 8 MB, more than game nights ever need" in capsys.readouterr().err


@pytest.mark.parametrize("packing", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_archive_with_damaged_data_is_refused_with_any_compression(tmp_path, capsys, packing):
    file = tmp_path / "copy.zip"
    with zipfile.ZipFile(file, "w", packing) as archive:
        archive.writestr(FILE_NAME, os.urandom(5000))
    data = bytearray(file.read_bytes())
    data[60:900] = bytes(840)
    file.write_bytes(data)
    assert main(["restore", str(file), "--data", str(tmp_path / "data")]) == 1
    assert capsys.readouterr().err.startswith("tilekeeper restore: ")
