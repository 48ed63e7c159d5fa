// Small helpers for sentences.
import { gettext, ngettext } from "./language.js";

/** @param {string[]} words */
export const listed = (words) =>
  words.length < 2
    ? words.join("")
    : gettext("{first} and {last}", { first: words.slice(0, -1).join(", "), last: words.at(-1) ?? "" });

/**
 * Which round of how many.
 * @param {number} round
 * @param {number | null} agreed null for an open end
 */
export const roundWords = (round, agreed) =>
  agreed ? gettext("Round {round} of {agreed}", { round, agreed }) : gettext("Round {round}", { round });

/** @param {string} text */
export const capitalized = (text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/**
 * With a capital letter and a full stop.
 * @param {string} text
 */
export const sentence = (text) => (text ? `${capitalized(text)}${/[.!?]$/.test(text) ? "" : "."}` : "");

/**
 * Joins sentences to be read out.
 * @param {(string | null | undefined | false)[]} sentences
 */
export const aloud = (sentences) => sentences.filter(Boolean).join(". ").replaceAll("..", ".");

/**
 * Seconds as on a clock: 1:05, and +0:12 once they are over.
 * @param {number} seconds
 */
export function clockTime(seconds) {
  const whole = seconds >= 0 ? Math.ceil(seconds) : Math.floor(-seconds);
  return `${seconds < 0 ? "+" : ""}${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/**
 * What was read, in words: `20 tiles in 6 melds, 1 doubtful`; and how many of the tiles something covers.
 * @param {Reading} reading
 */
export function readingCounts({ tiles, melds }) {
  const there = tiles.filter((tile) => tile.there);
  const doubtful = there.filter((tile) => tile.doubtful).length;
  const found = ngettext("{tiles} in {count} set", "{tiles} in {count} sets", melds.length, {
    tiles: ngettext("{count} tile", "{count} tiles", there.length),
  });
  return {
    found: doubtful ? gettext("{found}, {doubtful} hard to read", { found, doubtful }) : found,
    hidden: there.filter((tile) => tile.hidden).length,
  };
}
