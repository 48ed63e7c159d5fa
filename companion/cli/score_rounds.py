"""Parses and scores rounds from the command line: racks separated by slashes, or noted points."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from tilekeeper.engine.game.ledger import Alarm, Ledger
from tilekeeper.engine.game.score_sheet import ScoreSheet, score_from_notes
from tilekeeper.engine.game.scoring import RackLeft, RoundScore, rack_left, score_round
from tilekeeper.engine.game.stars import Bank, score_stars
from tilekeeper.engine.language import gettext
from tilekeeper.engine.rules.policies import Lowest, Totals
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.tiles.errors import NotationError
from tilekeeper.engine.tiles.notation import parse_table
from tilekeeper.engine.tiles.table import Table
from tilekeeper.engine.tiles.tile import Tile

_LONGEST_NUMBER = 6  # digits; more than all tiles of a box count


class ScoreInputError(ValueError):
    """The arguments can't be parsed or scored as rounds; the message is one line for the command line."""


@dataclass(frozen=True, slots=True)
class Rack:
    """A rack as it was entered: its tiles, or a number (the sum of its points; with stars, the number of its tiles)."""

    tiles: tuple[Tile, ...] | None
    number: int | None

    @property
    def is_empty(self) -> bool:
        """Whether the rack has no tiles or the number 0."""
        return not self.tiles and not self.number


def score_points(rounds: Sequence[str], players: tuple[str, ...] | None) -> ScoreSheet:
    """Return the score sheet of rounds given as noted points, such as `+24 -5 -16 -3`.

    Raises:
        ScoreInputError: if a round can't be parsed.
    """
    noted = [[_number("--points", word) for word in text.split()] for text in rounds]
    if not noted[0]:
        raise ScoreInputError(gettext("--points: give at least one number"))
    sheet = ScoreSheet(_names(players, len(noted[0])), Totals.HIGHEST_TOTAL)
    for text, points in zip(rounds, noted, strict=True):
        _expect_players("--points", text, len(points), sheet)
        sheet = sheet.with_round(score_from_notes(points))
    return sheet


def score_racks(
    rounds: Sequence[str], stars: Sequence[str], players: tuple[str, ...] | None, rules: RuleSet
) -> tuple[ScoreSheet, tuple[Alarm, ...]]:
    """Return the score sheet of rounds given by the racks at their end, and alarms for impossible tiles.

    Raises:
        ScoreInputError: if a round can't be parsed or scored.
    """
    if len(stars) != (len(rounds) if rules.stars else 0):
        if rules.stars:
            raise ScoreInputError(gettext("{edition} needs --stars for each --round", edition=rules.name))
        raise ScoreInputError(gettext("{edition} does not use --stars", edition=rules.name))
    read = [[_rack(word) for word in text.split("/")] for text in rounds]
    sheet = ScoreSheet(_names(players, len(read[0])), rules.scoring.totals)
    alarms: list[Alarm] = []
    for at, (text, racks) in enumerate(zip(rounds, read, strict=True)):
        _expect_players("--round", text, len(racks), sheet)
        empty = [player for player, rack in enumerate(racks) if rack.is_empty]
        if len(empty) > 1:
            raise ScoreInputError(
                gettext(
                    "--round {text!r}: {count} racks are empty, but only one player can be out",
                    text=text,
                    count=len(empty),
                )
            )
        out = empty[0] if empty else None
        score = _stars_score(stars[at], racks, out, rules) if rules.stars else _score(text, racks, out, rules)
        sheet = sheet.with_round(score)
        shown = tuple(rack.tiles for rack in racks)
        alarms += Ledger(rules.stock, Table(), (), shown, 0, None).impossible_tiles()
    return sheet, tuple(alarms)


def _score(text: str, racks: Sequence[Rack], out: int | None, rules: RuleSet) -> RoundScore:
    scoring = rules.scoring
    racks_left = [
        RackLeft(rack.number or 0, 0) if rack.tiles is None else rack_left(rack.tiles, scoring) for rack in racks
    ]
    has_sums = any(rack.number for rack in racks)
    if out is None and has_sums:
        tied = scoring.fewer_tiles_win and len(_lowest_sums(racks_left)) > 1
        if scoring.lowest is Lowest.TILES or tied:
            raise ScoreInputError(
                gettext("--round {text!r}: the number of tiles decides; write the tiles, not their sum", text=text)
            )
        racks_left = [RackLeft(rack.points, 0) for rack in racks_left]
    return score_round(racks_left, out, rules)


def _lowest_sums(racks: Sequence[RackLeft]) -> list[RackLeft]:
    lowest = min(rack.points for rack in racks)
    return [rack for rack in racks if rack.points == lowest]


def _stars_score(text: str, racks: Sequence[Rack], out: int | None, rules: RuleSet) -> RoundScore:
    assert rules.stars is not None  # the caller has checked it
    stars = tuple(_number("--stars", word) for word in text.split())
    if len(stars) != len(racks) or min(stars) < 0 or sum(stars) > rules.stars.bank:
        raise ScoreInputError(
            gettext(
                "--stars {text!r}: give {count} numbers of at least 0, together at most {bank}",
                text=text,
                count=len(racks),
                bank=rules.stars.bank,
            )
        )
    tiles = [rack.number if rack.tiles is None else len(rack.tiles) for rack in racks]
    bank = Bank(rules.stars.bank - sum(stars), stars)
    return score_stars(bank, [count or 0 for count in tiles], out, rules.stars)[1]


def _rack(text: str) -> Rack:
    word = text.strip()
    if word.isascii() and word.isdigit() and len(word) <= _LONGEST_NUMBER:
        return Rack(None, int(word))
    try:
        return Rack(tuple(chain.from_iterable(parse_table("" if word == "-" else word).melds)), None)
    except NotationError as error:
        raise ScoreInputError(gettext("--round: {word!r}: {error}", word=word, error=error)) from None


def _number(option: str, word: str) -> int:
    digits = word.lstrip("+-−").replace("−", "")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= _LONGEST_NUMBER and len(word) - len(digits) <= 1):
        raise ScoreInputError(gettext("{option}: {word!r} is not a whole number", option=option, word=word))
    return -int(digits) if word[0] in "-−" else int(digits)


def _names(players: tuple[str, ...] | None, count: int) -> tuple[str, ...]:
    if players is None:
        return tuple(chr(ord("A") + at) if at < 26 else f"P{at}" for at in range(count))
    if not all(players):
        raise ScoreInputError(gettext("--players: every player needs a name"))
    return players


def _expect_players(option: str, text: str, count: int, sheet: ScoreSheet) -> None:
    if count != len(sheet.players):
        raise ScoreInputError(
            gettext(
                "{option} {text!r}: expected {players} players, not {found}",
                option=option,
                text=text,
                players=len(sheet.players),
                found=count,
            )
        )
