// The tile pad: a key for each tile of the edition; on a phone one colour at a time.

import { make } from "../dom.js";
import { gettext } from "../language.js";
import { inkClass, tileFace, tileSign } from "../tiles.js";
import { inkName, JOKER, numberTile } from "./notation.js";

/** @typedef {import("./notation.js").NamedTile} NamedTile */

// A phone has five keys in a row; the joker's key is as wide as two.
const KEYS_IN_A_ROW = 5;
const WIDTH_OF_JOKER = 2;

/**
 * @param {Edition} edition
 * @param {(tile: NamedTile) => unknown} choose called with the tile of a pressed key
 * @param {object} [options]
 * @param {boolean} [options.joker] whether there is a key for the joker
 * @param {string | null} [options.ink] the colour to show first
 */
export function tilePad(edition, choose, { joker = true, ink = null } = {}) {
  /** @param {NamedTile} tile */
  const key = (tile) =>
    make(
      "button",
      { type: "button", class: `key ${inkClass(tile)}`, "aria-label": tile.name, onclick: () => choose(tile) },
      tileFace(tile),
      tileSign(tile),
    );
  const inLastRow = edition.numbers % KEYS_IN_A_ROW || KEYS_IN_A_ROW;
  const pad = make("div", {
    class: "pad",
    role: "group",
    "aria-label": gettext("Tiles"),
    "data-joker": inLastRow + WIDTH_OF_JOKER <= KEYS_IN_A_ROW ? "beside" : "below",
  });
  const rows = edition.inks.map(({ letter, ink }) =>
    make(
      "div",
      { class: "pad-row", "data-ink": ink, style: `--numbers: ${edition.numbers}` },
      ...Array.from({ length: edition.numbers }, (_, index) => key(numberTile(letter, ink, index + 1))),
    ),
  );
  const tabs = edition.inks.map(({ ink }) =>
    make(
      "button",
      { type: "button", class: `pad-tab ink-${ink}`, "data-ink": ink, onclick: () => show(ink) },
      inkName(ink),
    ),
  );
  /** @param {string} shown */
  const show = (shown) => {
    pad.dataset.ink = shown;
    for (const row of rows) row.classList.toggle("on", row.dataset.ink === shown);
    for (const tab of tabs) tab.setAttribute("aria-pressed", String(tab.dataset.ink === shown));
  };
  pad.append(
    make("div", { class: "pad-tabs" }, ...tabs),
    ...rows,
    make("div", { class: "pad-jokers" }, joker && edition.jokers > 0 && key(JOKER)),
  );
  const first = edition.inks.find((candidate) => candidate.ink === ink) ?? edition.inks[0];
  show(first.ink);
  return pad;
}
