// The page of a game night: draws each state, and the panel of the current phase.

import { isDialogOpen } from "../dialog.js";
import { byId, fill, icon, make } from "../dom.js";
import { wireHints } from "../hints.js";
import { hasModifier, isOnControl, releaseFocus } from "../keys.js";
import { loadPlayers } from "../known_players.js";
import { gettext } from "../language.js";
import { onceLoaded } from "../late.js";
import { watchPhoneOffer } from "../phone_offer.js";
import { forgetDrawn, redraw } from "../redraw.js";
import { keepShell } from "../shell.js";
import { awakeAdvice, keepAwake } from "./awake.js";
import { startClock } from "./clock.js";
import { drawTable, wireDrawnTable } from "./drawn_table.js";
import { wirePageTurn } from "./page_turn.js";
import { openPlayer } from "./player.js";
import { drawRacks, racksShow } from "./racks.js";
import { drawSeats } from "./seats.js";
import { sayTurn } from "./speech.js";
import { wireSplash } from "./splash.js";
import {
  gameNight,
  hasCamera,
  hasGameNight,
  hasState,
  isReachable,
  maySteer,
  onChange,
  send,
  startStore,
  state,
} from "./store.js";
import { isOn } from "./switches.js";
import { drawPicture, redrawPicture, wirePicture } from "./table_picture.js";
import { wireTelling } from "./tell_table.js";
import { drawTurn, drawUndo, wireTurn } from "./turn.js";
import { drawTurnButtons, pressDone } from "./turn_buttons.js";
import { drawVerdict, wireVerdict } from "./verdict.js";
import { announceWinner } from "./winner.js";

/** @typedef {"racks" | "score" | "failing" | "finding" | "starting"} PanelName */
/** @typedef {PanelName | "turn"} View the part of the page that is shown; the styles use these names */
/**
 * @typedef {object} Panel
 * @property {() => unknown} shows what is drawn
 * @property {(panel: HTMLElement, redraw: () => void) => void} draw
 * @property {(panel: HTMLElement) => void} [fit] called when the panel has another size
 */

/** @type {Record<PanelName, () => Promise<Panel>>} */
const PANELS = {
  starting: async () => (await import("./round_start.js")).ROUND_START,
  racks: async () => ({ shows: racksShow, draw: drawRacks }),
  score: async () => (await import("./score.js")).SCORE,
  failing: async () => (await import("./failed_turn.js")).FAILED_TURN,
  finding: async () => (await import("./first_game.js")).FIRST_GAME,
};
/** @type {Partial<Record<PanelName, Panel>>} the panels that have been loaded */
const panels = {};
const DISMISSED_NOTICE = "tilekeeper-notice-seen";
/** @type {import("../phone_offer.js").PhoneOffer | null} */
let phoneOffer = null;
let usesKeys = false; // whether the last step was taken with the keyboard

/** @returns {View} */
function viewNow() {
  const { phase, failing, result } = gameNight();
  if (phase === "over" || result) return "score";
  if (phase === "starter" || phase === "deal") return "starting";
  if (phase === "racks") return "racks";
  if (phase === "finding") return "finding";
  return failing ? "failing" : "turn";
}

/** Moves the focus to the heading of the shown part, so that a screen reader goes on there after a step. */
function focusHeading() {
  const heading = byId("panel").hidden ? byId("whose") : byId("panel").querySelector("h2");
  if (!(heading instanceof HTMLElement)) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}

/**
 * Moves the focus to the heading if the focused element is gone or disabled.
 * @param {Element | null} focused the element with the focus before the step
 */
function leadFocus(focused) {
  if (!(focused instanceof HTMLElement) || focused === document.body || isDialogOpen()) return;
  if (document.activeElement !== document.body && document.activeElement !== focused) return;
  if (focused.isConnected && focused.checkVisibility() && !focused.matches(":disabled")) return;
  focusHeading();
}

function draw() {
  const focused = document.activeElement;
  drawAll();
  leadFocus(focused);
}

function drawAll() {
  drawNotice();
  if (!hasState()) return;
  const { cards } = document.documentElement.dataset;
  if (!hasGameNight() || (cards !== undefined) !== gameNight().edition.cards) {
    location.reload();
    return;
  }
  // Before the first state these buttons have nothing to show.
  for (const id of ["tell-table", "open-sheet", "open-history", "open-menu"]) byId(id).removeAttribute("disabled");
  byId("call").hidden = state().hall?.called !== false || !maySteer();
  const view = viewNow();
  const changed = document.body.dataset.view !== view;
  document.body.dataset.view = view;
  document.body.dataset.camera = String(hasCamera());
  if (document.body.dataset.steers !== String(maySteer())) {
    document.body.dataset.steers = String(maySteer());
    forgetDrawn(byId("panel"));
  }
  showParts(view);
  drawSeats(openPlayer);
  drawUndo();
  drawTurnButtons();
  drawTouchView();
  if (changed) {
    forgetDrawn(byId("panel"));
    byId("panel").scrollTop = 0;
    redrawPicture();
  }
  if (view === "turn") {
    drawTurn();
    drawVerdict();
    if (!hasCamera()) drawTable();
  } else drawPanel(view);
  sayTurn();
  announceWinner();
  if (!byId("view").hidden) drawPicture();
}

const loadTouch = () => import("./touch_anywhere.js");

// The view for a touch anywhere is loaded where somebody has chosen it.
async function drawTouchView() {
  if (isOn("touch") || document.body.hasAttribute("data-touch")) (await loadTouch().catch(() => null))?.drawTouch();
}

/** @param {View} view */
function showParts(view) {
  const turn = view === "turn";
  byId("panel").hidden = turn;
  byId("actions").hidden = !turn;
  byId("view").hidden = !hasCamera() || (!turn && view !== "failing");
  byId("drawn").hidden = !turn || hasCamera();
  byId("turn").hidden = !turn;
  byId("verdict").hidden = !turn;
  if (!turn) byId("asks").hidden = true;
}

/** @param {PanelName} name */
function drawPanel(name) {
  const panel = byId("panel");
  const loaded = panels[name];
  if (!loaded) {
    fill(panel);
    loadPanel(name);
    return;
  }
  redraw(panel, [name, loaded.shows()], () => {
    loaded.draw(panel, () => drawPanel(name));
    if (maySteer()) return;
    // Buttons that change only this tablet's page stay enabled.
    for (const button of panel.querySelectorAll("button:not(.free)")) button.setAttribute("disabled", "");
  });
}

/**
 * Loads a panel and draws it. Without a connection the state that comes after it tries again.
 * @param {PanelName} name
 */
async function loadPanel(name) {
  panels[name] ??= (await PANELS[name]().catch(() => undefined)) ?? panels[name];
  if (!panels[name] || !hasGameNight() || viewNow() !== name) return;
  drawPanel(name);
  if (usesKeys && document.activeElement === document.body) focusHeading();
}

function fitPanel() {
  const view = document.body.dataset.view ?? "turn";
  if (view in PANELS) panels[/** @type {PanelName} */ (view)]?.fit?.(byId("panel"));
}

function drawNotice() {
  const notice = byId("notice");
  const { trouble, text, ways } = noticeNow();
  notice.hidden = !text || sessionStorage.getItem(DISMISSED_NOTICE) === text;
  notice.dataset.kind = trouble ? "trouble" : "notice";
  if (notice.dataset.text === text) return;
  notice.dataset.text = text;
  fill(notice, make("span", {}, text), ...ways);
}

/**
 * The notice to show now, with links or buttons.
 * @returns {{ trouble: boolean, text: string, ways: Child[] }}
 */
function noticeNow() {
  const cameras = make("a", { href: "/setup#camera" }, gettext("Cameras"));
  if (!isReachable()) return { trouble: true, text: gettext("The app does not answer; trying again."), ways: [] };
  if (!hasState()) return { trouble: false, text: "", ways: [] };
  const { source, storage } = state();
  if (phoneOffer) return { trouble: false, text: phoneOffer.text, ways: [phoneOffer.way()] };
  if (hasGameNight() && gameNight().demo) return demoNotice();
  if (source.trouble) return { trouble: true, text: source.trouble, ways: [maySteer() && cameras] };
  if (storage.trouble) return { trouble: true, text: storage.trouble, ways: [] };
  if (hasGameNight() && !maySteer()) {
    return {
      trouble: false,
      text: gettext("This device only shows the game. The host presses the buttons."),
      ways: [],
    };
  }
  const { hall } = state();
  if (hall?.called) return { trouble: false, text: gettext("The referee was called."), ways: [] };
  if (hall?.notice) return { trouble: false, text: hall.notice, ways: [] };
  if (hall?.halt) return { trouble: false, text: hall.halt, ways: [] };
  // During a turn the advice would take the room of the table.
  const advice = hasGameNight() && viewNow() === "turn" ? "" : awakeAdvice();
  const text = storage.notices.join(" ") || source.notice || advice;
  const dismiss = () => {
    sessionStorage.setItem(DISMISSED_NOTICE, text);
    drawNotice();
  };
  const cross = make(
    "button",
    { type: "button", class: "away", "aria-label": gettext("Do not show this again"), onclick: dismiss },
    icon("cross"),
  );
  return { trouble: false, text, ways: [!storage.notices.length && source.notice && cameras, cross] };
}

function demoNotice() {
  const text = gettext("This is the demo. Nothing is saved. Press Done when the hand has left the table.");
  const end = () => send("evenings/leave");
  return {
    trouble: false,
    text,
    ways: [maySteer() && make("button", { type: "button", class: "button", onclick: end }, gettext("End the demo"))],
  };
}

document.addEventListener("keydown", (event) => {
  if (hasModifier(event) || event.repeat || event.key !== " ") return;
  if (!hasGameNight() || isOnControl(event) || isDialogOpen()) return;
  event.preventDefault();
  pressDone();
});
// A closed dialog gives the focus back to a button that the step may have taken away.
document.addEventListener(
  "close",
  () => {
    if (usesKeys && hasState() && hasGameNight() && !isDialogOpen() && document.activeElement === document.body) {
      focusHeading();
    }
  },
  true,
);
for (const [event, keys] of /** @type {const} */ ([
  ["keydown", true],
  ["pointerdown", false],
])) {
  const note = () => {
    usesKeys = keys;
  };
  document.addEventListener(event, note, true);
}
document.addEventListener("pointerup", ({ target }) => {
  const onButtons = target instanceof Element && target.closest("#actions, .turn, .tools") !== null;
  if (onButtons) setTimeout(() => isDialogOpen() || releaseFocus());
});
byId("open-sheet").addEventListener(
  "click",
  onceLoaded(
    () => import("./score.js"),
    ({ openScore }) => openScore(),
  ),
);
byId("open-history").addEventListener(
  "click",
  onceLoaded(
    () => import("./history.js"),
    ({ openHistory }) => openHistory(),
  ),
);
byId("call").addEventListener("click", () => send("hall/call", {}));
byId("open-menu").addEventListener(
  "click",
  onceLoaded(
    () => import("./menu.js"),
    ({ openMenu }) => openMenu(),
  ),
);
wireTurn();
wirePicture();
wireDrawnTable();
wireVerdict();
new ResizeObserver(fitPanel).observe(byId("panel"));
wireSplash();
wirePageTurn();
wireHints();
wireTelling();
onChange(draw);
watchPhoneOffer(
  () => (hasState() ? state().source : null),
  (offer) => {
    phoneOffer = offer;
    drawNotice();
  },
);
startClock();
startStore();
loadPlayers(() => hasState() && draw());
keepAwake();
keepShell();
