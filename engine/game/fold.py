"""The state transitions of a game: apply one event to a state and return the next state.

`begin` makes the first state from the start of the game, and `step` each later state.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final, TypeAlias, assert_never

from tilekeeper.engine.game.events import (
    Dealt,
    Event,
    GameEnded,
    GameStarted,
    LotsDrawn,
    Passed,
    PlayerJoined,
    PlayerLeft,
    PlayerOpened,
    PoolCounted,
    RackCounted,
    RackShown,
    RackSummed,
    RedealClaimed,
    StarterChosen,
    TableCorrected,
    TileDrawn,
    TileFound,
    TileLost,
    TilePointed,
    TileReturned,
    TilesLaid,
    TurnFailed,
    TurnGiven,
)
from tilekeeper.engine.game.incidents import correct_opened, give_turn, join, leave, lose_tile, return_tile
from tilekeeper.engine.game.ledger import AlarmCode, difference
from tilekeeper.engine.game.rounds import (
    begin_round,
    check_player,
    choose_starter,
    claim_redeal,
    count_pool,
    count_rack,
    deal,
    draw_lots,
    settle,
    show_rack,
    sum_rack,
)
from tilekeeper.engine.game.score_sheet import ScoreSheet
from tilekeeper.engine.game.setup import Lots
from tilekeeper.engine.game.stars import most_stars
from tilekeeper.engine.game.state import EventRefused, GameState, Phase, Round
from tilekeeper.engine.game.tile_finding import Finding
from tilekeeper.engine.game.turns import draw, fail, lay, pass_turn
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
    return _begin_finding(state, event) if event.first_acquaintance else begin_round(state)


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
    if state.phase not in _PHASES[type(event)]:
        raise EventRefused(gettext(_REFUSALS[state.phase]))
    match event:
        case StarterChosen():
            return choose_starter(state, event)
        case LotsDrawn():
            return draw_lots(state, event)
        case Dealt():
            return deal(state, event)
        case TilePointed() | TileFound():
            return _find(state, event)
        case TileLost() | TileReturned() | PlayerLeft() | PlayerJoined():
            return _step_with_box_and_players(state, event)
        case _:
            assert state.round is not None  # the phase says so
            return _step_in_round(state, state.round, event)


def _find(state: GameState, event: TilePointed | TileFound) -> GameState:
    """Apply an event of a first-acquaintance game."""
    finding, rules = state.finding, state.rules
    assert finding is not None  # the phase says so
    assert rules.stars is not None  # otherwise `begin` refuses the game
    try:
        if isinstance(event, TilePointed):
            finding = finding.point(event.tile, rules)
        else:
            check_player(state, event.player)
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


def _step_with_box_and_players(
    state: GameState, event: TileLost | TileReturned | PlayerLeft | PlayerJoined
) -> GameState:
    """Apply an event that changes the tiles of the box or the players."""
    match event:
        case TileLost():
            return lose_tile(state, event)
        case TileReturned():
            return return_tile(state, event)
        case PlayerLeft():
            return leave(state, event)
        case PlayerJoined():
            return join(state, event)
        case _ as never:  # pragma: no cover - the type checker proves it
            assert_never(never)


_Turn: TypeAlias = RedealClaimed | TilesLaid | TurnFailed | TileDrawn | Passed | TableCorrected | PoolCounted


def _step_in_round(
    state: GameState, play: Round, event: PlayerOpened | TurnGiven | RackShown | RackSummed | RackCounted | _Turn
) -> GameState:
    """Apply an event that can happen only in a round, after its deal."""
    match event:
        case PlayerOpened():
            return correct_opened(state, play, event)
        case TurnGiven():
            return give_turn(state, play, event)
        case RackShown():
            return show_rack(state, play, event)
        case RackSummed():
            return sum_rack(state, play, event)
        case RackCounted():
            return count_rack(state, play, event)
        case _:
            return settle(_step_in_turn(state, play, event))


def _step_in_turn(state: GameState, play: Round, event: _Turn) -> GameState:
    """Apply an event that can happen only while turns are played."""
    match event:
        case TilesLaid():
            return lay(state, play, event)
        case TurnFailed():
            return fail(state, play, event)
        case TileDrawn():
            return draw(state, play, event)
        case Passed():
            return pass_turn(state, play, event)
        case RedealClaimed():
            return claim_redeal(state, play, event)
        case TableCorrected():
            found, expected = event.table.counts.total(), play.table.counts.total()
            notices = tuple(difference(AlarmCode.TABLE_DIFFERS, found, expected))
            return replace(state, round=replace(play, table=event.table, claim=None), notices=notices)
        case PoolCounted():
            return count_pool(state, play, event)
        case _ as never:  # pragma: no cover - the type checker proves it
            assert_never(never)


_BEFORE_AND_IN_TURNS: Final = (Phase.STARTER, Phase.DEAL, Phase.TURNS)


_PHASES: Final[Mapping[type[Event], tuple[Phase, ...]]] = MappingProxyType(
    {
        StarterChosen: (Phase.STARTER,),
        LotsDrawn: (Phase.STARTER,),
        Dealt: (Phase.DEAL,),
        TilePointed: (Phase.FINDING,),
        TileFound: (Phase.FINDING,),
        TileLost: _BEFORE_AND_IN_TURNS,
        TileReturned: _BEFORE_AND_IN_TURNS,
        PlayerLeft: _BEFORE_AND_IN_TURNS,
        PlayerJoined: (*_BEFORE_AND_IN_TURNS, Phase.RACKS),
        PlayerOpened: (Phase.TURNS,),
        TurnGiven: (Phase.TURNS,),
        RackShown: (Phase.RACKS,),
        RackSummed: (Phase.RACKS,),
        RackCounted: (Phase.TURNS, Phase.RACKS),
        RedealClaimed: (Phase.TURNS,),
        TilesLaid: (Phase.TURNS,),
        TurnFailed: (Phase.TURNS,),
        TileDrawn: (Phase.TURNS,),
        Passed: (Phase.TURNS,),
        TableCorrected: (Phase.TURNS,),
        PoolCounted: (Phase.TURNS,),
    }
)
"""The phases in which each event can happen."""

_REFUSALS: Final = {
    Phase.STARTER: gettext_noop("first find out who begins"),
    Phase.DEAL: gettext_noop("first deal the tiles"),
    Phase.TURNS: gettext_noop("a round is being played"),
    Phase.RACKS: gettext_noop("the round is over; now show the racks"),
    Phase.FINDING: gettext_noop("the players are looking for tiles"),
    Phase.OVER: gettext_noop("the game is over"),
}
"""For each phase, the reason why other events can't happen in it, for `gettext`."""
