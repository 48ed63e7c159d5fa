// The clock of the turn: counts down between two states of the app, and rings.

import { buttonById, byId, icon, make } from "../dom.js";
import { gettext, pgettext } from "../language.js";
import { clockTime } from "../words.js";
import { ring } from "./sound.js";
import { gameNight, hasGameNight, may, stateAgeS } from "./store.js";

/** @typedef {GameNight["clock"]} Clock */

const TICK_MS = 100;
const WARNINGS_S = [15, 10, 0];
const TICKS_FROM_S = 10;
// A shorter turn does not tick, since it would tick most of the time.
const SHORTEST_TICKING_S = 30;
/** @type {{ turn: string, leftS: number } | null} the clock at the last drawing */
let before = null;

/** Whether turns are timed in this game night; a limit may still begin only once a player has opened. */
export function isTimed() {
  const { settings, edition, clock } = gameNight();
  return (settings.timer !== "off" && edition.limit_s !== null) || clock.banks_s.length > 0;
}

/** @type {string | null} the clock's texts and colours as they were drawn last */
let drawn = null;

// The page changes once a second at most, since each change is painted.
export function drawClock() {
  if (!hasGameNight() || !isTimed()) return;
  const { clock } = gameNight();
  const sinceS = clock.running ? stateAgeS() : 0;
  const leftS = clock.left_s === null ? null : clock.left_s - sinceS;
  const usedS = clock.used_s + sinceS;
  const text = leftS === null ? clockTime(Math.floor(usedS)) : clockTime(leftS);
  const wholeS = (clock.limit_s ?? 0) + clock.extra_s;
  const part = leftS === null || wholeS === 0 ? 100 : Math.max(0, Math.min(100, (100 * Math.ceil(leftS)) / wholeS));
  const label = labelOf(clock, leftS, usedS);
  show({ text, part: part.toFixed(1), kind: kindOf(leftS), running: clock.running, label });
  warn(clock, leftS);
}

/** @param {{ text: string, part: string, kind: string, running: boolean, label: string }} now */
function show(now) {
  const key = JSON.stringify(now);
  if (key === drawn) return;
  drawn = key;
  const { text, part, kind, running, label } = now;
  const element = byId("clock");
  byId("left").textContent = text;
  byId("clock-label").textContent = label;
  element.style.setProperty("--letters", String(Math.max(4, text.length)));
  element.style.setProperty("--part", part);
  element.dataset.kind = kind;
  element.dataset.running = String(running);
  // Once the time is up, the clock changes its colour each second.
  element.dataset.odd = String(kind === "over" && Number(text.at(-1)) % 2 === 1);
}

/**
 * Returns how urgent the time is.
 * @param {number | null} leftS null without a limit
 */
function kindOf(leftS) {
  if (leftS === null) return "none";
  if (leftS <= 0) return "over";
  return leftS <= 10 ? "last" : leftS <= 15 ? "soon" : "well";
}

/**
 * @param {Clock} clock
 * @param {number | null} leftS
 * @param {number} usedS
 */
function labelOf(clock, leftS, usedS) {
  if (!clock.running) return usedS > 0 ? gettext("paused") : gettext("tap to start the clock");
  if (leftS === null) return pgettext("below the clock: the time that was taken", "taken");
  return leftS <= 0 ? gettext("over time") : pgettext("below the clock: the time that is left", "left");
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
  setInterval(drawClock, TICK_MS);
}
