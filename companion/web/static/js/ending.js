// Controls for the end of the evening: after some rounds, once somebody has enough points, or at a time of day.

import { segments, stepper } from "./controls.js";
import { fill, make } from "./dom.js";
import { gettext, ngettext } from "./language.js";

/** @typedef {"rounds" | "points" | "time"} Ending */

const [POINTS_STEP, MOST_POINTS] = [50, 5000];
/** @type {[Ending, string][]} */
const ENDINGS = [
  ["rounds", gettext("Rounds")],
  ["points", gettext("Points")],
  ["time", gettext("Time of day")],
];

/**
 * The possible ends: an end by points needs the highest total to win.
 * @param {boolean} hasPoints
 */
const possibleEndings = (hasPoints) => ENDINGS.filter(([ending]) => hasPoints || ending !== "points");

/**
 * Returns the end if it is possible, or else that by rounds.
 * @param {Ending} ending
 * @param {boolean} hasPoints
 * @returns {Ending}
 */
export const possibleEnding = (ending, hasPoints) =>
  possibleEndings(hasPoints).some(([possible]) => possible === ending) ? ending : "rounds";

/**
 * The choice between the ends, with the control of the chosen one.
 * @param {Ending} chosen
 * @param {boolean} hasPoints
 * @param {(ending: Ending) => Child} controlOf
 * @param {(ending: Ending) => unknown} choose
 */
export function endingChoice(chosen, hasPoints, controlOf, choose) {
  const detail = make("div", { class: "ending-detail" }, controlOf(chosen));
  const show = (/** @type {Ending} */ ending) => {
    choose(ending);
    fill(detail, controlOf(ending));
  };
  return [segments("ending", possibleEndings(hasPoints), chosen, show, gettext("The evening ends")), detail];
}

/** @param {number} count */
const pointsWords = (count) => ngettext("{count} point", "{count} points", count);

/**
 * @param {number} points
 * @param {(points: number) => unknown} change
 */
export const pointsControl = (points, change) =>
  stepper(
    gettext("Somebody has"),
    points,
    { by: POINTS_STEP, least: POINTS_STEP, most: MOST_POINTS, unit: pointsWords },
    (value) => change(value ?? POINTS_STEP),
  );

/**
 * A field for a time of day, with a word where that time is tomorrow. Old browsers show it as a text field, in which
 * anything can be written; only `HH:MM` counts.
 * @param {string} until
 * @param {(until: string) => unknown} change
 */
export function timeControl(until, change) {
  const field = make("input", { type: "time", class: "field", value: until, required: true });
  const day = make("small", { "aria-live": "polite" });
  const show = () => {
    const isTomorrow = isTime(field.value) && nextMoment(field.value).getDate() !== new Date().getDate();
    day.textContent = isTomorrow ? gettext("tomorrow, {time}", { time: field.value }) : "";
  };
  field.addEventListener("change", () => {
    if (isTime(field.value)) change(field.value);
    else field.value = until;
    show();
  });
  show();
  return make("label", { class: "own-line" }, make("span", {}, gettext("No new round after")), field, day);
}

/** @param {string} text */
export const isTime = (text) => /^([01]\d|2[0-3]):[0-5]\d$/.test(text);

/**
 * The next time the clock shows `HH:MM`.
 * @param {string} time
 */
function nextMoment(time) {
  const [hours, minutes] = time.split(":").map(Number);
  const moment = new Date();
  moment.setHours(hours, minutes, 0, 0);
  if (moment.getTime() <= Date.now()) moment.setDate(moment.getDate() + 1);
  return moment;
}

/**
 * The next time the clock shows `HH:MM`, in UTC without fractions of a second, for the settings.
 * @param {string} time
 */
export const endsAt = (time) => `${nextMoment(time).toISOString().slice(0, 19)}Z`;
