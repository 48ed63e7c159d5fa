// Touch anywhere: a view for a tablet at the table, on which the whole surface ends the turn, like a chess clock. Other
// cases than an ordinary turn show the usual page, since they need its buttons.

import { byId, icon, make } from "../dom.js";
import { gettext } from "../language.js";
import { isTimed } from "./clock_face.js";
import { act, gameNight, hasCamera, hasGameNight, may, maySteer, nameOf } from "./store.js";
import { isOn, setSwitch } from "./switches.js";
import { pressDone } from "./turn_buttons.js";
import { turnCase } from "./turn_case.js";
import { DOUBLE_TAP_MS } from "./turn_dialogs.js";

const ORDINARY = ["playing", "legal", "reading"];
let startedMs = -DOUBLE_TAP_MS; // when a touch has started the clock
let isTouched = false; // whether the next click belongs to a touch that has already counted

const text = make("span", {});
// It has no hint, since a long press would then not count.
const surface = make("button", { type: "button", class: "touch-done" }, text);
const view = make(
  "section",
  { class: "touch", id: "touch", "aria-label": gettext("Touch anywhere"), hidden: true },
  surface,
  make(
    "button",
    { type: "button", class: "touch-leave", "aria-label": gettext("Leave this view"), onclick: leaveTouch },
    icon("cross"),
  ),
);

// A palm moves and touches with several fingers, for which browsers send no click; a key or a screen reader sends only
// a click.
surface.addEventListener("pointerdown", ({ isPrimary, button }) => {
  if (!isPrimary || button !== 0) return;
  isTouched = true;
  press();
});
surface.addEventListener("click", () => {
  if (!isTouched) press();
  isTouched = false;
});
document.addEventListener("keydown", ({ key }) => {
  isTouched = false;
  if (key === "Escape" && !view.hidden && !document.querySelector("dialog[open]")) leaveTouch();
});

// A clock that stands is started first, as at the beginning of a round.
const startsClock = () => isTimed() && may("resume") && turnCase() !== "reading";

function press() {
  if (performance.now() - startedMs < DOUBLE_TAP_MS) return;
  if (!startsClock()) return void pressDone();
  startedMs = performance.now();
  act("resume");
}

export function openTouch() {
  setSwitch("touch", true);
  drawTouch();
  surface.focus();
  byId("live").textContent = gettext("The whole screen ends the turn now. The Escape key leaves this view.");
}

function leaveTouch() {
  setSwitch("touch", false);
  drawTouch();
  byId("open-menu").focus();
}

export function drawTouch() {
  if (!view.isConnected) byId("stage").append(view);
  const isShown =
    isOn("touch") &&
    hasGameNight() &&
    maySteer() &&
    document.body.dataset.view === "turn" &&
    ORDINARY.includes(turnCase());
  view.hidden = !isShown;
  document.body.toggleAttribute("data-touch", isShown);
  byId("turn").inert = isShown; // the clock's own button lies below the surface
  if (!isShown) return;
  text.textContent = textNow();
  surface.setAttribute("aria-label", `${nameOf(gameNight().player)}: ${text.textContent}`);
  surface.setAttribute("aria-disabled", String(!may("done")));
}

function textNow() {
  if (turnCase() === "reading") return gettext("One moment");
  if (startsClock()) return gettext("Touch anywhere to start the clock");
  return hasCamera() ? gettext("Touch anywhere to end your turn") : gettext("Touch anywhere, then enter the table");
}
