"""The buttons of a game night: one class each, with its own URL and a checked body."""

import pytest
from pydantic import ValidationError

from tilekeeper.companion.game_night.commands import ACTIONS
from tilekeeper.companion.game_night.commands.incidents import BegunAlready
from tilekeeper.companion.game_night.commands.rounds import ChooseStarter
from tilekeeper.companion.game_night.permissions import _GOING_ON


def test_each_button_has_its_own_url_and_description(hand_app) -> None:
    urls = {rule.rule for rule in hand_app.url_map.iter_rules() if "POST" in (rule.methods or ())}
    paths = [action.path for action in ACTIONS]
    assert len(set(paths)) == len(paths) > 30
    assert {f"/api/evening/{path}" for path in paths} <= urls
    assert all(action.__doc__ for action in ACTIONS)


def test_actions_that_a_halted_table_refuses_are_buttons() -> None:
    assert {action.path for action in ACTIONS} >= _GOING_ON


def test_offered_buttons_exist(by_hand) -> None:
    """Each button that a page may press has a URL, from the first question to the end."""
    offered = {*by_hand.begin()["may"]}
    offered |= {*by_hand.act("starter", player=0, overruled=True)["may"]}
    offered |= {*by_hand.act("deal")["may"]}
    offered |= {*by_hand.act("done", table="R1 R2")["may"]}
    offered |= {*by_hand.act("stand")["may"]}
    offered |= {*by_hand.act("restored")["may"]}
    assert offered >= {"starter", "deal", "done", "stand", "restored", "undo"}
    assert offered <= {action.path for action in ACTIONS}


@pytest.mark.parametrize(
    ("action", "sent"),
    [
        (ChooseStarter, '{"player": 0, "name": "Ada"}'),
        (ChooseStarter, '{"player": "0"}'),
        (ChooseStarter, '{"player": 8}'),
        (ChooseStarter, "{}"),
        (BegunAlready, '{"racks": [{"player": 0, "tiles": 0}]}'),
    ],
)
def test_body_with_unknown_fields_or_types_is_refused(action, sent) -> None:
    with pytest.raises(ValidationError):
        action.model_validate_json(sent)
