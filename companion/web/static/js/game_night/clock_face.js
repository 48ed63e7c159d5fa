// The face of the turn's clock: the time between two states of the app, and how urgent it is.

import { gettext, pgettext } from "../language.js";
import { clockTime } from "../words.js";
import { gameNight, stateAgeS } from "./store.js";

/** @typedef {GameNight["clock"]} Clock */

/**
 * @typedef {object} ClockFace
 * @property {string} text
 * @property {string} part how much is left, in percent
 * @property {string} kind `none` without a limit, `well`, `soon`, `last` or `over`
 * @property {boolean} running
 * @property {string} label
 */

/** Whether turns are timed in this game night; a limit may still begin only once a player has opened. */
export function isTimed() {
  const { settings, edition, clock } = gameNight();
  return (settings.timer !== "off" && edition.limit_s !== null) || clock.banks_s.length > 0;
}

/** The seconds that are left now; null without a limit. */
export function leftNowS() {
  const { clock } = gameNight();
  return clock.left_s === null ? null : clock.left_s - sinceS(clock);
}

/** The time until the number on the clock changes, in seconds; one second if it stands. */
export function changesInS() {
  const { clock } = gameNight();
  if (!clock.running) return 1;
  const leftS = leftNowS();
  return leftS === null ? 1 - ((clock.used_s + sinceS(clock)) % 1) : leftS - Math.floor(leftS) || 1;
}

/** @returns {ClockFace} */
export function clockFace() {
  const { clock } = gameNight();
  const leftS = leftNowS();
  const usedS = clock.used_s + sinceS(clock);
  const text = leftS === null ? clockTime(Math.floor(usedS)) : clockTime(leftS);
  const wholeS = (clock.limit_s ?? 0) + clock.extra_s;
  const part = leftS === null || wholeS === 0 ? 100 : Math.max(0, Math.min(100, (100 * Math.ceil(leftS)) / wholeS));
  const label = labelOf(clock, leftS, usedS);
  return { text, part: part.toFixed(1), kind: kindOf(leftS), running: clock.running, label };
}

/** @param {Clock} clock */
const sinceS = ({ running }) => (running ? stateAgeS() : 0);

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
  if (!clock.running) return usedS > 0 ? gettext("paused") : gettext("tap to start");
  if (leftS === null) return pgettext("below the clock: the time that was taken", "taken");
  return leftS <= 0 ? gettext("over time") : pgettext("below the clock: the time that is left", "left");
}
