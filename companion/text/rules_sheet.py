"""The fields of the rules as text: lines for one edition, and a page that compares all editions."""

from collections.abc import Iterator

from tilekeeper.engine.language import gettext
from tilekeeper.engine.rules.editions import RULE_SETS, SOURCES, TITLES
from tilekeeper.engine.rules.editions.sources import Source, SourceKind
from tilekeeper.engine.rules.fields import Choice, Truth, value_text
from tilekeeper.engine.rules.ruleset import RuleSet

COMMAND = "tilekeeper rules --markdown"
RULING_MARK, ABSENT_MARK = "†", "–"


def rule_lines(rules: RuleSet) -> Iterator[str]:
    """Yield lines for the rules of an edition: its title, then two lines for each field: its value, and its source."""
    printed = {name: value for name, value, _, _ in RULE_SETS[rules.name].fields()}
    yield f"{rules.name}: {gettext(TITLES[rules.name])}"
    for name, value, _, says in rules.fields():
        yield f"{name} = {value_text(value)}   {gettext(says)}"
        if value == printed[name]:
            yield f"    {source_words(SOURCES[rules.name][name])}"
        else:
            yield "    " + gettext("house rule; the edition has {value}", value=value_text(printed[name]))


def source_words(source: Source) -> str:
    """Return the source of a value in words: the rulebook's section and quote, or our reason."""
    printed = f"{source.section}: »{source.quote}«" if source.quote else ""
    match source.kind:
        case SourceKind.PRINTED:
            return f"{printed} ({gettext(source.why)})" if source.why else printed
        case SourceKind.RULING:
            return gettext("ruling: {why}", why=gettext(source.why)) + (f" ({printed})" if printed else "")
        case SourceKind.ABSENT:
            return gettext("not in this edition: {why}", why=gettext(source.why))


def markdown() -> str:
    """Return the text of `docs/rules.md`: each field's meaning, its value in each edition, and its allowed values."""
    return "\n".join(_page()) + "\n"


def _page() -> Iterator[str]:
    yield "# The rules, edition by edition"
    yield ""
    yield f"Generated from `engine/rules/editions/` by `{COMMAND} > docs/rules.md`; a test holds it to the data."
    yield ""
    yield (
        f"`{RULING_MARK}` marks a *ruling*: the rulebook is silent, unclear or contradicts itself, and this is our "
        f"default. `{ABSENT_MARK}` marks what the edition does not have. `tilekeeper rules travel` prints for one "
        "edition where each value stands in its rulebook. A house rule changes any field: "
        "`--house opening.minimum_points=50`."
    )
    yield ""
    yield from (f"* `{name}`: {title}" for name, title in TITLES.items())
    rows = {name: (allowed, says) for rules in RULE_SETS.values() for name, _, allowed, says in rules.fields()}
    part = ""
    for name, (_, says) in rows.items():
        if name.split(".")[0] != part:
            part = name.split(".")[0]
            yield from _head(part)
        values = " | ".join(_value(rules, name) for rules in RULE_SETS.values())
        yield f"| `{name}`: {says} | {values} |"
    yield ""
    yield "## Allowed values"
    yield ""
    yield "Every other field is yes or no."
    yield ""
    for name, (allowed, _) in rows.items():
        if isinstance(allowed, Truth):
            continue
        yield f"* `{name}`: {allowed}"
        if isinstance(allowed, Choice):
            yield from (f"    * `{member.value}`: {member.says}" for member in allowed.policy)


def _head(part: str) -> Iterator[str]:
    yield ""
    yield f"## {part.capitalize()}"
    yield ""
    yield f"| | {' | '.join(f'`{name}`' for name in RULE_SETS)} |"
    yield f"|---|{'---|' * len(RULE_SETS)}"


def _value(rules: RuleSet, name: str) -> str:
    values = {field: value for field, value, _, _ in rules.fields()}
    if name not in values:
        return ABSENT_MARK
    match SOURCES[rules.name][name].kind:
        case SourceKind.PRINTED:
            return value_text(values[name])
        case SourceKind.RULING:
            return f"{value_text(values[name])} {RULING_MARK}"
        case SourceKind.ABSENT:
            return f"{value_text(values[name])} {ABSENT_MARK}"
