"""Evenings and pictures in one file and back from it; what was there is set aside, what is junk is refused."""

import zipfile

import pytest

from tests.support.game_night_client import EveningClient
from tilekeeper.companion.capture.no_source import NoSource
from tilekeeper.companion.cli import main
from tilekeeper.companion.storage.folder import FILE_NAME
from tilekeeper.companion.storage.pictures import Pictures
from tilekeeper.companion.web.api.extensions import parts


def test_evenings_and_pictures_go_to_a_file_and_back(make_app, tmp_path, capsys):
    page = EveningClient(app := make_app(NoSource(), watch=False))
    page.deal()
    Pictures(tmp_path).keep("abc", "00001", b"jpeg")
    file, elsewhere = tmp_path / "copy.zip", tmp_path / "elsewhere"
    assert main(["backup", str(file), "--data", str(tmp_path)]) == 0
    assert "holds all evenings and 1 pictures" in capsys.readouterr().out
    page.act("draw")
    lines = parts(app).game_nights.database.lines(page.get("/api/evenings")["evenings"][0]["id"])
    assert main(["restore", str(file), "--data", str(elsewhere)]) == 0
    assert Pictures(elsewhere).find("abc", "00001") == b"jpeg"
    assert main(["restore", str(file), "--data", str(tmp_path)]) == 1
    assert "in use by another Tilekeeper" in capsys.readouterr().err
    parts(app).close()
    assert main(["restore", str(file), "--data", str(tmp_path)]) == 0
    (aside,) = (tmp_path / "set-aside").iterdir()
    assert str(aside) in capsys.readouterr().out
    again = EveningClient(make_app(NoSource()))
    assert again.evening["player"] == 0
    assert len(lines) == 4


@pytest.mark.parametrize("junk", ["text", "other", "damaged", "missing"])
def test_what_is_no_copy_of_evenings_is_refused_and_changes_nothing(tmp_path, capsys, junk):
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


def test_an_archive_with_a_damaged_picture_changes_nothing(make_app, tmp_path, capsys):
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


def test_a_folder_without_evenings_is_not_copied(tmp_path, capsys):
    assert main(["backup", str(tmp_path / "copy.zip"), "--data", str(tmp_path / "none")]) == 1
    assert "there are no evenings" in capsys.readouterr().err
    assert not (tmp_path / "copy.zip").exists()
