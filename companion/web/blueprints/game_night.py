"""The buttons of an evening: each is an action that is taken only if the page was up to date."""

from functools import partial

from flask import Blueprint, Response, jsonify

from tilekeeper.companion.adjudication.turn import Case
from tilekeeper.companion.game_night.commands import clock, corrections, failed_turn, incidents, rounds, turns
from tilekeeper.companion.session.commands import playing
from tilekeeper.companion.web.api.actions import act, table_state
from tilekeeper.companion.web.api.endpoint import described
from tilekeeper.companion.web.blueprints.game_nights import settings_with
from tilekeeper.companion.web.schemas import requests
from tilekeeper.companion.web.schemas.game_nights import JudgedJson
from tilekeeper.companion.web.serializers.verdict import verdict_json
from tilekeeper.engine.tiles.notation import parse_table

blueprint = Blueprint("evening", __name__, url_prefix="/api/evening")


@blueprint.post("/settings")
@described(body=requests.SettingsAction)
def settings(body: requests.SettingsAction) -> Response:
    """Change what was agreed upon, from now on."""
    night = playing(table_state()).state
    return act(body, partial(clock.settle, settings=settings_with(night.settings, body)))


@blueprint.post("/next-round")
@described(body=requests.Revised)
def next_round(body: requests.Revised) -> Response:
    """The result of the last round has been looked at: every page goes on to the next (`result`)."""
    return act(body, rounds.next_round)


@blueprint.post("/starter")
@described(body=requests.StarterBody)
def starter(body: requests.StarterBody) -> Response:
    """Say who begins the round."""
    return act(body, partial(rounds.choose_starter, player=body.player, overruled=body.overruled))


@blueprint.post("/lots")
@described(body=requests.TilesBody)
def lots(body: requests.TilesBody) -> Response:
    """Say which tiles the contenders drew, in the order of the seats; whoever ties draws again."""
    return act(body, partial(rounds.draw_lots, tiles=body.tiles))


@blueprint.post("/deal")
@described(body=requests.DealBody)
def deal(body: requests.DealBody) -> Response:
    """Say that everybody has taken tiles; the clock of the first turn stands until somebody lets it run."""
    counts = None if body.counts is None else tuple(body.counts)
    return act(body, partial(rounds.deal, counts=counts))


@blueprint.post("/redeal")
@described(body=requests.RackBody)
def redeal(body: requests.RackBody) -> Response:
    """Demand that all be mixed again, with the tiles that are shown for it."""
    return act(body, partial(rounds.claim_redeal, player=body.player, tiles=body.tiles))


@blueprint.post("/done")
@described(body=requests.DoneBody)
def done(body: requests.DoneBody) -> Response:
    """The turn is done: judge it; where the table still moves, as soon as it lies still (`turn.waiting_to`).

    Legal: the turn passes on. Not legal: `verdict` says why, the clock runs on, and the player mends it, draws, or
    stands by it. Unsure: `verdict.questions` are answered with `/api/answer`, `verdict.groupings` with
    `/api/group`; the clock stands meanwhile. More tiles than the player had: `exceeded` asks which of the two is wrong.
    """
    return act(body, partial(turns.done, table=body.table, left=body.left))


@blueprint.post("/cancel")
@described(body=requests.Revised)
def cancel(body: requests.Revised) -> Response:
    """Done was pressed too early, or a question is left open: the turn goes on."""
    return act(body, turns.cancel)


@blueprint.post("/draw")
@described(body=requests.SureBody)
def draw(body: requests.SureBody) -> Response:
    """The player draws instead of laying.

    Refused (409, `table-differs`) where the camera sees the table otherwise than at the start of the turn, unless they
    are sure.
    """
    return act(body, partial(turns.draw, sure=body.sure))


@blueprint.post("/pass")
@described(body=requests.PassBody)
def pass_turn(body: requests.PassBody) -> Response:
    """The player neither lays nor draws."""
    return act(body, partial(turns.pass_turn, can_lay=body.can_lay, sure=body.sure))


@blueprint.post("/stand")
@described(body=requests.Revised)
def stand(body: requests.Revised) -> Response:
    """The player stands by a wrong layout, or can't mend it: the turn has failed, and tiles go back (`failing`)."""
    return act(body, turns.stand)


@blueprint.post("/restored")
@described(body=requests.RestoredBody)
def restored(body: requests.RestoredBody) -> Response:
    """The table lies as it should after a failed turn; its penalty is noted.

    Refused (409, `table-differs`) where the camera sees that tiles are still to be moved.
    """
    return act(body, partial(failed_turn.restored, table=body.table, as_it_lies=body.as_it_lies))


@blueprint.post("/overrule")
@described(body=requests.ReasonBody)
def overrule(body: requests.ReasonBody) -> Response:
    """The table decides otherwise than the judge or the clock; the reason stands in the history."""
    return act(body, partial(failed_turn.overrule, reason=body.reason, legal=body.legal))


@blueprint.post("/table")
@described(body=requests.TableNowBody)
def table(body: requests.TableNowBody) -> Response:
    """This is the table now: after a spill or a bump, or for a round that began without the app.

    Refused (409, `doubtful-tiles`) where something lies alone that may be no tile, unless they are sure; `details` has
    the number of the reading and the tiles in question, to be answered with `/api/correct`.
    """
    return act(body, partial(turns.table_now, table=body.table, reason=body.reason, sure=body.sure))


@blueprint.post("/rack")
@described(body=requests.RackBody)
def rack(body: requests.RackBody) -> Response:
    """What is left on a rack at the end of a round; after the last one the round is scored.

    Refused (409, `impossible-tiles`) where more of a tile would be seen than the box holds: `details.places` are all
    places where it was read.
    """
    return act(body, partial(rounds.show_rack, player=body.player, tiles=body.tiles, sure=body.sure))


@blueprint.post("/rack-points")
@described(body=requests.RackPointsBody)
def rack_points(body: requests.RackPointsBody) -> Response:
    """What the tiles left on a rack count, where nobody shows them; after the last rack the round is scored."""
    return act(body, partial(rounds.sum_rack, player=body.player, points=body.points))


@blueprint.post("/rack-count")
@described(body=requests.RackCountBody)
def rack_count(body: requests.RackCountBody) -> Response:
    """How many tiles are on a rack; none ends the round."""
    return act(body, partial(rounds.count_rack, player=body.player, tiles=body.tiles))


@blueprint.post("/pool-count")
@described(body=requests.CountBody)
def pool_count(body: requests.CountBody) -> Response:
    """How many tiles are in the pool."""
    return act(body, partial(rounds.count_pool, tiles=body.tiles))


@blueprint.post("/point")
@described(body=requests.TileBody)
def point(body: requests.TileBody) -> Response:
    """The one in charge points at a tile, in the first-acquaintance game."""
    return act(body, partial(rounds.point, tile=body.tile))


@blueprint.post("/find")
@described(body=requests.FoundBody)
def find(body: requests.FoundBody) -> Response:
    """A player shows a tile as the one searched for."""
    return act(body, partial(rounds.find, player=body.player, tile=body.tile))


@blueprint.post("/lost")
@described(body=requests.LostBody)
def lost(body: requests.LostBody) -> Response:
    """A tile is in the box no more; the ledger counts without it from now on."""
    return act(body, partial(incidents.lose_tile, tile=body.tile, player=body.player))


@blueprint.post("/returned")
@described(body=requests.LostBody)
def returned(body: requests.LostBody) -> Response:
    """A lost tile is there again, and goes into the pool."""
    return act(body, partial(incidents.return_tile, tile=body.tile))


@blueprint.post("/left")
@described(body=requests.PlayerBody)
def left(body: requests.PlayerBody) -> Response:
    """A player goes home: the tiles go into the pool, and what was noted stays on the sheet."""
    return act(body, partial(incidents.leave, player=body.player))


@blueprint.post("/joined")
@described(body=requests.JoinBody)
def joined(body: requests.JoinBody) -> Response:
    """Somebody comes late and sits down after the last seat, or comes back to the own."""
    return act(body, partial(incidents.join, name=body.name, deals=body.deals))


@blueprint.post("/opened")
@described(body=requests.PlayerOpenedBody)
def opened(body: requests.PlayerOpenedBody) -> Response:
    """A player had opened already, or had not, as in a round that began without the app."""
    return act(body, partial(incidents.know_opened, player=body.player, opened=body.opened))


@blueprint.post("/begun")
@described(body=requests.BegunBody)
def begun(body: requests.BegunBody) -> Response:
    """How a round stands that began without the app: who has opened, and how many tiles each rack and the pool hold.

    All of it is one step, and the turn goes on. Send `table` first.
    """
    racks = {rack.player: rack.tiles for rack in body.racks}
    opened = None if body.opened is None else frozenset(body.opened)
    return act(body, partial(incidents.begun_already, opened=opened, racks=racks, pool=body.pool))


@blueprint.post("/turn")
@described(body=requests.PlayerBody)
def turn(body: requests.PlayerBody) -> Response:
    """It is another player's turn."""
    return act(body, partial(incidents.give_turn, player=body.player))


@blueprint.post("/pause")
@described(body=requests.Revised)
def pause(body: requests.Revised) -> Response:
    """Let the clock stand."""
    return act(body, clock.pause)


@blueprint.post("/resume")
@described(body=requests.Revised)
def resume(body: requests.Revised) -> Response:
    """Let the clock run."""
    return act(body, clock.resume)


@blueprint.post("/more-time")
@described(body=requests.MoreTimeBody)
def more_time(body: requests.MoreTimeBody) -> Response:
    """Give this turn more time; one that has failed for want of it goes on."""
    return act(body, partial(failed_turn.more_time, seconds=body.seconds))


@blueprint.post("/restart")
@described(body=requests.Revised)
def restart(body: requests.Revised) -> Response:
    """Give this turn its whole time again."""
    return act(body, clock.restart)


@blueprint.post("/undo")
@described(body=requests.UndoBody)
def undo(body: requests.UndoBody) -> Response:
    """Take steps back, any number of them; the clock stands then as it stood before."""
    return act(body, partial(corrections.undo_steps, steps=body.steps))


@blueprint.post("/amend")
@described(body=requests.AmendBody)
def amend(body: requests.AmendBody) -> Response:
    """Put an earlier entry right, such as a rack that was misread: what came after it is replayed."""
    return act(body, partial(corrections.amend_record, place=body.place, event=body.event, reason=body.reason))


@blueprint.post("/end")
@described(body=requests.Revised)
def end(body: requests.Revised) -> Response:
    """The players get up; a round that is not scored yet counts for nothing."""
    return act(body, rounds.end)


@blueprint.post("/judge")
@described(JudgedJson, body=requests.JudgeBody)
def judge(body: requests.JudgeBody) -> Response:
    """What the judge would say of a table that is being entered by hand; nothing is recorded."""
    night = turns.expect_turn(playing(table_state()).state)
    case = Case(night.before(), parse_table(body.table), night.context())
    return jsonify(verdict=verdict_json(case.judged(), None, -1, photos=False))
