// The set-up's choice of how the evening ends.

import { segments } from "../controls.js";
import { fill } from "../dom.js";
import { endingChoice, endsAt, isTime, pointsControl, possibleEnding, timeControl } from "../ending.js";
import { gettext } from "../language.js";
import { choices, storeChoices } from "./choices.js";

/** @typedef {import("../ending.js").Ending} Ending */

const USUAL_TIME = "22:00";
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
  const chosen = possibleEnding(choices.ending, hasPoints);
  if (choices.ending !== chosen) storeEnding(chosen);
  fill(place, ...endingChoice(chosen, hasPoints, controlOf, storeEnding));
}

/** @param {Ending} ending */
function storeEnding(ending) {
  choices.ending = ending;
  storeChoices();
}

/** @param {Ending} ending */
function controlOf(ending) {
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
      return pointsControl(choices.points, (points) => {
        choices.points = points;
        storeChoices();
      });
    case "time":
      return timeControl(storedTime(), (until) => {
        choices.until = until;
        storeChoices();
      });
  }
}

const storedTime = () => (isTime(choices.until) ? choices.until : USUAL_TIME);

/**
 * The settings for the chosen end.
 * @returns {{ end_points?: number, ends_at?: string }}
 */
export function endSettings() {
  if (choices.first) return {};
  if (choices.ending === "points") return { end_points: choices.points };
  if (choices.ending === "time") return { ends_at: endsAt(storedTime()) };
  return {};
}
