// Formats and parses tables and racks in the notation, `R3 R4 J | K7 B7 O7`.

import { gettext, gettext_noop } from "../language.js";

/** @typedef {Tile & { label: string }} NamedTile a tile with its label in a reading: `red-7` */

/** @type {Record<string, string>} */
const NAMES = {
  black: gettext_noop("black {number}"),
  blue: gettext_noop("blue {number}"),
  orange: gettext_noop("orange {number}"),
  red: gettext_noop("red {number}"),
  yellow: gettext_noop("yellow {number}"),
};
/** @type {Record<string, string>} the names of the colours */
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
 * Returns the tile of a label such as `red-7` or `joker`; null if the edition does not have it.
 * @param {Edition} edition
 * @param {string} label
 */
export function tileLabelled(edition, label) {
  if (label === JOKER.label) return JOKER;
  const [ink, number] = label.split("-");
  const match = edition.inks.find((candidate) => candidate.ink === ink);
  return match ? numberTile(match.letter, match.ink, Number(number)) : null;
}

/**
 * Returns the tile of a word in the notation.
 * @param {Edition} edition
 * @param {string} text
 */
function tileOf(edition, text) {
  if (text === JOKER.text) return JOKER;
  const match = edition.inks.find(({ letter }) => text.startsWith(letter));
  if (!match) throw new Error(`not a tile of this edition: ${text}`);
  return numberTile(match.letter, match.ink, Number(text.slice(1)));
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
