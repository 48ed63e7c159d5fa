"""The rules of an edition for players: short chapters in plain words, with examples and quotes of the rulebook.

The sentences are generated from the rules in play, house rules included.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tilekeeper.companion.text.rulebook_examples import EXAMPLES, Example
from tilekeeper.engine.language import gettext, ngettext
from tilekeeper.engine.rules.editions import RULE_SETS, SOURCES
from tilekeeper.engine.rules.policies import JokerSets, OpeningTable, Policy, Regrouping, ReplacedFrom
from tilekeeper.engine.rules.ruleset import RuleSet

RULEBOOK_LANGUAGES = {"finnish": "fi"}
"""The language codes of those rulebooks that are not in German, by edition."""


@dataclass(frozen=True, slots=True)
class Quote:
    """A quote of the rulebook, and the section where it is printed."""

    section: str
    text: str


@dataclass(frozen=True, slots=True)
class Chapter:
    """A chapter: sentences in the current language, quotes in the rulebook's language, and example turns."""

    title: str
    sentences: tuple[str, ...]
    quotes: tuple[Quote, ...]
    examples: tuple[Example, ...]


def chapters(rules: RuleSet) -> tuple[Chapter, ...]:
    """Return the chapters that explain `rules`, in the current language."""
    written = (
        ("goal", gettext("The goal"), _goal(rules)),
        ("melds", gettext("Runs and groups"), _melds(rules)),
        ("opening", gettext("The opening: your first sets"), _opening(rules)),
        ("turn", gettext("A turn"), _turn(rules)),
        ("manipulation", gettext("Changing sets on the table"), _manipulation(rules)),
        ("joker", gettext("Jokers"), _joker(rules)),
        ("ending", gettext("The end of a round"), _ending(rules)),
    )
    examples = EXAMPLES.get(rules.name, {})
    return tuple(
        Chapter(title, tuple(sentences), _quotes(rules, part), examples.get(part, ()))
        for part, title, sentences in written
    )


def rulebook_language(edition: str) -> str:
    """Return the language code of an edition's rulebook."""
    return RULEBOOK_LANGUAGES.get(edition, "de")


def _quotes(rules: RuleSet, part: str) -> tuple[Quote, ...]:
    """Return the rulebook's quotes on a part of the rules, without those on fields changed by house rules."""
    printed = {name: value for name, value, _, _ in RULE_SETS[rules.name].fields()}
    unchanged = [name for name, value, _, _ in rules.fields() if value == printed[name]]
    sources = [SOURCES[rules.name][name] for name in unchanged if name.startswith(f"{part}.")]
    return tuple(dict.fromkeys(Quote(source.section, source.quote) for source in sources if source.quote))


def _goal(rules: RuleSet) -> Iterator[str]:
    if rules.stars is not None:
        yield gettext("Collect the most stars. You get them for the tiles and runs that you lay.")
        return
    yield gettext("Be the first to lay all the tiles of your rack.")


def _melds(rules: RuleSet) -> Iterator[str]:
    least, most, highest = rules.melds.shortest, rules.melds.largest_group, rules.stock.numbers
    yield gettext("A run: {least} or more numbers in a row, all in one colour.", least=least)
    if most is None:
        yield gettext("There are no groups of one number.")
    else:
        yield gettext("A group: the same number in {least} to {most} different colours.", least=least, most=most)
    if rules.melds.wraps:
        yield gettext("In a run, 1 may come after {highest}.", highest=highest)
    else:
        yield gettext("1 is the lowest number. It never comes after {highest}.", highest=highest)


def _opening(rules: RuleSet) -> Iterator[str]:
    opening = rules.opening
    if not opening.minimum_points:
        yield gettext("There is no opening: from your first turn on, lay whatever you can.")
        return
    points = opening.minimum_points
    yield gettext(
        "Your first sets come from your rack alone and count at least {points} points together.", points=points
    )
    if opening.joker_points is None:
        yield gettext("Each tile counts its number. A joker counts as the tile it stands for.")
    else:
        yield gettext("Each tile counts its number. A joker counts {points}.", points=opening.joker_points)
    if not opening.several_sets:
        yield gettext("They make a single set.")
    match opening.table:
        case OpeningTable.LEFT_ALONE:
            yield gettext("In this turn you change nothing that is already on the table.")
        case OpeningTable.FREE_ONCE_OPEN:
            yield gettext("After that you play on in the same turn, as if you had opened before.")


def _turn(rules: RuleSet) -> Iterator[str]:
    turn = rules.turn
    yield ngettext(
        "Lay at least {count} tile from your rack.", "Lay at least {count} tiles from your rack.", turn.least_tiles
    )
    if rules.stars is not None:
        yield gettext("If you can't or don't want to, pay a star and draw a tile.")
    else:
        yield ngettext(
            "If you can't or don't want to, draw {count} tile, and your turn ends.",
            "If you can't or don't want to, draw {count} tiles, and your turn ends.",
            turn.drawn,
        )
    if turn.limit_s is not None:
        yield gettext("You have {seconds} seconds.", seconds=turn.limit_s)
    if rules.penalty.tiles:
        yield ngettext(
            "After a failed turn you draw {count} tile from the pool.",
            "After a failed turn you draw {count} tiles from the pool.",
            rules.penalty.tiles,
        )
    yield gettext("After a failed turn: {what}.", what=_says(rules.penalty.restore))


def _manipulation(rules: RuleSet) -> Iterator[str]:
    manipulation = rules.manipulation
    match manipulation.regrouping:
        case Regrouping.ANY:
            yield gettext(
                "Once you have opened, you may add to everything on the table, split it "
                "and put it together in new ways."
            )
        case Regrouping.EXTEND_ONLY:
            yield gettext("You may add to the sets on the table. You may not change them in any other way.")
    yield gettext("In the end every tile is in a set, and none is left over.")
    if not manipulation.take_back:
        yield gettext("No tile goes from the table back onto a rack.")
    if manipulation.staying_together:
        yield gettext(
            "If you take tiles from a set, {count} of its tiles must stay together as a set.",
            count=manipulation.staying_together,
        )


def _joker(rules: RuleSet) -> Iterator[str]:
    joker = rules.joker
    yield gettext("A joker stands for any tile.")
    if joker.most_in_set is not None:
        yield ngettext("A set has {count} joker at most.", "A set has {count} jokers at most.", joker.most_in_set)
    match joker.sets:
        case JokerSets.LIKE_OTHERS:
            yield gettext("You may change a set with a joker like any other set.")
        case JokerSets.LOCKED:
            yield gettext(
                "You may add to a set with a joker. You may not split it, and you may take only the joker out of it."
            )
        case JokerSets.JOKER_STAYS:
            yield gettext("You may change a set with a joker, but you may take the joker out only when you replace it.")
        case JokerSets.JOKER_MOVES:
            yield gettext("You may also move a joker straight to another run, if a whole run remains.")
    match joker.replaced_from:
        case ReplacedFrom.RACK:
            yield gettext("Replace it with the tile it stands for, from your rack.")
        case ReplacedFrom.ANYWHERE:
            yield gettext("Replace it with the tile it stands for, from your rack or from the table.")
    yield gettext("A joker you free goes {where}.", where=gettext(joker.freed.says))


def _ending(rules: RuleSet) -> Iterator[str]:
    if rules.stars is not None:
        yield gettext("The player who lays the last tile of the rack ends the round.")
        yield gettext("The others pay a star for each tile left on their rack.")
        return
    yield gettext("The player who lays the last tile of the rack calls “Rummikub!”, and the round ends.")
    yield gettext(
        "The others write down the tiles left on their racks as minus points, a joker as {points}. "
        "The winner gets all of them as plus points.",
        points=rules.scoring.joker_points,
    )
    yield gettext("When the pool is empty: {what}.", what=_says(rules.ending.pool_empty))
    if rules.ending.must_lay:
        yield gettext("If you can lay a tile then, you must lay.")


def _says(policy: Policy) -> str:
    return gettext(policy.says)
