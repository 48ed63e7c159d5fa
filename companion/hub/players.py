"""Validation of a list of new players: their names must be valid and different."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Final

from tilekeeper.companion.game_night.player_names import tidy_name
from tilekeeper.companion.hub.player_sheet import Line
from tilekeeper.companion.refusal import Refused
from tilekeeper.engine.language import gettext

MOST_PLAYERS: Final = 2000
LONGEST_GROUP: Final = 60
"""The maximum number of characters of a club or category."""
_MOST_SHOWN: Final = 8
_MOST_LISTED: Final = 200


def check_players(lines: Sequence[Line], taken: Sequence[str], *, leave_out: bool = False) -> list[Line]:
    """Return the new players with tidied names; all names must differ from each other and from `taken`.

    Args:
        lines: the new players.
        taken: the names of the players who are on the list already.
        leave_out: whether to skip repeated names; otherwise they are errors.

    Raises:
        Refused: with a sentence for each bad line, if any.
    """
    troubles: list[str] = []
    players: list[Line] = []
    line_by_key: dict[str, int] = {}
    present_keys = {name_key(name) for name in taken}
    for line in lines:
        try:
            name = tidy_name(line.name)
        except Refused as why:
            is_empty = not line.name.strip()
            troubles.append(
                gettext("Line {number}: the name is empty.", number=line.number)
                if is_empty
                else gettext("Line {number}: {why}", number=line.number, why=str(why))
            )
            continue
        key = name_key(name)
        if leave_out and (key in line_by_key or key in present_keys):
            continue
        if key in line_by_key:
            troubles.append(
                gettext(
                    "Line {number}: {name} is already in line {first}.",
                    number=line.number,
                    name=name,
                    first=line_by_key[key],
                )
            )
        elif key in present_keys:
            troubles.append(gettext("Line {number}: {name} is already on the list.", number=line.number, name=name))
        line_by_key.setdefault(key, line.number)
        players.append(Line(line.number, name, line.club[:LONGEST_GROUP], line.category[:LONGEST_GROUP]))
    if not lines:
        troubles.append(gettext("It contains no name."))
    if len(taken) + (len(players) if leave_out else len(lines)) > MOST_PLAYERS:
        troubles.append(gettext("At most {most} players fit.", most=MOST_PLAYERS))
    if troubles:
        shown = troubles[:_MOST_SHOWN]
        if len(troubles) > _MOST_SHOWN:
            shown.append(gettext("And {count} more.", count=len(troubles) - _MOST_SHOWN))
        raise Refused(" ".join([*shown, gettext("Nobody was added.")]), "bad-name", {"lines": troubles[:_MOST_LISTED]})
    return players


def name_key(name: str) -> str:
    """Return a name in the form for comparison, without regard to case, spaces and compatible characters (NFKC)."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())
