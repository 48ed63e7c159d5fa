"""`tilekeeper judge`: judges the turn between two tables in notation.

Exit codes: 0 legal, 1 illegal, 2 wrong notation or options (a message on standard error points at the place), 3
undecided: the players decide.
"""

import argparse
import json
import sys
from collections.abc import Iterable

from tilekeeper.companion.cli.rules_options import add_rules_options, rules_named
from tilekeeper.engine.judge.judge import judge
from tilekeeper.engine.judge.verdict import Outcome, Verdict
from tilekeeper.engine.language import gettext, gettext_noop
from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.engine.rules.violations import Violation
from tilekeeper.engine.solver.explanation import explain
from tilekeeper.engine.tiles.errors import NotationError
from tilekeeper.engine.tiles.notation import parse_table, point_at

UNREADABLE = 2
EXIT_CODES = {Outcome.LEGAL: 0, Outcome.ILLEGAL: 1, Outcome.UNDECIDED: 3}

_NOTATION = gettext_noop("""\
A table is one line: melds separated by ' | ', tiles by a space. A tile is a colour letter (K black, B blue, O orange,
R red, Y yellow) and a number, J is a joker. An empty table is ''.

Exit code: 0 allowed, 1 not allowed, 2 notation or options not understood, 3 undecided.""")


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command with its options to the parser of the command line."""
    parser = subparsers.add_parser(
        "judge",
        help=gettext("judge a turn from the table before it and the table after it"),
        description=gettext("Judge a turn from the table before it and the table after it."),
        epilog=gettext(_NOTATION),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add_rules_options(parser)
    parser.add_argument("--before", metavar="TABLE", required=True, help=gettext("the table before the turn"))
    parser.add_argument("--after", metavar="TABLE", required=True, help=gettext("the table after the turn"))
    parser.add_argument("--opened", action="store_true", help=gettext("the player opened in an earlier turn"))
    parser.add_argument("--explain", action="store_true", help=gettext("also say in words what happened in the turn"))
    parser.add_argument("--json", action="store_true", help=gettext("print one JSON document, for scripts"))


def run(args: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    rules = rules_named("judge", "--rules", args.rules, args.house)
    if rules is None:
        return UNREADABLE
    tables = []
    for option, text in (("--before", args.before), ("--after", args.after)):
        try:
            tables.append(parse_table(text))
        except NotationError as error:
            where = "\n".join(f"  {line}" for line in point_at(text, error.position).splitlines())
            print(f"tilekeeper judge: {option}: {error}\n{where}", file=sys.stderr)
            return UNREADABLE
    before, after = tables
    context = TurnContext(rules, opened=args.opened)
    verdict = judge(before, after, context)
    explanation = explain(before, after, context) if args.explain else None
    if args.json:
        explained = {"explained": str(explanation), **stand_ins_json(verdict)} if explanation is not None else {}
        print(json.dumps({**as_json(verdict), **explained}))
    else:
        print(verdict)
        if explanation is not None:
            print(gettext("In words: {explanation}.", explanation=explanation))
    return EXIT_CODES[verdict.outcome]


def as_json(verdict: Verdict) -> dict[str, object]:
    """Return the verdict as JSON; a violation's melds are indices, from 0, into the table that its `side` names.

    `"outcome"` is `legal`, `illegal` or `undecided`. `"proved"` (false) exists only if the judge could not check
    everything, `"fewest_replaced"` (false) only if the turn may have replaced fewer jokers and so may earn more
    stars, and `"standing"` (in the form of violations) only if melds were illegal before the turn.
    """

    def faults(found: Iterable[Violation]) -> list[dict[str, object]]:
        return [
            {
                "code": violation.code.value,
                "side": violation.side.value,
                "melds": list(violation.melds),
                "tiles": [str(tile) for tile in verdict.tiles_of(violation)],
            }
            for violation in found
        ]

    return {
        "outcome": verdict.outcome.value,
        "legal": verdict.legal,
        "violations": faults(verdict.violations),
        "placed": [str(tile) for tile in verdict.placed],
        "points": verdict.points,
        "opens": verdict.opens,
        **({} if verdict.proved else {"proved": False}),
        **({} if verdict.fewest_replaced else {"fewest_replaced": False}),
        **({"standing": faults(verdict.standing)} if verdict.standing else {}),
    }


def stand_ins_json(verdict: Verdict) -> dict[str, object]:
    """Return as JSON which tiles the jokers stand for in the reading with the most points.

    `at` has the index of the meld and the position in it, both from 0.
    """
    return {
        "stand_ins": [
            {"at": [stand_in.place.meld, stand_in.place.position], "tile": str(stand_in.tile)}
            for stand_in in verdict.stand_ins
        ]
    }
