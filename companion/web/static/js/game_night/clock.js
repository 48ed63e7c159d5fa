// The clock of the turn: counts down between two states of the app, and rings.

import { showTime } from "../clock_figures.js";
import { buttonById, byId, icon, make } from "../dom.js";
import { gettext } from "../language.js";
import { changesInS, clockFace, isTimed, leftNowS } from "./clock_face.js";
import { ring } from "./sound.js";
import { gameNight, hasGameNight, may } from "./store.js";

/** @typedef {import("./clock_face.js").Clock} Clock */

// The clock wakes when its number changes, and sees a stopped clock go on after this time.
const SECOND_MS = 1000;
const AFTER_THE_SECOND_MS = 5;
const WARNINGS_S = [15, 10, 0];
const TICKS_FROM_S = 10;
// A shorter turn does not tick, since it would tick most of the time.
const SHORTEST_TICKING_S = 30;
/** @type {{ turn: string, leftS: number } | null} the clock at the last drawing */
let before = null;

/** @type {string | null} the clock's texts and colours as they were drawn last */
let drawn = null;

// The page changes once a second at most, since each change is painted.
export function drawClock() {
  if (!hasGameNight() || !isTimed()) return;
  show(clockFace());
  warn(gameNight().clock, leftNowS());
}

/** @param {import("./clock_face.js").ClockFace} now */
function show(now) {
  const key = JSON.stringify(now);
  if (key === drawn) return;
  drawn = key;
  const { text, part, kind, running, label } = now;
  const element = byId("clock");
  showTime(byId("left"), text);
  byId("clock-label").textContent = label;
  element.style.setProperty("--letters", String(Math.max(4, text.length)));
  element.style.setProperty("--part", part);
  element.dataset.kind = kind;
  element.dataset.running = String(running);
  // In the last seconds the clock changes its size each second, and once the time is up its colour.
  element.dataset.odd = String(["last", "over"].includes(kind) && Number(text.at(-1)) % 2 === 1);
}

/**
 * Rings once for each warning.
 * @param {Clock} clock
 * @param {number | null} leftS
 */
function warn(clock, leftS) {
  const { id, round, player } = gameNight();
  const turn = `${id} ${round} ${player} ${clock.extra_s}`;
  if (clock.running && leftS !== null && before?.turn === turn) {
    const { leftS: earlierS } = before;
    const passed = WARNINGS_S.find((warning) => earlierS > warning && leftS <= warning);
    if (passed !== undefined) ring(passed === 0 ? "over" : "warning");
    else if (ticks(clock, leftS) && Math.ceil(earlierS) !== Math.ceil(leftS)) ring("tick");
  }
  before = { turn, leftS: leftS ?? Number.POSITIVE_INFINITY };
}

/**
 * Returns whether the clock ticks now.
 * @param {Clock} clock
 * @param {number} leftS
 */
const ticks = ({ limit_s: limitS, extra_s: extraS }, leftS) =>
  leftS > 0 && leftS <= TICKS_FROM_S && (limitS === null || limitS + extraS >= SHORTEST_TICKING_S);

export function drawClockButtons() {
  const { running, left_s: leftS } = gameNight().clock;
  byId("pause").replaceChildren(
    icon(running ? "pause" : "play"),
    make("span", {}, running ? gettext("Pause") : gettext("Start")),
  );
  byId("clock").title = running ? gettext("Pause the clock") : gettext("Start the clock");
  buttonById("pause").disabled = !may("pause") && !may("resume");
  buttonById("clock").disabled = buttonById("pause").disabled;
  byId("more-time").hidden = leftS === null;
  buttonById("more-time").disabled = !may("more-time");
  buttonById("restart").disabled = !may("restart");
}

export function startClock() {
  drawClock();
  setTimeout(startClock, untilNextSecondMs());
}

function untilNextSecondMs() {
  const time = hasGameNight() && isTimed() ? changesInS() : 1;
  return SECOND_MS * time + AFTER_THE_SECOND_MS;
}
