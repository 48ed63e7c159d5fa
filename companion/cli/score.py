"""`tilekeeper score`: prints the score sheet of a recorded game, of rounds given by racks, or of noted points.

Exit codes: 0 the scores add up, 1 they do not, the file's last line is incomplete or the file can't be opened, 2 wrong
arguments or lines.
"""

import argparse
import json
import sys
from fractions import Fraction
from pathlib import Path

from tilekeeper.companion.cli.rules_options import add_house_option, rules_named
from tilekeeper.companion.cli.score_rounds import ScoreInputError, score_points, score_racks
from tilekeeper.companion.text.scores import (
    alarm_sentence,
    balance_sentences,
    leaders_sentence,
    lost_sentence,
    sheet_lines,
    standing_sentence,
)
from tilekeeper.engine.game.game import Game
from tilekeeper.engine.game.ledger import Alarm, AlarmCode
from tilekeeper.engine.game.log import GameLogError, LostLine
from tilekeeper.engine.game.score_sheet import ScoreSheet
from tilekeeper.engine.game.scoring import Points
from tilekeeper.engine.game.state import EventRefused
from tilekeeper.engine.language import gettext, gettext_noop
from tilekeeper.engine.rules.editions import DEFAULT_EDITION, RULE_SETS

RIGHT, WRONG, UNREADABLE = 0, 1, 2
LARGEST_GAME_BYTES = 50_000_000
"""The largest game file that is read; a hundred game nights have a twentieth of this size."""

_EPILOG = gettext_noop("""\
For a round, give what is left on the racks, in the order of the seats and separated by '/': tiles as K5 or J, or a
number (the sum of the rack; in an edition with stars, how many tiles). An empty rack means that the player is out.

  tilekeeper score --round "/ R5 / K13 B3 / R3" --round "R6 / K11 / / R5"
  tilekeeper score --rules junior --stars "9 7 4" --round "/ R3 J / K1"
  tilekeeper score --points "+24 -5 -16 -3" --points "-6 -11 +22 -5"
  tilekeeper score game.jsonl

Exit code: 0 everything adds up, 1 something does not, the file's last line was lost or the file can't be opened, 2 not
understood.""")


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command with its options to the parser of the command line."""
    parser = subparsers.add_parser(
        "score",
        help=gettext(
            "score rounds or a recorded game: print the score sheet and totals, and check that plus and minus points "
            "are equal"
        ),
        description=gettext(
            "Score rounds or a recorded game: print the score sheet and totals, and check that plus and minus points "
            "are equal."
        ),
        epilog=gettext(_EPILOG),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "game", nargs="?", help=gettext("a recorded game in JSON Lines; - reads it from standard input")
    )
    parser.add_argument(
        "--round", action="append", default=[], metavar="RACKS", help=gettext("what is left on the racks")
    )
    parser.add_argument(
        "--points",
        action="append",
        default=[],
        metavar="POINTS",
        help=gettext("a round's points, as written on the sheet"),
    )
    parser.add_argument(
        "--stars",
        action="append",
        default=[],
        help=gettext("each player's stars before the payments at the end of the round"),
    )
    parser.add_argument(
        "--players", help=gettext("the players' names, separated by commas (default: A, B, C and so on)")
    )
    parser.add_argument(
        "--rules",
        metavar="EDITION",
        help=gettext(
            "the edition in play: {editions} (default: {default})",
            editions=", ".join(RULE_SETS),
            default=DEFAULT_EDITION,
        ),
    )
    add_house_option(parser)
    parser.add_argument("--json", action="store_true", help=gettext("print one JSON document, for scripts"))


def run(args: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    inputs = [args.game is not None, bool(args.round), bool(args.points)]
    if sum(inputs) != 1:
        return _fail(gettext("give one of these: a recorded game, --round or --points"))
    try:
        if args.game is not None:
            return _score_game(args)
        rules = rules_named("score", "--rules", args.rules or DEFAULT_EDITION, args.house)
        if rules is None:
            return UNREADABLE
        names = None if args.players is None else tuple(name.strip() for name in args.players.split(","))
        if args.points:
            return _print(args, score_points(args.points, names), ())
        return _print(args, *score_racks(args.round, args.stars, names, rules))
    except OSError as error:
        return _fail(f"{args.game}: {error.strerror}", WRONG)
    except (ScoreInputError, GameLogError, EventRefused) as error:
        return _fail(str(error))


def _fail(message: str, code: int = UNREADABLE) -> int:
    print(f"tilekeeper score: {message}", file=sys.stderr)
    return code


def _score_game(args: argparse.Namespace) -> int:
    given = {"--rules": args.rules, "--house": args.house, "--players": args.players, "--stars": args.stars}
    if strange := [option for option, value in given.items() if value]:
        return _fail(gettext("a recorded game already says {strange}; leave it out", strange=", ".join(strange)))
    with sys.stdin.buffer if args.game == "-" else Path(args.game).open("rb") as file:
        data = file.read(LARGEST_GAME_BYTES + 1)  # bounded, since a device file may be endless
    if len(data) > LARGEST_GAME_BYTES:
        return _fail(
            gettext(
                "{game} is too large for a recorded game: {size} MB",
                game=args.game,
                size=LARGEST_GAME_BYTES // 1_000_000,
            )
        )
    game, lost = Game.read(data)
    return _print(args, game.state.sheet, game.alarms, game, lost)


def _print(
    args: argparse.Namespace,
    sheet: ScoreSheet,
    alarms: tuple[Alarm, ...],
    game: Game | None = None,
    lost: LostLine | None = None,
) -> int:
    if args.json:
        print(json.dumps(as_json(sheet, alarms, game, lost), ensure_ascii=False))
    else:
        print("\n".join(as_lines(sheet, alarms, game, lost)))
    # If the bank owes stars, the players have made no mistake.
    wrong = any(alarm.code is not AlarmCode.BANK_OWES for alarm in alarms) or not _balanced(sheet)
    return WRONG if wrong or lost is not None else RIGHT


def as_lines(
    sheet: ScoreSheet, alarms: tuple[Alarm, ...], game: Game | None = None, lost: LostLine | None = None
) -> list[str]:
    """Return the sheet as lines of text, with leaders, balance, the game's phase, and alarms."""
    return [
        *sheet_lines(sheet),
        " ".join([leaders_sentence(sheet), *balance_sentences(sheet), *([standing_sentence(game)] if game else [])]),
        *(f"- {alarm_sentence(alarm, sheet.players)}" for alarm in alarms),
        *([] if lost is None else [f"- {lost_sentence(lost)}"]),
    ]


def as_json(
    sheet: ScoreSheet, alarms: tuple[Alarm, ...], game: Game | None = None, lost: LostLine | None = None
) -> dict[str, object]:
    """Return the sheet as JSON; players are indices from 0, and fractions of points are texts such as "15/2"."""
    document: dict[str, object] = {
        "players": list(sheet.players),
        "rounds": [
            {
                "points": [_number(points) for points in score.points],
                "winners": list(score.winners),
                "zero_sum": score.zero_sum,
            }
            for score in sheet.rounds
        ],
        "totals": [_number(points) for points in sheet.totals],
        "leaders": list(sheet.leaders),
        "balanced": _balanced(sheet),
        "alarms": [
            {
                "code": alarm.code.value,
                "player": alarm.player,
                "tile": None if alarm.tile is None else str(alarm.tile),
                "found": alarm.found,
                "expected": alarm.expected,
            }
            for alarm in alarms
        ],
    }
    if game is not None:
        play = game.state.round
        document["phase"] = game.state.phase.value
        document["pool"] = None if play is None else play.pool
        document["racks"] = None if play is None else [seat.rack for seat in play.seats]
        document["lost_line"] = None if lost is None else lost.number
    return document


def _balanced(sheet: ScoreSheet) -> bool:
    return not sheet.unbalanced_rounds and not sheet.imbalance


def _number(points: Points) -> int | str:
    return str(points) if isinstance(points, Fraction) else points
