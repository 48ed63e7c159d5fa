// The fix of an illegal table: the legal table and the moves to it. While the app searches for fewer moves, each better
// fix replaces the one before.

import { make } from "../dom.js";
import { gettext, ngettext } from "../language.js";
import { moveSteps, tileRow } from "../tiles.js";

/**
 * The table, then the moves; if there is little room, the moves are left out.
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

/**
 * The moves with their title, to stand beside the table.
 * @param {Fix} fix
 */
export const fixSteps = (fix) => make("div", { class: "fix" }, make("p", {}, title(fix)), moveSteps(fix.moves));

/** @param {Fix} fix */
function title({ moves, proved, improving }) {
  const count = moves.length;
  if (proved) return ngettext("One move fixes it:", "{count} moves fix it:", count);
  return improving
    ? ngettext("One move fixes it …", "{count} moves fix it; looking for fewer …", count)
    : ngettext("Just one move fixes it:", "{count} moves fix it, perhaps fewer:", count);
}

/**
 * Draws the melds of the legal table: tiles that are moved are marked, unchanged melds are pale.
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
