// How a wrong layout becomes legal: the table that is to be laid, and the moves that lead to it. While fewer moves are
// looked for, every better way replaces the one before.
import { make } from "../dom.js";
import { moveSteps, tileRow } from "../tiles.js";
import { count } from "../words.js";

/**
 * The table, then the moves: where there is little room, the table comes first.
 * @param {Fix} fix
 * @returns {Child[]}
 */
export const fixLines = (fix) => [
  make(
    "div",
    { class: "fix", "data-improving": String(fix.improving) },
    make("p", {}, title(fix)),
    make("div", { class: "mat", role: "group", "aria-label": "The table that is to be laid" }, ...meldsToLay(fix)),
  ),
  make("div", { class: "fix" }, moveSteps(fix.moves)),
];

/** @param {Fix} fix */
function title({ moves, smallest, improving }) {
  const said = `${count(moves.length, "move")} would do`;
  if (smallest) return `${said}:`;
  return improving ? `${said}; looking for fewer …` : `${said}, perhaps fewer:`;
}

/**
 * Every meld of the table to be laid: tiles that come to it are marked, melds that stay as they are stand back.
 * @param {Fix} fix
 */
function meldsToLay({ melds, moves }) {
  const coming = new Set(moves.map(({ to_meld, to_position }) => `${to_meld} ${to_position}`));
  const changed = new Set(moves.map(({ to_meld }) => to_meld));
  return melds.map((tiles, meld) =>
    make(
      "span",
      { class: changed.has(meld) ? "meld" : "meld stays" },
      tileRow(tiles, (_, place) => (coming.has(`${meld} ${place}`) ? "coming" : "")),
    ),
  );
}
