// The table of a score sheet: a column for each player, a line for each round, and the totals.

import { make } from "./dom.js";
import { gettext } from "./language.js";

/** @typedef {GameNight["sheet"]} Sheet */
/** @typedef {Sheet["rounds"][number]} Round */

const MANY_ROUNDS = 4;

/**
 * Makes a sheet that is wider than a phone scroll sideways, also by keys.
 * @param {Sheet} sheet
 * @param {string[]} names
 */
export const sheetElement = (sheet, names) =>
  make(
    "div",
    { class: "sheet-scroll", tabindex: "0", role: "group", "aria-label": gettext("Score sheet") },
    sheetTable(sheet, names),
  );

/**
 * @param {Sheet} sheet
 * @param {string[]} names
 */
function sheetTable(sheet, names) {
  const head = names.map((name, seat) =>
    make("th", { scope: "col", class: `seat-${seat}` }, make("i", { class: "swatch" }), make("span", {}, name)),
  );
  const rounds = sheet.rounds.map((round, index) =>
    make("tr", {}, make("th", { scope: "row" }, String(index + 1)), ...roundCells(round)),
  );
  const totals = sheet.totals.map((total, seat) =>
    make("td", { class: sheet.leaders.includes(seat) ? "leads" : null }, total.text),
  );
  return make(
    "table",
    { class: sheet.rounds.length > MANY_ROUNDS ? "score many" : "score", style: `--players: ${names.length}` },
    make(
      "thead",
      {},
      make("tr", {}, make("th", { scope: "col" }, make("b", { class: "visually-hidden" }, gettext("Round"))), ...head),
    ),
    make("tbody", {}, ...rounds),
    make(
      "tfoot",
      {},
      make(
        "tr",
        { class: "total" },
        make("th", { scope: "row" }, sheet.counts === "rounds-won" ? gettext("Won") : gettext("Total")),
        ...totals,
      ),
    ),
  );
}

/** @param {Round} round */
const roundCells = ({ points, winners }) =>
  points.map(({ value, text }, seat) =>
    make("td", { class: winners.includes(seat) ? "won" : value < 0 ? "minus" : null }, text),
  );
