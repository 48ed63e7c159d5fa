// The set-up's button for time handicaps; a handicap belongs to a name and is kept for the next evening.

import { gettext } from "../language.js";
import { askTimePerPlayer } from "../time_per_player.js";
import { choices, seatedPeople, storeChoices } from "./choices.js";

/** @param {string[]} people at a seat */
function limitOf(people) {
  const limit = choices.limits[people.join(" & ")];
  return typeof limit === "number" ? limit : 0; // every object has a `constructor`, which is a possible name
}

/** The limits of the seated players, for the settings of the evening. */
export const ownLimits = () => seatedPeople().map(limitOf);

/**
 * @param {HTMLElement} button
 * @param {boolean} isTimed whether turns have a limit
 */
export function drawOwnLimits(button, isTimed) {
  button.hidden = !isTimed;
  const count = ownLimits().filter((limit) => limit > 0).length;
  button.textContent = count > 0 ? gettext("Time per player ({count} changed)", { count }) : gettext("Time per player");
}

/** @param {() => void} changed */
export function askOwnLimits(changed) {
  const seats = seatedPeople();
  askTimePerPlayer(
    seats.map((people) => ({ name: people.join(" & "), limit: limitOf(people) })),
    (limits) => {
      for (const [seat, people] of seats.entries()) {
        const name = people.join(" & ");
        if (limits[seat] > 0) choices.limits[name] = limits[seat];
        else delete choices.limits[name];
      }
      storeChoices();
      changed();
    },
  );
}
