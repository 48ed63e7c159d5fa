"""The state transitions of a game: apply one event to a state and return the next state.

`begin` makes the first state from the start of the game, and `step` each later state.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from tilekeeper.engine.game import events, incidents, rounds, turns
from tilekeeper.engine.game.events import Event, GameEnded, GameStarted, TableCorrected, TileFound, TilePointed
from tilekeeper.engine.game.ledger import AlarmCode, difference
from tilekeeper.engine.game.score_sheet import ScoreSheet
from tilekeeper.engine.game.setup import Lots
from tilekeeper.engine.game.stars import most_stars
from tilekeeper.engine.game.state import EventRefused, GameState, Phase, Round
from tilekeeper.engine.game.tile_finding import Finding
from tilekeeper.engine.language import gettext, gettext_noop
from tilekeeper.engine.rules.editions import UnknownEdition, rule_set
from tilekeeper.engine.rules.house_rules import HouseRuleError, with_house_rules


def begin(event: GameStarted) -> GameState:
    """Return the state of a game that has just started.

    Raises:
        EventRefused: if the edition or a house rule is unknown, or the number or names of the players are wrong.
    """
    try:
        rules = with_house_rules(rule_set(event.edition), event.house)
    except (UnknownEdition, HouseRuleError) as error:
        raise EventRefused(str(error)) from None
    least, most, count = rules.setup.least_players, rules.setup.most_players, len(event.players)
    if not least <= count <= most:
        raise EventRefused(
            gettext("{least} to {most} people can play this, not {count}", least=least, most=most, count=count)
        )
    if len(set(event.players)) < count or not all(event.players):
        raise EventRefused(gettext("every player needs a name of their own"))
    if event.rounds is not None and event.rounds < 1:
        raise EventRefused(gettext("a game has at least one round"))
    state = GameState(
        rules=rules,
        players=event.players,
        rounds_agreed=event.rounds,
        phase=Phase.STARTER,
        lots=Lots(()),
        starter=None,
        round=None,
        sheet=ScoreSheet(event.players, rules.scoring.totals),
        redeal=None,
        finding=None,
        notices=(),
    )
    return _begin_finding(state, event) if event.first_acquaintance else rounds.begin_round(state)


def _begin_finding(state: GameState, event: GameStarted) -> GameState:
    """Return the state at the start of a first-acquaintance game.

    Raises:
        EventRefused: if the edition has no stars, or there is no such leader.
    """
    if state.rules.stars is None:
        raise EventRefused(gettext("the first game is played for stars, and this box has none"))
    if event.leader is not None and not 0 <= event.leader < len(event.players):
        raise EventRefused(
            gettext(
                "there is no player {leader}: the {count} players are numbered from 0",
                leader=event.leader,
                count=len(event.players),
            )
        )
    finding = Finding.begin(len(event.players), event.leader, state.rules.stars)
    return replace(state, phase=Phase.FINDING, finding=finding)


def step(state: GameState, event: Event) -> GameState:
    """Return the state after one more event.

    Raises:
        EventRefused: if the event can't happen in this state.
    """
    state = replace(state, notices=())
    if isinstance(event, GameStarted):
        raise EventRefused(gettext("the game has already started"))
    if isinstance(event, GameEnded):
        if state.phase is Phase.OVER:
            raise EventRefused(gettext("the game is already over"))
        return replace(state, phase=Phase.OVER)
    phases, apply = _STEPS[type(event)]
    if state.phase not in phases:
        raise EventRefused(gettext(_REFUSALS[state.phase]))
    return apply(state, event)


def _find(state: GameState, event: TilePointed | TileFound) -> GameState:
    """Apply an event of a first-acquaintance game."""
    finding, rules = state.finding, state.rules
    assert finding is not None  # the phase says so
    assert rules.stars is not None  # otherwise `begin` refuses the game
    try:
        if isinstance(event, TilePointed):
            finding = finding.point(event.tile, rules)
        else:
            rounds.check_player(state, event.player)
            finding = finding.find(event.player, event.tile, rules, rules.stars)
    except EventRefused:
        raise
    except ValueError as error:
        raise EventRefused(str(error)) from None
    state = replace(state, finding=finding)
    if not finding.is_over(rules):
        return state
    score = most_stars(finding.bank)
    return replace(state, phase=Phase.OVER, sheet=state.sheet.with_round(score))


def _correct_table(state: GameState, play: Round, event: TableCorrected) -> GameState:
    found, expected = event.table.counts.total(), play.table.counts.total()
    notices = tuple(difference(AlarmCode.TABLE_DIFFERS, found, expected))
    return replace(state, round=replace(play, table=event.table, claim=None), notices=notices)


_Apply: TypeAlias = Callable[[GameState, Any], GameState]


def _in_round(apply: Callable[[GameState, Round, Any], GameState]) -> _Apply:
    """Return a step that needs a round, and scores it once it is over and every rack is known."""

    def apply_and_settle(state: GameState, event: Event) -> GameState:
        assert state.round is not None  # the phase says so
        return rounds.settle(apply(state, state.round, event))

    return apply_and_settle


_BEFORE_AND_IN_TURNS: Final = (Phase.STARTER, Phase.DEAL, Phase.TURNS)

_TURNS: Final = (Phase.TURNS,)
_RACKS: Final = (Phase.RACKS,)
_STEPS: Final[Mapping[type[Event], tuple[tuple[Phase, ...], _Apply]]] = MappingProxyType(
    {
        events.StarterChosen: ((Phase.STARTER,), rounds.choose_starter),
        events.LotsDrawn: ((Phase.STARTER,), rounds.draw_lots),
        events.Dealt: ((Phase.DEAL,), rounds.deal),
        TilePointed: ((Phase.FINDING,), _find),
        TileFound: ((Phase.FINDING,), _find),
        events.TileLost: (_BEFORE_AND_IN_TURNS, incidents.lose_tile),
        events.TileReturned: (_BEFORE_AND_IN_TURNS, incidents.return_tile),
        events.PlayerLeft: (_BEFORE_AND_IN_TURNS, incidents.leave),
        events.PlayerJoined: ((*_BEFORE_AND_IN_TURNS, Phase.RACKS), incidents.join),
        events.PlayerOpened: (_TURNS, _in_round(incidents.correct_opened)),
        events.TurnGiven: (_TURNS, _in_round(incidents.give_turn)),
        events.RackShown: (_RACKS, _in_round(rounds.show_rack)),
        events.RackSummed: (_RACKS, _in_round(rounds.sum_rack)),
        events.RackCounted: ((*_TURNS, *_RACKS), _in_round(rounds.count_rack)),
        events.RedealClaimed: (_TURNS, _in_round(rounds.claim_redeal)),
        events.TilesLaid: (_TURNS, _in_round(turns.lay)),
        events.TurnFailed: (_TURNS, _in_round(turns.fail)),
        events.TileDrawn: (_TURNS, _in_round(turns.draw)),
        events.Passed: (_TURNS, _in_round(turns.pass_turn)),
        TableCorrected: (_TURNS, _in_round(_correct_table)),
        events.PoolCounted: (_TURNS, _in_round(rounds.count_pool)),
    }
)
"""For each event the phases in which it can happen, and its effect."""

_REFUSALS: Final = {
    Phase.STARTER: gettext_noop("first find out who begins"),
    Phase.DEAL: gettext_noop("first deal the tiles"),
    Phase.TURNS: gettext_noop("a round is being played"),
    Phase.RACKS: gettext_noop("the round is over; now show the racks"),
    Phase.FINDING: gettext_noop("the players are looking for tiles"),
    Phase.OVER: gettext_noop("the game is over"),
}
"""For each phase, the reason why other events can't happen in it, for `gettext`."""
