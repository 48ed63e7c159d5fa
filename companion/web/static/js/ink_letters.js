// The letters of the inks on drawn tiles, in the language of the page; in texts the notation keeps its own letters.

import { pgettext } from "./language.js";

/** @type {Record<string, string>} */
const LETTERS = {
  black: pgettext("one letter for the colour black, on a tile", "K"),
  blue: pgettext("one letter for the colour blue, on a tile", "B"),
  orange: pgettext("one letter for the colour orange, on a tile", "O"),
  red: pgettext("one letter for the colour red, on a tile", "R"),
  yellow: pgettext("one letter for the colour yellow, on a tile", "Y"),
};
const JOKER_LETTER = pgettext("one letter for a joker, on a tile", "J");

/** @param {string | null} ink null for a joker */
export const inkLetter = (ink) => (ink === null ? JOKER_LETTER : (LETTERS[ink] ?? ""));
