// How the evening ends: after some rounds, once somebody has enough points, or at a time of day.

import { segments, stepper } from "../controls.js";
import { fill, make } from "../dom.js";
import { gettext, ngettext } from "../language.js";
import { choices, storeChoices } from "./choices.js";

/** @typedef {"rounds" | "points" | "time"} Ending */

const [POINTS_STEP, MOST_POINTS] = [50, 5000];
/** @type {[Ending, string][]} */
const ENDINGS = [
  ["rounds", gettext("Rounds")],
  ["points", gettext("Points")],
  ["time", gettext("Time of day")],
];
/** @type {[number | null, string][]} */
const ROUNDS = [
  [null, gettext("No fixed end")],
  [1, "1"],
  [2, "2"],
  [3, "3"],
  [4, "4"],
  [5, "5"],
];

/**
 * Draws the choice; a stored end that is not possible becomes the one that is shown.
 * @param {HTMLElement} place
 * @param {boolean} hasPoints whether the highest total of points wins
 */
export function drawEnding(place, hasPoints) {
  const endings = ENDINGS.filter(([ending]) => hasPoints || ending !== "points");
  const chosen = endings.some(([ending]) => ending === choices.ending) ? choices.ending : "rounds";
  if (choices.ending !== chosen) {
    choices.ending = chosen;
    storeChoices();
  }
  const detail = make("div", { class: "ending-detail" });
  const show = (/** @type {Ending} */ ending) => fill(detail, detailOf(ending));
  const choose = (/** @type {Ending} */ ending) => {
    choices.ending = ending;
    storeChoices();
    show(ending);
  };
  show(chosen);
  fill(place, segments("ending", endings, chosen, choose, gettext("The evening ends")), detail);
}

/** @param {Ending} ending */
function detailOf(ending) {
  switch (ending) {
    case "rounds":
      return segments(
        "rounds",
        ROUNDS,
        choices.rounds,
        (rounds) => {
          choices.rounds = rounds;
          storeChoices();
        },
        gettext("Rounds"),
      );
    case "points":
      return stepper(
        gettext("Somebody has"),
        choices.points,
        { by: POINTS_STEP, least: POINTS_STEP, most: MOST_POINTS, unit: pointsWords },
        (points) => {
          choices.points = points ?? POINTS_STEP;
          storeChoices();
        },
      );
    case "time":
      return timeField();
  }
}

/** @param {number} count */
const pointsWords = (count) => ngettext("{count} point", "{count} points", count);

function timeField() {
  const field = make("input", { type: "time", class: "field", value: choices.until, required: true });
  field.addEventListener("change", () => {
    if (field.value) choices.until = field.value;
    storeChoices();
  });
  return make("label", { class: "own-line" }, make("span", {}, gettext("No new round after")), field);
}

/**
 * The settings for the chosen end.
 * @returns {{ end_points?: number, ends_at?: string }}
 */
export function endSettings() {
  if (choices.first) return {};
  if (choices.ending === "points") return { end_points: choices.points };
  if (choices.ending === "time") return { ends_at: nextMoment(choices.until) };
  return {};
}

/**
 * The next time the clock shows `HH:MM`, in UTC without fractions of a second.
 * @param {string} time
 */
function nextMoment(time) {
  const [hours, minutes] = time.split(":").map(Number);
  const moment = new Date();
  moment.setHours(hours, minutes, 0, 0);
  if (moment.getTime() <= Date.now()) moment.setDate(moment.getDate() + 1);
  return `${moment.toISOString().slice(0, 19)}Z`;
}
