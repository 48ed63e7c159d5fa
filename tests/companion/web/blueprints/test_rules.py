"""Editions and house rules in the API."""

from tilekeeper.companion.text.names import edition_words
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
