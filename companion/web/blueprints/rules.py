"""The rules in words for players: of the edition in play with its house rules, or of another edition."""

from functools import lru_cache

from flask import Blueprint, Response, jsonify, request
from werkzeug.exceptions import BadRequest

from tilekeeper.companion.text.boxes import plays_with_cards
from tilekeeper.companion.text.names import edition_words
from tilekeeper.companion.text.rulebook import chapters, rulebook_language
from tilekeeper.companion.text.rulebook_examples import Example
from tilekeeper.companion.web.api.actions import table_state
from tilekeeper.companion.web.api.endpoint import described
from tilekeeper.companion.web.api.languages import asked_language, words_of
from tilekeeper.companion.web.schemas.rules import ExampleJson, RulesJson
from tilekeeper.companion.web.schemas.tiles import PartJson, TileJson, melds_json
from tilekeeper.engine.game.stars import turn_stars
from tilekeeper.engine.judge.judge import judge_once
from tilekeeper.engine.judge.sentences import sentence_parts
from tilekeeper.engine.rules.editions import RULE_SETS, UnknownEdition, rule_set
from tilekeeper.engine.rules.house_rules import changed_fields
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.rules.turn_context import TurnContext

blueprint = Blueprint("rules", __name__)


@blueprint.get("/api/rules")
@described(RulesJson, query={"edition": "the edition, by its key; without it the rules on the table"})
def rules() -> Response:
    """The rules of an edition in plain words, with example turns that are judged by these rules."""
    key = request.args.get("edition")
    try:
        chosen = table_state().activity.rules if key is None else rule_set(key)
    except UnknownEdition as error:
        raise BadRequest(str(error)) from None
    with words_of(plays_with_cards(chosen)):
        return jsonify(_rules_json(chosen, asked_language()))


@lru_cache(maxsize=16)
def _rules_json(rules: RuleSet, _language: str) -> RulesJson:
    """Return the rules in the current language; kept, since all examples are judged for it."""
    return {
        "name": edition_words(rules.name),
        "house": list(changed_fields(rules, RULE_SETS[rules.name])),
        "language": rulebook_language(rules.name),
        "chapters": [
            {
                "title": chapter.title,
                "says": list(chapter.sentences),
                "quotes": [{"section": quote.section, "text": quote.text} for quote in chapter.quotes],
                "examples": [_example_json(example, rules) for example in chapter.examples],
            }
            for chapter in chapters(rules)
        ],
    }


def _example_json(example: Example, rules: RuleSet) -> ExampleJson:
    before, after = example.tables
    verdict = judge_once(before, after, TurnContext(rules, example.opened))
    return {
        "says": example.says,
        "printed": example.printed,
        "before": melds_json(before),
        "after": melds_json(after),
        "placed": [TileJson.from_tile(tile) for tile in verdict.placed],
        "legal": verdict.legal,
        "stars": None if rules.stars is None or not verdict.legal else turn_stars(verdict, False, rules.stars),
        "why": PartJson.from_parts(sentence_parts(verdict.violations[0], before, after)) if verdict.violations else [],
    }
