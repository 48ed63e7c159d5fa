"""`tilekeeper rules`: lists the editions, or all rules of one edition with their places in its rulebook.

Exit codes: 0 printed, 2 unknown edition, field or value (a message on standard error lists the known ones).
"""

import argparse
import json
import sys

from tilekeeper.companion.cli.rules_options import add_house_option, rules_named
from tilekeeper.companion.text.rules_sheet import markdown, rule_lines
from tilekeeper.engine.language import ENGLISH, gettext, use_language
from tilekeeper.engine.rules.editions import RULE_SETS, SOURCES, TITLES
from tilekeeper.engine.rules.fields import value_text
from tilekeeper.engine.rules.house_rules import changed_fields
from tilekeeper.engine.rules.ruleset import RuleSet

PRINTED, UNREADABLE = 0, 2


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command with its options to the parser of the command line."""
    parser = subparsers.add_parser(
        "rules",
        help=gettext("list the editions, or the rules of one edition"),
        description=gettext("List the editions, or every rule of one edition with its place in the rulebook."),
        allow_abbrev=False,
    )
    parser.add_argument(
        "edition", nargs="?", metavar="EDITION", help=gettext("one of {editions}", editions=", ".join(RULE_SETS))
    )
    add_house_option(parser)
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help=gettext("print one JSON document, for scripts"))
    form.add_argument(
        "--markdown", action="store_true", help=gettext("print all editions side by side, as docs/rules.md")
    )


def run(args: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    if args.edition is None and args.house:
        return _fail(gettext("--house needs an EDITION, whose rules it changes"))
    if args.markdown:
        if args.edition is not None:
            return _fail(gettext("--markdown prints all editions; leave out the EDITION"))
        with use_language(ENGLISH):  # for a page of the docs
            print(markdown(), end="")
        return PRINTED
    if args.edition is None:
        print(json.dumps({"editions": dict(TITLES)}) if args.json else "\n".join(_editions()))
        return PRINTED
    rules = rules_named("rules", "EDITION", args.edition, args.house)
    if rules is None:
        return UNREADABLE
    print(json.dumps(as_json(rules), ensure_ascii=False) if args.json else "\n".join(rule_lines(rules)))
    return PRINTED


def _fail(message: str) -> int:
    print(f"tilekeeper rules: {message}", file=sys.stderr)
    return UNREADABLE


def _editions() -> list[str]:
    width = max(map(len, TITLES))
    return [f"{name:{width}}  {gettext(title)}" for name, title in TITLES.items()]


def as_json(rules: RuleSet) -> dict[str, object]:
    """Return the rules as JSON: each field's value in the form of house rules, its meaning and its source."""
    changed = {text.partition("=")[0] for text in changed_fields(rules, RULE_SETS[rules.name])}
    return {
        "edition": rules.name,
        "rules": [
            {
                "name": name,
                "value": value_text(value),
                "says": says,
                "allowed": str(allowed),
                "source": "house" if name in changed else SOURCES[rules.name][name].kind.name.lower(),
                "section": "" if name in changed else SOURCES[rules.name][name].section,
                "quote": "" if name in changed else SOURCES[rules.name][name].quote,
                "why": "" if name in changed else SOURCES[rules.name][name].why,
            }
            for name, value, allowed, says in rules.fields()
        ],
    }
