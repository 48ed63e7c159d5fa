"""Every screen of the pages in every state.

Two evenings are played, one by hand and one before a camera that sees rendered tables. Each screen says what is to
happen at the table before it and what is pressed on the page, so a new screen is one more line here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from playwright.sync_api import Page

from tests.support.page_steps import (
    HOLD_SPLASH,
    ask_about,
    ask_for_private_advice,
    ask_time_per_player,
    change_decision,
    change_house_rules,
    choose_ending,
    choose_in_menu,
    choose_phone,
    click,
    count_own_rack,
    fill_in_names,
    open_past_evening,
    open_player,
    open_possible_turn,
    open_private_link,
    open_private_page,
    open_rules,
    photograph_rack,
    press,
    press_keys,
    show_touch_anywhere,
    tap_a_tile,
    tap_own_rack,
)
from tests.support.stage import (
    Stage,
    act,
    all_opened,
    begin,
    begin_next_round,
    begin_turns,
    begin_with_the_youngest,
    correct_table,
    end_round,
    leave,
    press_done,
    put_clock_forward,
    steps,
    take_opening_back,
    take_table_as_seen,
)

FOURTEEN_MELDS = (
    "R1 R2 R3 | R4 R5 R6 R7 | B1 B2 B3 B4 B5 | B9 B10 B11 | K5 K6 K7 K8 | K10 K11 K12 K13 | O1 O2 O3 | O6 O7 O8 O9 | "
    "R9 B9 K9 O9 | R10 B10 K10 | R12 B12 O12 | B6 K6 O6 | R11 K11 O11 | K1 K2 K3"
)
LIES = "R3 R4 R5 | K8 B8 O8 | B1 B2 B3 B4 | O10 O11 O12 | R9 K9 B9"
OPENING = f"{LIES} | K11 B11 O11"
LAYS_ON_A_WRONG_TABLE = ("R3 R4 R6 | K8 B8 O8", "R3 R4 R6 | K8 B8 O8 | K10 B10 O10")

Kind = Literal["turn", "between", "dialog"]


@dataclass(frozen=True, slots=True)
class Screen:
    """A screen in one state, and the steps that lead to it.

    Attributes:
        name: the name of its pictures.
        kind: `turn` if nothing may scroll and everything is large, `dialog` if a dialog is open, else `between`.
        path: the page's path.
        arrange: steps at the table before the page is opened.
        dress: steps on the page.
        ready: a selector that must be visible before `dress`.
        then: steps at the table while the page is open; None for none.
        seen: a selector that must be visible in the end; empty for none.
    """

    name: str
    kind: Kind
    path: str = ""
    arrange: Callable[[Stage], object] = lambda stage: None
    dress: Callable[[Page], object] = lambda page: None
    ready: str = "body[data-view]"
    then: Callable[[Stage], object] | None = None
    seen: str = ""


TURN = "body[data-view='turn']"
PICTURE = ".overlay .spot"

PHOTOS: tuple[Screen, ...] = (Screen("photos", "between", ready=PICTURE),)

CAMERA: tuple[Screen, ...] = (
    Screen("join", "between", path="join", ready=".join-form"),
    Screen("private-link-ended", "between", path="me/of-last-week", ready=".join-form [role=alert]"),
    Screen("trust", "between", path="trust", ready="details[open]"),
    Screen("offline", "between", path="offline", ready="#offline"),
    Screen("set-up-empty", "between", path="setup", ready="#editions label"),
    Screen("set-up", "between", path="setup", ready="#editions label", dress=fill_in_names),
    Screen("set-up-points", "between", path="setup", ready="#editions label", dress=choose_ending("points")),
    Screen("set-up-time", "between", path="setup", ready="#editions label", dress=choose_ending("time")),
    Screen("time-per-player", "dialog", path="setup", ready="#editions label", dress=ask_time_per_player),
    Screen("house-rules", "dialog", path="setup", ready="#editions label", dress=change_house_rules),
    Screen(
        "set-up-camera",
        "between",
        path="setup#camera",
        arrange=lambda stage: stage.lay(LIES),
        ready=".camera-card.on",
    ),
    Screen("first-camera", "between", path="first", ready=".camera-card.on"),
    Screen("first-area", "between", path="first#area", ready=".area-picture"),
    Screen("turn-camera-empty", "turn", arrange=steps(lambda stage: stage.lay(""), begin_turns), ready=TURN),
    Screen("turn-camera", "turn", arrange=steps(correct_table(LIES), act("resume")), ready=PICTURE),
    Screen("question", "turn", arrange=press_done(OPENING, {(5, 2): "black-11"}), ready=".question"),
    Screen(
        "legal",
        "turn",
        arrange=steps(act("overrule", reason="holiday"), act("undo"), all_opened, press_done(OPENING)),
        ready=PICTURE,
    ),
    Screen(
        "two-faults",
        "turn",
        arrange=steps(take_table_as_seen, press_done(f"{OPENING} | R7 R8 R11 | K12 K13")),
        ready=".fault",
    ),
    Screen("two-faults-all", "dialog", dress=click("#all-about"), ready=".fault"),
    Screen("more-ways", "dialog", dress=click("#more-ways"), ready=".fault"),
    Screen("correct", "dialog", dress=tap_a_tile, ready=PICTURE),
    Screen("history-with-pictures", "dialog", dress=choose_in_menu("History"), ready=PICTURE),
    Screen("failed", "between", arrange=act("stand"), ready="body[data-view='failing']"),
    Screen("evening-as-film", "between", path="evenings", dress=open_past_evening, ready=".evening-card"),
)

BY_HAND: tuple[Screen, ...] = (
    Screen("front-door-empty", "between", ready=".doors"),
    Screen("past-evenings-empty", "between", path="evenings", ready=".nothing"),
    Screen(
        "first-practice",
        "between",
        path="first#practice",
        arrange=lambda stage: stage.client.post("/api/source", source="none"),
        ready="#practice .mat",
    ),
    Screen("phone-camera", "between", path="camera", ready="#start"),
    Screen("set-up-phone", "between", path="setup#camera", ready=".camera-card.on", dress=choose_phone),
    Screen("lots", "between", arrange=begin, ready=".lot"),
    Screen("lots-half", "between", dress=press_keys("black 9", "red 12"), ready=".lot"),
    Screen("deal", "between", arrange=act("starter", player=0, overruled=True), ready=".how"),
    Screen("turn-hand-empty", "turn", arrange=steps(act("deal"), act("resume")), ready=TURN),
    Screen("too-many", "turn", arrange=press_done(FOURTEEN_MELDS), ready="#asks .exceeded"),
    Screen("entry-empty", "dialog", arrange=act("cancel"), dress=click("#done"), ready=TURN),
    Screen("turn-hand", "turn", arrange=steps(correct_table(FOURTEEN_MELDS), all_opened), ready="#drawn .tile"),
    Screen("entry", "dialog", dress=click("#done"), ready=TURN),
    # Timers of some seconds never end on this page, so that its state stays; axe-core only needs short ones.
    Screen(
        "legal-splash",
        "turn",
        ready=TURN,
        dress=lambda page: page.evaluate(HOLD_SPLASH),
        then=press_done(f"{FOURTEEN_MELDS} | R13 B13 O13"),
        seen="#splash",
    ),
    Screen("legal-hand", "turn", ready="#verdict[data-kind='legal']"),
    Screen("overlay-legal", "turn", path="overlay", ready="#last[data-kind='legal']"),
    Screen("scoreboard-legal", "turn", path="scoreboard", ready="#last[data-kind='legal']"),
    Screen(
        "not-legal-splash",
        "turn",
        ready=TURN,
        dress=lambda page: page.evaluate(HOLD_SPLASH),
        then=press_done(f"{FOURTEEN_MELDS} | R13 B13 O13 | R7 R8 R11 | K12 K13"),
        seen="#splash .tile",
    ),
    Screen("two-faults-hand", "turn", ready=".fault"),
    Screen("scoreboard-not-legal", "turn", path="scoreboard", ready="#last[data-kind='illegal']"),
    Screen("overlay-not-legal", "turn", path="overlay", ready="#last[data-kind='illegal']"),
    Screen("overrule", "dialog", dress=change_decision, ready=".fault"),
    Screen(
        "standing-note",
        "turn",
        arrange=steps(
            act("stand"), act("restored"), correct_table(LAYS_ON_A_WRONG_TABLE[0]), press_done(LAYS_ON_A_WRONG_TABLE[1])
        ),
        ready="#verdict[data-kind='legal']",
    ),
    Screen(
        "last-seconds",
        "turn",
        arrange=steps(act("draw"), act("resume"), put_clock_forward(53)),
        ready="#clock[data-kind='last']",
    ),
    Screen("time-up", "turn", arrange=steps(put_clock_forward(20)), ready="#clock[data-kind='over']"),
    Screen("touch-anywhere", "turn", dress=show_touch_anywhere, ready=TURN, seen="#touch"),
    Screen("menu", "dialog", dress=click("#open-menu"), ready=TURN),
    Screen("tip", "turn", dress=ask_about("#draw"), ready=TURN, seen=".tip"),
    Screen("rules", "dialog", dress=open_rules, ready=TURN),
    Screen("buttons", "dialog", dress=choose_in_menu("What the buttons do"), ready=TURN),
    Screen("table-words", "dialog", dress=choose_in_menu("Tell me the table"), ready=TURN),
    Screen("player", "dialog", dress=click(".seat button"), ready=TURN),
    Screen("private-link", "dialog", arrange=take_opening_back, dress=open_private_link, ready=TURN),
    Screen("private-page", "between", arrange=act("settings", hints=True), dress=open_private_page, ready=TURN),
    Screen("private-advice", "between", dress=ask_for_private_advice, ready=TURN),
    Screen("settings", "dialog", dress=choose_in_menu("Settings"), ready=TURN),
    Screen("tablets", "dialog", dress=choose_in_menu("Tablets and phones"), ready=TURN),
    Screen("standing", "dialog", dress=choose_in_menu("How the game stands"), ready=TURN),
    Screen("rummikub", "dialog", dress=press("Rummikub!"), ready=TURN),
    Screen(
        "winner",
        "between",
        ready=TURN,
        dress=lambda page: page.evaluate(HOLD_SPLASH),
        then=end_round(1, {0: "R1 R2 J K9"}),
        seen="#splash",
    ),
    Screen("racks", "between", ready=".rack-card"),
    Screen("rack", "dialog", dress=click(".rack-card .button"), ready=".rack-card"),
    Screen("rack-check", "dialog", dress=photograph_rack(), ready=".rack-card"),
    Screen("rack-doubt", "dialog", dress=photograph_rack({(0, 1): "black-12"}), ready=".rack-card"),
    Screen("private-count", "between", dress=count_own_rack(2), ready=".rack-card"),
    Screen("private-count-taps", "dialog", dress=tap_own_rack(2), ready=".rack-card"),
    Screen(
        "score",
        "between",
        ready=".rack-card",
        then=steps(act("rack", player=2, tiles="O3 O8 K12"), act("rack", player=3, tiles="B13")),
        seen=".score",
    ),
    Screen("possible-turn", "dialog", dress=open_possible_turn(".missed-turn"), ready="body[data-view='score']"),
    Screen("scoreboard-result", "turn", path="scoreboard", ready="#totals li"),
    Screen("sheet", "dialog", arrange=begin_next_round, dress=choose_in_menu("Score sheet"), ready=TURN),
    Screen("history", "dialog", dress=choose_in_menu("History"), ready=TURN),
    Screen(
        "final",
        "between",
        arrange=steps(
            end_round(3, {0: "K2", 1: "O11 R8", 2: "B4"}),
            begin_next_round,
            end_round(1, {0: "J", 2: "O1 O2", 3: "R10 R12"}),
        ),
        ready="body[data-view='score']",
    ),
    Screen("puzzle", "dialog", dress=open_possible_turn(".to-puzzles .button"), ready="body[data-view='score']"),
    Screen("past-evenings", "between", path="evenings", ready=".evening-card"),
    Screen("player-page", "between", path="evenings", dress=open_player, ready=".standings .who"),
    Screen("after-the-evening", "between", path="evenings", dress=open_past_evening, ready=".evening-card"),
    Screen("youngest", "between", arrange=begin_with_the_youngest, ready="body[data-view='finding']"),
    Screen("front-door", "between", ready="body[data-view]", then=leave, seen=".doors"),
)
