"""The options `--rules` and `--house` of several commands, and the rules that they select."""

import argparse
import sys

from tilekeeper.engine.language import gettext
from tilekeeper.engine.rules.editions import DEFAULT_EDITION, RULE_SETS, UnknownEdition, rule_set
from tilekeeper.engine.rules.house_rules import HouseRuleError, with_house_rules
from tilekeeper.engine.rules.ruleset import RuleSet


def add_rules_options(parser: argparse.ArgumentParser) -> None:
    """Add the option `--rules EDITION` and any number of `--house FIELD=VALUE`."""
    parser.add_argument(
        "--rules",
        metavar="EDITION",
        default=DEFAULT_EDITION,
        help=gettext("the edition in play: {editions} (default: %(default)s)", editions=", ".join(RULE_SETS)),
    )
    add_house_option(parser)


def add_house_option(parser: argparse.ArgumentParser) -> None:
    """Add any number of options `--house FIELD=VALUE`."""
    parser.add_argument(
        "--house",
        metavar="FIELD=VALUE",
        action="append",
        default=[],
        help=gettext(
            "a house rule, such as opening.minimum_points=50; may be repeated ('tilekeeper rules' lists the fields)"
        ),
    )


def rules_named(command: str, option: str, edition: str, house: list[str]) -> RuleSet | None:
    """Return the selected rules; for wrong values print a message to standard error and return None.

    Args:
        command: the name of the command, for the message.
        option: the option or argument that names the edition, for the message.
        edition: the edition's name.
        house: house rules as they were typed.
    """
    try:
        return with_house_rules(rule_set(edition), house)
    except UnknownEdition as error:
        print(f"tilekeeper {command}: {option}: {error}", file=sys.stderr)
    except HouseRuleError as error:
        print(f"tilekeeper {command}: --house: {error}", file=sys.stderr)
    return None
