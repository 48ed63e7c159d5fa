// Tables and racks in the notation, `R3 R4 J | K7 B7 O7`, and the tiles that its words stand for.

/** @typedef {Tile & { label: string }} NamedTile a tile with what a reading calls it: `red-7` */

/** @type {NamedTile} */
export const JOKER = { text: "J", name: "joker", ink: null, number: null, label: "joker" };

/**
 * @param {string} letter
 * @param {string} ink
 * @param {number} number
 * @returns {NamedTile}
 */
export const numberTile = (letter, ink, number) => ({
  text: `${letter}${number}`,
  name: `${ink} ${number}`,
  ink,
  number,
  label: `${ink}-${number}`,
});

/**
 * The tile of a name in words, `red 7` or `joker`; null for one that is not of the edition.
 * @param {Edition} edition
 * @param {string} name
 */
export function tileNamed(edition, name) {
  if (name === JOKER.name) return JOKER;
  const found = edition.inks.find(({ ink }) => name.startsWith(`${ink} `));
  return found ? numberTile(found.letter, found.ink, Number(name.split(" ")[1])) : null;
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
