"""The routes behind the buttons for rulings: each checks role and body, and finds the players by name."""

from __future__ import annotations

from typing import Literal

from flask import Blueprint, Response, jsonify
from pydantic import Field

from tilekeeper.companion.hub.access import expect, person
from tilekeeper.companion.hub.actions import PlanBody, current_plan
from tilekeeper.companion.hub.parts import hub
from tilekeeper.companion.hub.rulings import MOST_PENALTY
from tilekeeper.companion.hub.settings import Role
from tilekeeper.companion.hub.table_rulings import Matter, Measure, TableRuling
from tilekeeper.companion.tournament.record import ByeKind
from tilekeeper.companion.web.api.endpoint import read_body
from tilekeeper.companion.web.schemas.requests import ApiBody

blueprint = Blueprint("ruling", __name__, url_prefix="/api")


class TwoBody(PlanBody):
    """The names of two players."""

    one: str
    other: str


class ApartBody(TwoBody):
    """Two players, and whether they must never meet."""

    apart: bool


class TieBody(TwoBody):
    """A tie decided by the arbiter: `one` is ahead of `other`."""

    why: str = Field(max_length=300)


class LotsBody(PlanBody):
    """A tie decided by lot: `player` is one of those who share the place."""

    player: str


class ByeBody(PlanBody):
    """A player's bye in a later round, or `plays` to cancel the bye."""

    player: str
    round: int = Field(ge=1, le=50)
    kind: Literal["full", "half", "zero", "plays"]


class PenaltyBody(PlanBody):
    """A penalty: points that are deducted from a player's score."""

    player: str
    points: int
    why: str = Field(max_length=300)


class DecisionBody(ApiBody):
    """A ruling at a table."""

    decision: Measure
    matter: Matter = Matter.TURN
    seconds: float | None = Field(None, gt=0, le=3600)
    """The extra time for `time_given`."""
    points: int = Field(0, ge=0, le=MOST_PENALTY)
    """The points that the player loses for `penalty`."""
    why: str = Field("", max_length=300)

    def ruling(self, player: int | None) -> TableRuling:
        """Return the ruling; `player` is who is warned or loses points."""
        return TableRuling(self.decision, self.why.strip(), self.matter, self.seconds, player, self.points)


class DisputeBody(DecisionBody):
    """A ruling about a raised hand."""

    player: int | None = None
    """The id of the player who is warned or loses points."""


class IncidentBody(DecisionBody):
    """A ruling about something that an arbiter saw at the table of a player."""

    player: str


class DescriptionBody(PlanBody):
    """The name, the club, the category and the time of a player."""

    player: str
    name: str = Field("", max_length=100)
    """The corrected name; empty to keep it."""
    club: str = Field("", max_length=60)
    category: str = Field("", max_length=60)
    minutes: int = Field(0, ge=0, le=60)
    """The minutes that the player has more than others."""


@blueprint.post("/rulings/swap")
def swap() -> Response:
    """Swap two players in the newest round, before it starts; the answer lists the conflicts of the new pairing."""
    expect(Role.ORGANISER)
    body, rulings = read_body(TwoBody), hub().hub.rulings
    one, other = rulings.player_named(body.one), rulings.player_named(body.other)
    conflicts = rulings.swap(body.plan, one, other, person().name)
    return jsonify(plan=current_plan(), conflicts=conflicts)


@blueprint.post("/rulings/byes")
def bye() -> Response:
    """Give a player a bye in a later round, or cancel it."""
    expect(Role.ORGANISER)
    body, rulings = read_body(ByeBody), hub().hub.rulings
    kind = None if body.kind == "plays" else ByeKind(body.kind)
    rulings.give_bye(body.plan, rulings.player_named(body.player), body.round, kind, person().name)
    return jsonify(plan=current_plan())


@blueprint.post("/rulings/apart")
def apart() -> Response:
    """Keep two players apart, or let them meet again."""
    expect(Role.ORGANISER)
    body, rulings = read_body(ApartBody), hub().hub.rulings
    one, other = rulings.player_named(body.one), rulings.player_named(body.other)
    rulings.keep_apart(body.plan, one, other, body.apart, person().name)
    return jsonify(plan=current_plan())


@blueprint.post("/rulings/ties")
def tie() -> Response:
    """Place one player ahead of another who shares the place."""
    expect(Role.ORGANISER, Role.ARBITER)
    body, rulings = read_body(TieBody), hub().hub.rulings
    one, other = rulings.player_named(body.one), rulings.player_named(body.other)
    rulings.order_by_hand(body.plan, one, other, body.why.strip(), person().name)
    return jsonify(plan=current_plan())


@blueprint.post("/rulings/lots")
def lots() -> Response:
    """Decide a tie by lot."""
    expect(Role.ORGANISER, Role.ARBITER)
    body, rulings = read_body(LotsBody), hub().hub.rulings
    rulings.draw_lots(body.plan, rulings.player_named(body.player), person().name)
    return jsonify(plan=current_plan())


@blueprint.post("/rulings/penalties")
def penalty() -> Response:
    """Deduct points from a player's score."""
    expect(Role.ORGANISER, Role.ARBITER)
    body, rulings = read_body(PenaltyBody), hub().hub.rulings
    rulings.punish(body.plan, rulings.player_named(body.player), body.points, body.why.strip(), person().name)
    return jsonify(plan=current_plan())


@blueprint.post("/rulings/players")
def describe() -> Response:
    """Set the name, the club, the category and the time of a player."""
    expect(Role.ORGANISER)
    body, rulings = read_body(DescriptionBody), hub().hub.rulings
    club, category = " ".join(body.club.split()), " ".join(body.category.split())
    player, more_s, by = rulings.player_named(body.player), 60 * body.minutes, person().name
    rulings.describe(body.plan, player, club, category, more_s, name=body.name, by=by)
    return jsonify(plan=current_plan())


@blueprint.post("/rulings/incidents")
def incident() -> Response:
    """Rule on something at a player's table that nobody raised a hand for."""
    expect(Role.ORGANISER, Role.ARBITER)
    body = read_body(IncidentBody)
    player = hub().hub.rulings.player_named(body.player)
    hub().hub.table_rulings.rule(player, body.ruling(player), person().name, person().role)
    return jsonify(plan=current_plan())


@blueprint.post("/disputes/<dispute>")
def decide(dispute: str) -> Response:
    """Decide a dispute."""
    expect(Role.ORGANISER, Role.ARBITER)
    body = read_body(DisputeBody)
    hub().hub.table_rulings.decide(dispute, body.ruling(body.player), person().name, person().role)
    return jsonify(plan=current_plan())
