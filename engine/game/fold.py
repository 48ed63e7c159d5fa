"""The fold: from a state and one event to the next state."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

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
from tilekeeper.engine.game.incidents import give_turn, join, know_opened, leave, lose_tile, return_tile
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
)
from tilekeeper.engine.game.score_sheet import ScoreSheet
from tilekeeper.engine.game.setup import Lots
from tilekeeper.engine.game.stars import most_stars
from tilekeeper.engine.game.state import EventRefused, GameState, Phase, Round
from tilekeeper.engine.game.tile_finding import Finding
from tilekeeper.engine.game.turns import draw, fail, lay, passes
from tilekeeper.engine.rules.editions import UnknownEdition, rule_set
from tilekeeper.engine.rules.house_rules import HouseRuleError, with_house_rules


def begin(event: GameStarted) -> GameState:
    """The state of a game that has just been started.

    Raises:
        EventRefused: if the edition or a house rule is unknown, or so many can't play it.
    """
    try:
        rules = with_house_rules(rule_set(event.edition), event.house)
    except (UnknownEdition, HouseRuleError) as error:
        raise EventRefused(str(error)) from None
    least, most, count = rules.setup.least_players, rules.setup.most_players, len(event.players)
    if not least <= count <= most:
        raise EventRefused(f"{least} to {most} people can play this, not {count}")
    if len(set(event.players)) < count or not all(event.players):
        raise EventRefused("every player needs a name of their own")
    if event.rounds is not None and event.rounds < 1:
        raise EventRefused("at least one round is played")
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
    if state.rules.stars is None:
        raise EventRefused("the first-acquaintance game is played for stars, and this edition has none")
    if event.leader is not None and not 0 <= event.leader < len(event.players):
        raise EventRefused(f"there is no player {event.leader}: there are {len(event.players)}, from 0")
    finding = Finding.begun(len(event.players), event.leader, state.rules.stars)
    return replace(state, phase=Phase.FINDING, finding=finding)


def step(state: GameState, event: Event) -> GameState:
    """The state after one more event.

    Raises:
        EventRefused: if the event can't have happened as the game stands.
    """
    state = replace(state, notices=())
    match event:
        case GameStarted():
            raise EventRefused("the game has started already")
        case GameEnded():
            if state.phase is Phase.OVER:
                raise EventRefused("the game is over already")
            return replace(state, phase=Phase.OVER)
        case StarterChosen():
            _expect(state, Phase.STARTER)
            return choose_starter(state, event)
        case LotsDrawn():
            _expect(state, Phase.STARTER)
            return draw_lots(state, event)
        case Dealt():
            _expect(state, Phase.DEAL)
            return deal(state, event)
        case TilePointed() | TileFound():
            _expect(state, Phase.FINDING)
            return _find(state, event)
        case TileLost():
            _expect(state, Phase.STARTER, Phase.DEAL, Phase.TURNS)
            return lose_tile(state, event)
        case TileReturned():
            _expect(state, Phase.STARTER, Phase.DEAL, Phase.TURNS)
            return return_tile(state, event)
        case PlayerLeft():
            _expect(state, Phase.STARTER, Phase.DEAL, Phase.TURNS)
            return leave(state, event)
        case PlayerJoined():
            _expect(state, Phase.STARTER, Phase.DEAL, Phase.TURNS, Phase.RACKS)
            return join(state, event)
        case PlayerOpened():
            return know_opened(state, _expect(state, Phase.TURNS), event)
        case TurnGiven():
            return give_turn(state, _expect(state, Phase.TURNS), event)
        case RackShown():
            return show_rack(state, _expect(state, Phase.RACKS), event)
        case RackCounted():
            return count_rack(state, _expect(state, Phase.TURNS, Phase.RACKS), event)
        case _:
            return settle(_step_in_turns(state, _expect(state, Phase.TURNS), event))


def _find(state: GameState, event: TilePointed | TileFound) -> GameState:
    finding, rules = state.finding, state.rules
    assert finding is not None  # the phase says so
    assert rules.stars is not None  # it would not have begun
    try:
        if isinstance(event, TilePointed):
            finding = finding.pointed(event.tile, rules)
        else:
            check_player(state, event.player)
            finding = finding.found(event.player, event.tile, rules, rules.stars)
    except EventRefused:
        raise
    except ValueError as error:
        raise EventRefused(str(error)) from None
    state = replace(state, finding=finding)
    if not finding.is_over(rules):
        return state
    score = most_stars(finding.bank)
    return replace(state, phase=Phase.OVER, sheet=state.sheet.with_round(score))


def _step_in_turns(
    state: GameState,
    play: Round,
    event: RedealClaimed | TilesLaid | TurnFailed | TileDrawn | Passed | TableCorrected | PoolCounted,
) -> GameState:
    match event:
        case TilesLaid():
            return lay(state, play, event)
        case TurnFailed():
            return fail(state, play, event)
        case TileDrawn():
            return draw(state, play, event)
        case Passed():
            return passes(state, play, event)
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


def _expect(state: GameState, *phases: Phase) -> Round:
    """The round, if the game is where the event can happen."""
    if state.phase not in phases:
        raise EventRefused(_WAITS[state.phase])
    return state.round  # type: ignore[return-value]  # there is one where turns are played or racks are shown


_WAITS = {
    Phase.STARTER: "it is to be found out first who begins",
    Phase.DEAL: "the tiles are to be dealt first",
    Phase.TURNS: "a round is being played",
    Phase.RACKS: "the round is over, and the racks are to be shown",
    Phase.FINDING: "tiles are being searched for",
    Phase.OVER: "the game is over",
}
