// Words for past game nights: the date, the box, the winners, and whether they can be continued.

import { make } from "../dom.js";
import { gettext, LOCALE, ngettext } from "../language.js";

/** @typedef {import("../../../tooling/api.js").components["schemas"]["PastEveningJson"]} PastEvening */

/**
 * The date of a game night: `Saturday, 21 November 2026`.
 * @param {string} at in UTC
 */
export function dayWords(at) {
  const day = new Date(at);
  if (Number.isNaN(day.getTime())) return gettext("Date unknown");
  return day.toLocaleDateString(LOCALE, { weekday: "long", day: "numeric", month: "long", year: "numeric" });
}

/** @param {{ begun_at: string }} evening */
export const dayElement = ({ begun_at: at }) => make("time", { datetime: at }, dayWords(at));

/** @param {PastEvening} evening */
export const factsOf = ({ edition_name: edition, rounds }) =>
  [edition, rounds > 0 && ngettext("{count} round", "{count} rounds", rounds)].filter(Boolean).join(" · ");

/**
 * The state of a game night; empty if it is over and readable.
 * @param {PastEvening} evening
 */
export function stateOf({ open, over, trouble }) {
  if (trouble) return trouble;
  if (over) return "";
  return open ? gettext("in progress") : gettext("can be continued");
}

/**
 * The winners or leaders, in one line.
 * @param {PastEvening} evening
 * @param {(names: string[]) => string} listed
 */
export function winnersLine({ winners, players, over }, listed) {
  const names = winners.map((seat) => players[seat]);
  if (names.length === 0) return over ? gettext("No round was scored.") : gettext("No round is scored yet.");
  if (over)
    return ngettext("{names} wins the evening", "{names} win the evening", names.length, { names: listed(names) });
  return ngettext("{names} leads.", "{names} lead together.", names.length, { names: listed(names) });
}
