"""The options `--rebuild FILE` and `--season FILE...` of `tilekeeper club`."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tilekeeper.engine.language import gettext

if TYPE_CHECKING:
    from tilekeeper.companion.hub.database import Database

LARGEST_BYTES = 500_000_000
_SEPARATOR = ";"


def rebuild(database: Database, path: Path) -> int:
    """Rebuild an event from its file in an empty database, and close the database; return the exit code."""
    from tilekeeper.companion.hub.event_file import rebuild_event
    from tilekeeper.companion.hub.simulate import count_games
    from tilekeeper.companion.refusal import Refused

    try:
        if path.stat().st_size > LARGEST_BYTES:
            raise Refused(gettext("That is too large."))
        with database.writing() as session:
            differences = rebuild_event(session, path.read_bytes())
            players, rounds, games = count_games(session)
    except (Refused, OSError) as why:
        print(f"tilekeeper: {why}", file=sys.stderr)
        return 2
    finally:
        database.close()
    for difference in differences:
        print(difference)
    print(
        gettext(
            "{players} players, {rounds} rounds, {games} games are in the database.",
            players=players,
            rounds=rounds,
            games=games,
        )
    )
    return 3 if differences else 0


def season(paths: Sequence[Path], best: int | None, best_games: int | None = None) -> int:
    """Print the table of a season as CSV, from the `results.json` of its events; return the exit code.

    Args:
        paths: the files.
        best: the number of each player's best events that count; None for all.
        best_games: the number of each player's best games that count, from all events; None to count whole events.
    """
    from tilekeeper.companion.hub.players import name_key
    from tilekeeper.companion.text.spreadsheet import decimal, harmless
    from tilekeeper.companion.tournament.scoring import parse_points
    from tilekeeper.companion.tournament.season import EventGames, season_table, season_table_by_games
    from tilekeeper.engine.game.scoring import Points, simplify_points

    def _points(word: str) -> Points:
        return simplify_points(parse_points(word))

    def _games(line: Mapping[str, Any]) -> EventGames:
        return EventGames(tuple(map(_points, line["games"])), _points(line["penalties"]))

    events: list[dict[str, Points]] = []
    games: list[dict[str, EventGames]] = []
    heads: list[str] = []
    names: dict[str, str] = {}
    for path in paths:
        try:
            if path.stat().st_size > LARGEST_BYTES:
                raise ValueError("too large")
            results = json.loads(path.read_bytes())
            lines = [(str(line["name"]), _points(line["score"])) for line in results["standings"]]
            if best_games is not None:
                games.append({name_key(str(line["name"])): _games(line) for line in results["standings"]})
            heads.append(str(results["name"]) or path.stem)
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            why = gettext("{path} is not the results.json of a tournament.", path=path)
            print(f"tilekeeper: {why}", file=sys.stderr)
            return 2
        for name, _ in lines:
            names.setdefault(name_key(name), name)
        events.append({name_key(name): score for name, score in lines})
    writer = csv.writer(sys.stdout, delimiter=_SEPARATOR, lineterminator="\n")
    writer.writerow([gettext("Place"), gettext("Name"), gettext("Points"), *map(harmless, heads)])
    table = season_table(events, best) if best_games is None else season_table_by_games(games, best_games)
    for line in table:
        numbers = ["" if score is None else decimal(score, _SEPARATOR) for score in line.scores]
        # In square brackets, since a spreadsheet reads a number in round ones as a negative number.
        scores = [
            number if counts or not number else f"[{number}]"
            for number, counts in zip(numbers, line.counted, strict=True)
        ]
        writer.writerow([line.place, harmless(names[line.player]), decimal(line.total, _SEPARATOR), *scores])
    return 0
