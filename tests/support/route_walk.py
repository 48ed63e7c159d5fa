"""Every route in every state of the table with every role, and the table of the answers."""

from __future__ import annotations

import re
from collections.abc import Callable

from flask import Flask

from tests.support.cookies import cookie_name, cookie_of
from tests.support.game_night_client import EveningClient
from tilekeeper.companion.doorkeeper.cookies import CSRF_COOKIE
from tilekeeper.companion.doorkeeper.host_key import HOST_COOKIE
from tilekeeper.companion.doorkeeper.origin import CSRF_HEADER, csrf_token
from tilekeeper.companion.session.private_pages import PageOwner
from tilekeeper.companion.web.api.extensions import parts
from tilekeeper.companion.web.blueprints.access import PLAYER_COOKIE

ROLES = ("another site", "stranger", "player's phone", "watching tablet", "tablet", "host")
NEIGHBOUR = "another user of this computer"
"""A role like a stranger's: without the host's key the address of this machine opens nothing."""
MAY, LED_TO_JOIN, NOT = "yes", "join", "–"
WITHOUT_RACKS = "no racks"
"""The cell of a route that is open unless racks may stand around the table."""
OTHER_EVENING = "of-another-night"

Routes = dict[tuple[str, str], str]
"""The answers to a role, by method and route."""


def score(host: EveningClient) -> None:
    host.act("rack-count", player=0, tiles=0)
    host.act("rack-points", player=1, points=12)


def deal(host: EveningClient) -> None:
    host.deal(settings={"control": "host"})


def leave(host: EveningClient) -> None:
    deal(host)
    host.post("/api/evenings/leave")


def begin_another(host: EveningClient) -> None:
    deal(host)
    host.begin(settings={"control": "host"})


def open_finished(host: EveningClient) -> None:
    finished = host.begin(settings={"control": "host"})["id"]
    host.act("end")
    deal(host)
    host.post("/api/evenings/open", id=finished)


def undo_to_starter(host: EveningClient) -> None:
    deal(host)
    host.act("undo")
    host.act("undo")


def wait_for_deal(host: EveningClient) -> None:
    host.begin(settings={"control": "host"})
    host.act("starter", player=0, overruled=True)


def show_racks(host: EveningClient) -> None:
    deal(host)
    host.act("rack-count", player=0, tiles=0)


def see_result(host: EveningClient) -> None:
    deal(host)
    score(host)


def end(host: EveningClient) -> None:
    see_result(host)
    host.act("end")


def put_racks_away(host: EveningClient) -> None:
    leave(host)
    host.post("/api/racks-away")


STATES: dict[str, tuple[bool, Callable[[EveningClient], object]]] = {
    "no game night": (False, lambda host: None),
    "before the first round": (False, lambda host: host.begin(settings={"control": "host"})),
    "deal": (True, wait_for_deal),
    "turns": (True, deal),
    "turns, all tablets control": (True, lambda host: host.deal()),
    "racks are shown": (True, show_racks),
    "result": (False, see_result),
    "game over": (False, end),
    "left in a round": (True, leave),
    "another begun in a round": (True, begin_another),
    "a finished one opened in a round": (True, open_finished),
    "undone to before the deal": (True, undo_to_starter),
    "racks put away": (False, put_racks_away),
}
"""The states of the table: whether racks may stand around it, and how to get there."""


def clients(app: Flask) -> dict[str, EveningClient]:
    """Return a client for each role that exists in the current state."""
    access, night = parts(app).access, parts(app).session.state.activity.game_night
    made = {role: EveningClient(app) for role in ("host", "another site", NEIGHBOUR)}
    made[NEIGHBOUR].http.delete_cookie(cookie_name(HOST_COOKIE))
    made["stranger"] = EveningClient(app, REMOTE_ADDR="192.168.1.30")
    has_watching = night is not None and not night.all_tablets_control
    for role in ("tablet", "watching tablet") if has_watching else ("tablet",):
        made[role] = one = EveningClient(app, REMOTE_ADDR="192.168.1.30")
        one.post("/api/join", code=access.code, name=role)
        if role == "tablet":
            access.let_control(access.devices[-1].id, controls=True)
    if night is not None:
        made["player's phone"] = phone = EveningClient(app, REMOTE_ADDR="192.168.1.30")
        pages = parts(app).private_pages
        phone.http.set_cookie(cookie_name(PLAYER_COOKIE), pages.enter(pages.invite(PageOwner(night.id, 1, came=1))))
    return made


def answer_to(one: EveningClient, role: str, method: str, path: str) -> str:
    """Return `MAY`, `LED_TO_JOIN` or `NOT`: whether the role may use the route."""
    headers = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors"} if role == "another site" else {}
    player, tablet = cookie_of(one.http, PLAYER_COOKIE), cookie_of(one.http, CSRF_COOKIE)
    if player is not None:
        headers[CSRF_HEADER] = csrf_token(player.value)
    if tablet is not None:
        headers[CSRF_HEADER] = tablet.value
    answer = one.http.open(path, method=method, headers=headers)
    if answer.status_code == 302 and answer.headers["Location"] == "/join":
        return LED_TO_JOIN
    return NOT if answer.status_code in (401, 403) else MAY


def example(rule: str) -> str:
    """Return an example address of a route."""
    rule = rule.replace("<evening>", OTHER_EVENING).replace("<rows>", "0.1")
    return re.sub(r"<int:\w+>", "1", rule).replace("<name>", "00001").replace("<key>", "x")


def walk(app: Flask) -> dict[str, Routes]:
    """Return the answers to each role in the current state; the routes do nothing, so only the permissions answer."""
    people = clients(app)
    for endpoint in app.view_functions:
        if endpoint != "private.page":  # open to all, and refuses all but the player by itself
            app.view_functions[endpoint] = lambda **_: ""
    routes = [
        (method, rule.rule)
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    ]
    return {
        role: {(method, rule): answer_to(one, role, method, example(rule)) for method, rule in routes}
        for role, one in people.items()
    }


def cell(answers: dict[bool, set[str]]) -> str:
    """Return the cell of a route and role from the answers with racks (true) and without."""
    if len(answers[True] | answers[False]) == 1:
        return next(iter(answers[True]))
    assert (answers[True], answers[False]) == ({NOT}, {MAY}), "racks alone may change what a role may do"
    return WITHOUT_RACKS


class Walk:
    """The answers of all states that were walked through."""

    def __init__(self) -> None:
        self.requests = 0
        self._answers: dict[tuple[str, str], dict[str, dict[bool, set[str]]]] = {}

    def add(self, state: str, app: Flask) -> None:
        """Bring a new app into a state, and ask for every route in every role; afterwards its routes do nothing."""
        racks, reach = STATES[state]
        reach(EveningClient(app))
        for role, routes in walk(app).items():
            for route, answer in routes.items():
                by_role = self._answers.setdefault(
                    route, {one: {True: set(), False: set()} for one in (*ROLES, NEIGHBOUR)}
                )
                by_role[role][racks].add(answer)
                self.requests += 1

    def table(self) -> str:
        """Return the rows of the table in `docs/security.md`."""
        rows: dict[tuple[str, ...], list[str]] = {}
        for (method, rule), by_role in self._answers.items():
            assert by_role[NEIGHBOUR] == by_role["stranger"], f"{method} {rule} is open to {NEIGHBOUR}"
            rows.setdefault(tuple(cell(by_role[role]) for role in ROLES), []).append(f"{method} {rule}")
        return "\n".join(
            f"| {', '.join(f'`{route}`' for route in sorted(routes))} | {' | '.join(row)} |"
            for row, routes in sorted(rows.items())
        )
