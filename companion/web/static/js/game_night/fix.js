// How a wrong layout becomes legal: the table that is to be laid, and the moves that lead to it. While fewer moves are
// looked for, every better way replaces the one before.

import { make } from "../dom.js";
import { gettext, ngettext } from "../language.js";
import { moveSteps, tileRow } from "../tiles.js";

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
    make(
      "div",
      { class: "mat", role: "group", "aria-label": gettext("How the table should look") },
      ...meldsToLay(fix),
    ),
  ),
  make("div", { class: "fix" }, moveSteps(fix.moves)),
];

/** @param {Fix} fix */
function title({ moves, smallest, improving }) {
  const count = moves.length;
  if (smallest) return ngettext("One move fixes it:", "{count} moves fix it:", count);
  return improving
    ? ngettext("One move fixes it; looking for fewer …", "{count} moves fix it; looking for fewer …", count)
    : ngettext("One move fixes it, perhaps fewer:", "{count} moves fix it, perhaps fewer:", count);
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
