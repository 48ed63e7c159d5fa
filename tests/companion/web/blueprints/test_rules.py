"""Editions and house rules in the API."""

from tilekeeper.companion.text.names import edition_words
from tilekeeper.companion.web import openapi
from tilekeeper.companion.web.blueprints import rules as rules_module
from tilekeeper.engine.rules.editions import RULE_SETS


def test_editions_list_the_rules_that_house_rules_can_change(by_hand):
    editions = by_hand.get("/api/editions")["editions"]
    assert [one["edition"]["key"] for one in editions] == list(RULE_SETS)
    # the same names as on the page of photos and in the history
    assert [one["edition"]["name"] for one in editions] == [edition_words(one["edition"]["key"]) for one in editions]
    assert editions[0]["edition"]["name"] == "Standard box"
    rules = {rule["name"]: rule["allowed"] for rule in editions[0]["rules"]}
    points = rules["opening.minimum_points"]
    assert (points["kind"], points["least"], points["most"], points["none"]) == ("number", 0, 300, False)
    assert rules["turn.limit_s"]["none"] is True
    assert {rule["kind"] for rule in rules.values()} == {"number", "truth", "choice"}
    choices = rules["ending.pool_empty"]["choices"]
    assert "all-pass" in [choice["value"] for choice in choices]
    assert all(choice["says"] for choice in choices)


def test_what_never_changes_is_made_once(by_hand, monkeypatch):
    """A tablet that asks again and again takes no time from the others."""
    german = by_hand.get("/api/rules?edition=travel&language=de")
    rules, document = by_hand.get("/api/rules?edition=travel"), by_hand.get("/api/openapi.json")
    assert german != rules
    monkeypatch.setattr(rules_module, "judge_once", None)
    monkeypatch.setattr(openapi, "document", None)
    assert by_hand.get("/api/rules?edition=travel") == rules
    assert by_hand.get("/api/openapi.json") == document
