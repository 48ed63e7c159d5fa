// Who wins a round or the game night, in words.

import { gettext, ngettext } from "../language.js";
import { listed } from "../words.js";
import { nameOf } from "./store.js";

/** @typedef {GameNight["sheet"]} Sheet */

/** @param {Sheet} sheet */
export const finalTitle = ({ leaders }) =>
  leaders.length > 0
    ? ngettext("{names} wins the evening", "{names} win the evening", leaders.length, { names: namesOf(leaders) })
    : gettext("The evening is over");

/** @param {Sheet} sheet */
export function roundTitle({ rounds }) {
  const last = rounds.at(-1);
  return last
    ? ngettext("{names} wins round {number}", "{names} win round {number}", last.winners.length, {
        names: namesOf(last.winners),
        number: rounds.length,
      })
    : gettext("The score");
}

/** @param {number[]} seats */
export const namesOf = (seats) => listed(seats.map(nameOf));
