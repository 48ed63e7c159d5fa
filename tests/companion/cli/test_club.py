"""`tilekeeper club` as a process: the hub, tables on the same machine, a clean end, and invalid options."""

import json
import re
import signal
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.support.club_versions import upgrade_to
from tilekeeper.companion.cli import main
from tilekeeper.companion.doorkeeper.host_key import HOST_COOKIE
from tilekeeper.companion.hub.app import create_app
from tilekeeper.companion.hub.database import Database
from tilekeeper.companion.hub.event_file import write_event
from tilekeeper.companion.hub.hub import Hub

pytestmark = pytest.mark.slow

FREES_SLOWLY = (sys.executable, "-m", "tests.support.run_and_free_slowly")


def ask(link: str, path: str, body: object | None = None) -> str:
    """Return an answer of a hub to the person who runs it, by the link that it has printed."""
    address, _, key = link.partition("host/")
    data, cookie = None if body is None else json.dumps(body).encode(), f"{HOST_COOKIE}-{urlsplit(address).port}={key}"
    request = urllib.request.Request(f"{address}{path}", data, {"Content-Type": "application/json", "Cookie": cookie})
    with urllib.request.urlopen(request, timeout=20) as answer:
        return answer.read().decode()


def wait_for(link: str, path: str, words: str, seconds: float = 90) -> str:
    until_s = time.monotonic() + seconds
    while words not in (page := ask(link, path)):
        assert time.monotonic() < until_s, page
        time.sleep(0.3)
    return page


def test_club_with_one_laptop_plays_a_round(tmp_path: Path) -> None:
    """A hub starts two tables without cameras, seats a round at them, and ends them when it ends.

    Freeing its objects may take very long on a busy machine; it ends without that.
    """
    command = [*FREES_SLOWLY, "tilekeeper", "club", "--data", str(tmp_path), "--port", "0"]
    hub = subprocess.Popen([*command, "--table", "none", "--table", "none"], stdout=subprocess.PIPE, text=True)
    assert hub.stdout is not None
    output = ""
    while "Ctrl+C" not in output:
        line = hub.stdout.readline()
        assert line, output
        output += line
    found = re.search(r"http://[\d.:]+/host/\S+", output)
    assert found is not None
    link = found[0]
    try:
        wait_for(link, "arbiter", "Waiting for its players")
        with pytest.raises(urllib.error.HTTPError, match="401"):  # another user of this machine has no key
            ask(link.partition("host/")[0], "api/players", {"plan": 0, "name": "Ada"})
        # Other users of this machine read neither codes nor a table's link.
        assert [path for path in tmp_path.rglob("*") if path.stat().st_mode & 0o077] == []
        ask(link, "api/players", {"plan": 0, "name": "Ada"})
        for plan, name in enumerate(("Bo", "Cleo", "Dan", "Eve", "Finn"), start=1):
            ask(link, "api/players", {"plan": plan, "name": name})
        ask(link, "api/rounds", {"plan": 6})
        page = wait_for(link, "arbiter", "Choosing who begins, and dealing")
        assert "Ada" in page
    finally:
        hub.send_signal(signal.SIGTERM)
        hub.wait(30)
        hub.stdout.close()
    assert hub.returncode == 0
    assert list(tmp_path.glob("club/table-*/pid")) == []


def test_simulated_event_is_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The folder, the file and the address of the database all name the event; a changed result is a difference."""
    assert main(["club", "--data", str(tmp_path), "--simulate", "9", "2"]) == 0
    assert "9 players, 2 rounds" in capsys.readouterr().out
    assert main(["club", "--data", str(tmp_path), "--simulate", "9", "2"]) == 2
    assert "already has players" in capsys.readouterr().err
    file = tmp_path / "club" / "club.sqlite3"
    database = Database(f"sqlite:///{file}")
    with database.reading() as session:
        (tmp_path / "event.json").write_text("".join(write_event(session)), "utf-8")
    (tmp_path / "results.json").write_bytes(create_app(Hub(database)).test_client().get("/results.json").data)
    database.close()
    assert main(["club", "--data", str(tmp_path / "other"), "--rebuild", str(tmp_path / "event.json")]) == 0
    assert "9 players, 2 rounds" in capsys.readouterr().out
    results = str(tmp_path / "results.json")
    assert main(["club", "--season", results, results, "--best", "1"]) == 0
    rows = [line.split(";") for line in capsys.readouterr().out.splitlines()]
    assert rows[0] == ["Place", "Name", "Points", "Simulation", "Simulation"]
    assert rows[1][4] == f"[{rows[1][2]}]"
    assert main(["club", "--season", results, results, "--best-games", "1"]) == 0
    best_games = [line.split(";") for line in capsys.readouterr().out.splitlines()]
    lines = json.loads(Path(results).read_bytes())["standings"]
    assert int(best_games[1][2]) == max(int(points) for line in lines for points in line["games"])
    assert main(["club", "--season", str(file)]) == 2
    assert "is not the results.json" in capsys.readouterr().err
    for text in (Path(results).read_text().replace('"score":"', '"score":"1e999999999'), "[" * 100_000):
        (tmp_path / "made.json").write_text(text)
        assert main(["club", "--season", str(tmp_path / "made.json")]) == 2
        assert "is not the results.json" in capsys.readouterr().err
    for event in (str(tmp_path), str(file), f"sqlite:///{file}"):
        assert main(["club", "--check", event]) == 0
        assert "differences: 0" in capsys.readouterr().out
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE seatings SET games = json_remove(games, '$[0].won[0]') WHERE round = 1")
        (player,) = connection.execute("SELECT json_extract(players, '$[0]') FROM seatings WHERE round = 2").fetchone()
        (name,) = connection.execute("SELECT name FROM players WHERE id = ?", (player,)).fetchone()
        connection.execute(
            "UPDATE rounds SET byes = json_array(json_object('player', ?, 'kind', 'full')) WHERE number = 2", (player,)
        )
    assert main(["club", "--check", str(tmp_path)]) == 3
    assert f"{name} sits in two places." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("statement", "name"),
    [
        ("CREATE TRIGGER t AFTER UPDATE ON players BEGIN DELETE FROM players; END", "t"),
        ("CREATE VIEW v AS SELECT zeroblob(900000000)", "v"),
        ("CREATE TABLE c (x CHECK (length(randomblob(700000000)) > 0))", "c"),
        ("CREATE INDEX i ON players (length(zeroblob(id * 70000000)))", "i"),
        ("ALTER TABLE players ADD COLUMN g AS (zeroblob(900000000))", "players"),
    ],
)
def test_event_of_a_stranger_is_checked_without_a_change_and_nothing_in_it_runs(
    statement: str, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The file is of an earlier version, which is migrated in a copy only."""
    file = tmp_path / "club.sqlite3"
    upgrade_to(f"sqlite:///{file}", "0005")
    file.chmod(0o444)
    before = file.read_bytes(), file.stat().st_mode
    for event in (str(file), f"sqlite:///{file}"):
        assert main(["club", "--check", event]) in (0, 3)
        assert "games checked" in capsys.readouterr().out
    assert (file.read_bytes(), file.stat().st_mode) == before
    assert list(tmp_path.iterdir()) == [file]
    file.chmod(0o644)
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute(statement)
    assert main(["club", "--check", str(file)]) == 1
    assert f"it contains {name}, which Tilekeeper did not make" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "code", "why"),
    [
        (["--broker", "mqtt://127.0.0.1/club", "--table", "none"], 2, "need no broker"),
        (["--broker", "nothing://x"], 2, "is not a tournament address"),
        (["--broker", "nowhere.json"], 2, "can't be read"),
        (["--broker", "http://127.0.0.1:8650/club"], 2, "leave out --broker"),
        (["--database", "nothing"], 1, "is not a database"),
        (["--database", "postgresql+psycopg://club:secret@127.0.0.1:1/x"], 1, "can't be used"),
        (["--check", "/nowhere/at/all"], 1, "There is no tournament"),
        (["--check", "nothing://x"], 1, "is not a database"),
        (["--simulate", "8", "99"], 2, "1 to 50 rounds"),
        (["--host", "203.0.113.9"], 1, "is not an address of this machine"),
    ],
)
def test_impossible_options_are_refused_in_one_line(
    words: list[str], code: int, why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The exit code is the documented one; no password is printed."""
    assert main(["club", "--data", str(tmp_path), *words]) == code
    output = capsys.readouterr().err
    assert why in output
    assert output.count("\n") == 1
    assert "secret" not in output
