// A time handicap: each player's own limit of a turn, chosen before the evening or during it.

import { button, openDialog } from "./dialog.js";
import { make } from "./dom.js";
import { gettext } from "./language.js";

/** @typedef {{ name: string, limit: number }} OwnLimit `limit` in seconds; 0 for the limit of all */

const SECONDS = [20, 30, 40, 50, 60, 75, 90, 105, 120, 150, 180, 240, 300];

/**
 * Asks for the limits of players.
 * @param {OwnLimit[]} players
 * @param {(limits: number[]) => unknown} save returns, or resolves to, false to keep the dialog open
 */
export function askTimePerPlayer(players, save) {
  const fields = players.map(({ name, limit }) => ({ name, field: limitField(name, limit) }));
  const done = async () => {
    if ((await save(fields.map(({ field }) => Number(field.value)))) !== false) dialog.close();
  };
  const dialog = openDialog(
    gettext("Time per player"),
    [
      make("p", {}, gettext("A child may think longer than a champion.")),
      ...fields.map(({ name, field }) => make("label", { class: "own-line" }, make("span", {}, name), field)),
    ],
    { foot: [button(gettext("Cancel"), () => dialog.close()), button(gettext("Save"), done, "main")] },
  );
}

/**
 * @param {string} name
 * @param {number} limit
 */
function limitField(name, limit) {
  const values = [0, ...new Set([...SECONDS, ...(limit > 0 ? [limit] : [])])].sort((one, other) => one - other);
  const options = values.map((value) =>
    make(
      "option",
      { value, selected: value === limit },
      value === 0 ? gettext("as the others") : gettext("{count} s", { count: value }),
    ),
  );
  return make("select", { class: "field", "aria-label": name }, ...options);
}
