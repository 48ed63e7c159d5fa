"""`tilekeeper arrange`: arranges a table's tiles in valid melds, or finds the turn that lays the most of a rack.

Exit codes: 0 success; 1 the tiles can't be arranged, or nothing can be laid; 2 wrong notation or options (a message on
standard error points at the place).
"""

import argparse
import json
import sys

from tilekeeper.companion.cli.rules_options import add_rules_options, rules_named
from tilekeeper.engine.judge.faults import stock_faults
from tilekeeper.engine.judge.sentences import sentence
from tilekeeper.engine.language import gettext, gettext_noop
from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.engine.rules.violations import Side, Violation
from tilekeeper.engine.solver.arrange import Arrangement, arrange
from tilekeeper.engine.solver.best_play import Aim, PlayResult, find_best_play
from tilekeeper.engine.solver.exact_cover import SearchTooLarge
from tilekeeper.engine.tiles.errors import NotationError
from tilekeeper.engine.tiles.notation import parse_table, point_at
from tilekeeper.engine.tiles.table import Place, Table

DONE, NOT_DONE, UNREADABLE = 0, 1, 2

_NOTATION = gettext_noop("""\
A table is one line: melds separated by ' | ', tiles by a space. A tile is a colour letter (K black, B blue, O orange,
R red, Y yellow) and a number, J is a joker. An empty table is ''. A rack is written in the same way.

Exit code: 0 all tiles arranged or something can be laid, 1 not, 2 notation or options not understood.""")


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command with its options to the parser of the command line."""
    parser = subparsers.add_parser(
        "arrange",
        help=gettext("arrange a table, or find the turn that lays the most tiles of a rack"),
        description=gettext(
            "Arrange all tiles of a table in valid sets with as few moves as possible; with a rack, find the allowed "
            "turn that lays the most of its tiles."
        ),
        epilog=gettext(_NOTATION),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add_rules_options(parser)
    parser.add_argument("table", metavar="TABLE", help=gettext("the table now"))
    parser.add_argument("--rack", metavar="TILES", help=gettext("the tiles of a player"))
    parser.add_argument("--opened", action="store_true", help=gettext("the player opened in an earlier turn"))
    parser.add_argument(
        "--aim",
        choices=[aim.value for aim in Aim],
        default=Aim.TILES.value,
        help=gettext("lay the most tiles, or the most points (default: %(default)s)"),
    )
    parser.add_argument("--json", action="store_true", help=gettext("print one JSON document, for scripts"))


def run(args: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    rules = rules_named("arrange", "--rules", args.rules, args.house)
    if rules is None:
        return UNREADABLE
    tables = []
    for option, text in (("TABLE", args.table), ("--rack", args.rack or "")):
        try:
            tables.append(parse_table(text))
        except NotationError as error:
            where = "\n".join(f"  {line}" for line in point_at(text, error.position).splitlines())
            print(f"tilekeeper arrange: {option}: {error}\n{where}", file=sys.stderr)
            return UNREADABLE
    table, rack = tables
    everything = Table((*table.melds, *rack.melds))
    misread = tuple(stock_faults(everything, everything.counts, Side.AFTER, rules))
    try:
        if args.rack is not None:
            tiles = [tile for meld in rack.melds for tile in meld]
            result = find_best_play(table, tiles, TurnContext(rules, args.opened), Aim(args.aim))
            document, text, done = play_as_json(result), str(result), result.play is not None
        else:
            arrangement = arrange(table, rules)
            document, text, done = as_json(arrangement), str(arrangement), arrangement.complete
    except SearchTooLarge:
        print("tilekeeper arrange: " + gettext("there are too many ways to check them all"), file=sys.stderr)
        return NOT_DONE
    if args.json:
        print(json.dumps({**document, **_misread_json(misread, everything)}))
    else:
        print("\n".join([text, *(f"- {sentence(fault, everything, everything)}" for fault in misread)]))
    return DONE if done else NOT_DONE


def _misread_json(misread: tuple[Violation, ...], everything: Table) -> dict[str, object]:
    """Return the entry `misread`: the tiles of which the edition has fewer than are there; empty without such tiles."""
    if not misread:
        return {}
    return {
        "misread": [
            {"code": fault.code.value, "tiles": [str(everything.tile_at(place)) for place in fault.tiles]}
            for fault in misread
        ]
    }


def as_json(arrangement: Arrangement) -> dict[str, object]:
    """Return the arrangement as JSON; a place is the index of a meld and the position in the meld, both from 0."""
    return {
        "complete": arrangement.complete,
        "table": str(arrangement.table),
        "left": [str(tile) for tile in arrangement.left],
        "moves": [
            {"tile": str(move.tile), "from": _as_pair(move.origin), "to": _as_pair(move.goal)}
            for move in arrangement.moves
        ],
        "proved": arrangement.proved,
    }


def _as_pair(place: Place | None) -> list[int] | None:
    return None if place is None else [place.meld, place.position]


def play_as_json(result: PlayResult) -> dict[str, object]:
    """Return the best play as JSON; without a play, `proved` says whether it is proved that nothing can be laid."""
    play = result.play
    if play is None:
        return {"laid": [], "points": None, "opens": None, "table": None, "proved": result.proved}
    return {
        "laid": [str(tile) for tile in play.laid],
        "points": play.points,
        "opens": play.opens,
        "table": str(play.after),
        "proved": play.proved,
    }
