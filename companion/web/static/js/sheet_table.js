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
    make("th", { scope: "col", class: `seat-${seat}` }, make("i", { class: "swatch" }), nameInWords(name)),
  );
  const rounds = sheet.rounds.map((round, index) =>
    make("tr", {}, make("th", { scope: "row" }, String(index + 1)), ...roundCells(round)),
  );
  const totals = sheet.totals.map((total, seat) =>
    make("td", { class: sheet.leaders.includes(seat) ? "leads" : null }, total.text),
  );
  const numbers = [...sheet.rounds.flatMap(({ points }) => points), ...sheet.totals].map(({ text }) => text.length);
  const digits = Math.max(...numbers);
  const letters = Math.max(...names.flatMap(wordsOf).map((word) => word.length));
  return make(
    "table",
    {
      class: sheet.rounds.length > MANY_ROUNDS ? "score many" : "score",
      style: `--players: ${names.length}; --digits: ${digits}; --letters: ${letters}`,
    },
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

/** @param {string} name */
const wordsOf = (name) => name.match(/\S+(?: &)?/g) ?? [name];

/**
 * A name that breaks only between its words; a word that is too long for its column ends in "…".
 * @param {string} name
 */
const nameInWords = (name) =>
  make("span", { title: name }, ...wordsOf(name).flatMap((word) => [make("span", { class: "word" }, word), " "]));
