// Tables and racks in the notation, `R3 R4 J | K7 B7 O7`, and the tiles that its words stand for.

import { gettext, gettext_noop } from "../language.js";

/** @typedef {Tile & { label: string }} NamedTile a tile with what a reading calls it: `red-7` */

/** @type {Record<string, string>} */
const NAMES = {
  black: gettext_noop("black {number}"),
  blue: gettext_noop("blue {number}"),
  orange: gettext_noop("orange {number}"),
  red: gettext_noop("red {number}"),
  yellow: gettext_noop("yellow {number}"),
};
/** @type {Record<string, string>} what the colours are called */
const INKS = {
  black: gettext_noop("black"),
  blue: gettext_noop("blue"),
  orange: gettext_noop("orange"),
  red: gettext_noop("red"),
  yellow: gettext_noop("yellow"),
};

/** @param {string} ink */
export const inkName = (ink) => gettext(INKS[ink]);

/** @type {NamedTile} */
export const JOKER = { text: "J", name: gettext("joker"), ink: null, number: null, label: "joker" };

/**
 * @param {string} letter
 * @param {string} ink
 * @param {number} number
 * @returns {NamedTile}
 */
export const numberTile = (letter, ink, number) => ({
  text: `${letter}${number}`,
  name: gettext(NAMES[ink], { number }),
  ink,
  number,
  label: `${ink}-${number}`,
});

/**
 * The tile that a reading calls so, `red-7` or `joker`; null for one that is not of the edition.
 * @param {Edition} edition
 * @param {string} label
 */
export function tileLabelled(edition, label) {
  if (label === JOKER.label) return JOKER;
  const [ink, number] = label.split("-");
  const found = edition.inks.find((one) => one.ink === ink);
  return found ? numberTile(found.letter, found.ink, Number(number)) : null;
}

/**
 * The tile of a word in the notation.
 * @param {Edition} edition
 * @param {string} text
 */
function tileOf(edition, text) {
  if (text === JOKER.text) return JOKER;
  const found = edition.inks.find(({ letter }) => text.startsWith(letter));
  if (!found) throw new Error(`not a tile of this edition: ${text}`);
  return numberTile(found.letter, found.ink, Number(text.slice(1)));
}

/** @param {Tile[][]} rows */
export const textOf = (rows) =>
  rows
    .filter((row) => row.length > 0)
    .map((row) => row.map((tile) => tile.text).join(" "))
    .join(" | ");

/**
 * @param {Edition} edition
 * @param {string} text
 */
export const rowsOf = (edition, text) =>
  text
    .split("|")
    .map((row) => row.split(/\s+/).filter(Boolean))
    .filter((words) => words.length > 0)
    .map((words) => words.map((word) => tileOf(edition, word)));
