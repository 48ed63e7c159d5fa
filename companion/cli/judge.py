"""`tilekeeper judge`: says of two tables in notation whether the turn between them was legal.

Exit codes: 0 legal, 1 illegal, 2 the notation or the options could not be understood (one message on standard error
points at the place).
"""

import argparse
import json
import sys

from tilekeeper.companion.cli.rules_options import add_rules_options, rules_named
from tilekeeper.companion.text.explanations import turn_words
from tilekeeper.companion.text.verdicts import caveats, sentence, stand_in_sentences, summary
from tilekeeper.engine.judge.judge import TurnContext, judge
from tilekeeper.engine.judge.verdict import Verdict
from tilekeeper.engine.rules.violations import Side
from tilekeeper.engine.solver.explanation import explain
from tilekeeper.engine.tiles.notation import NotationError, parse_table, point_at
from tilekeeper.engine.tiles.table import Table

LEGAL, ILLEGAL, UNREADABLE = 0, 1, 2

_NOTATION = """\
A table is one line: melds parted by ' | ', tiles by a space. A tile is a colour letter (K black, B blue, O orange,
R red, Y yellow) and a number, J is a joker. An empty table is ''.

Exit code: 0 legal, 1 illegal, 2 notation or options not understood."""


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Describe the command's options."""
    parser = subparsers.add_parser(
        "judge",
        help="judge a turn from the table before it and the table after it",
        description="Judge a turn from the table before it and the table after it.",
        epilog=_NOTATION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add_rules_options(parser)
    parser.add_argument("--before", metavar="TABLE", required=True, help="the table before the turn")
    parser.add_argument("--after", metavar="TABLE", required=True, help="the table after the turn")
    parser.add_argument("--opened", action="store_true", help="the player opened in an earlier turn")
    parser.add_argument("--explain", action="store_true", help="say in words, too, what happened in the turn")
    parser.add_argument("--json", action="store_true", help="print one JSON document, for scripts")


def run(args: argparse.Namespace) -> int:
    """Judge the turn that `args` describes, print the verdict, and return the exit code that says it."""
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
    verdict = judge(before, after, TurnContext(rules, opened=args.opened))
    told = turn_words(explain(before, after, rules), before, after, rules) if args.explain else None
    if args.json:
        document = as_json(verdict, before, after)
        print(json.dumps(document if told is None else {**document, "explained": told, **stand_ins_json(verdict)}))
    else:
        print("\n".join([*as_lines(verdict, before, after), *([f"In words: {told}."] if told is not None else [])]))
    return LEGAL if verdict.legal else ILLEGAL


def as_json(verdict: Verdict, before: Table, after: Table) -> dict[str, object]:
    """The verdict for scripts; a violation's melds are indices, from 0, into the table that its `side` names.

    `"proved": false` is there only where the judge could not look into everything.
    """
    tables = {Side.BEFORE: before, Side.AFTER: after}
    return {
        "legal": verdict.legal,
        "violations": [
            {
                "code": violation.code.value,
                "side": violation.side.value,
                "melds": list(violation.melds),
                "tiles": [str(tables[violation.side].tile_at(place)) for place in violation.tiles],
            }
            for violation in verdict.violations
        ],
        "placed": [str(tile) for tile in verdict.placed],
        "points": verdict.points,
        "opens": verdict.opens,
        **({} if verdict.proved else {"proved": False}),
    }


def stand_ins_json(verdict: Verdict) -> dict[str, object]:
    """What the jokers stand for in the reading that is worth most; places are a meld and a position, both from 0."""
    return {
        "stand_ins": [
            {"at": [stand_in.place.meld, stand_in.place.position], "tile": str(stand_in.tile)}
            for stand_in in verdict.stand_ins
        ]
    }


def as_lines(verdict: Verdict, before: Table, after: Table) -> list[str]:
    """The verdict for people: one line, a sentence for each violation, and one for what each joker stands for.

    Where the judge could not look into everything a line says so.
    """
    faults = (f"- {sentence(violation, before, after)}" for violation in verdict.violations)
    return [summary(verdict), *faults, *caveats(verdict), *stand_in_sentences(verdict, after)]
