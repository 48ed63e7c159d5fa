// The tile pad: a key for each tile of the edition; on a phone one colour at a time.

import { make } from "../dom.js";
import { inkLetter } from "../ink_letters.js";
import { gettext } from "../language.js";
import { inkClass, tileFace, tileSign } from "../tiles.js";
import { inkName, JOKER, numberTile } from "./notation.js";
import { wirePadKeys } from "./pad_keys.js";

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
    "aria-description": gettext("Move with the arrow keys, or type a tile: R10."),
    "data-joker": inLastRow + WIDTH_OF_JOKER <= KEYS_IN_A_ROW ? "beside" : "below",
  });
  const rows = edition.inks.map(({ letter, ink }) => ({
    ink,
    letter: inkLetter(ink).toLowerCase(),
    keys: Array.from({ length: edition.numbers }, (_, index) => key(numberTile(letter, ink, index + 1))),
  }));
  const lines = rows.map(({ ink, keys }) =>
    make("div", { class: "pad-row", "data-ink": ink, style: `--numbers: ${edition.numbers}` }, ...keys),
  );
  const tabs = rows.map((row) => {
    const choose = () => {
      show(row.ink);
      makeStop(row);
    };
    return make(
      "button",
      { type: "button", class: `pad-tab ink-${row.ink}`, "data-ink": row.ink, onclick: choose },
      inkName(row.ink),
    );
  });
  /** @param {string} shown */
  const show = (shown) => {
    pad.dataset.ink = shown;
    for (const line of lines) line.classList.toggle("on", line.dataset.ink === shown);
    for (const tab of tabs) tab.setAttribute("aria-pressed", String(tab.dataset.ink === shown));
  };
  const jokerKey = joker && edition.jokers > 0 ? key(JOKER) : null;
  pad.append(make("div", { class: "pad-tabs" }, ...tabs), ...lines, make("div", { class: "pad-jokers" }, jokerKey));
  const makeStop = wirePadKeys(pad, rows, jokerKey, show);
  const first = rows.find((row) => row.ink === ink) ?? rows[0];
  show(first.ink);
  makeStop(first);
  return pad;
}
