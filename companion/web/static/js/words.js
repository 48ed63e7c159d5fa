// Small helpers for sentences.
import { gettext, ngettext } from "./language.js";

/** @param {string[]} words */
export const listed = (words) =>
  words.length < 2
    ? words.join("")
    : gettext("{first} and {last}", { first: words.slice(0, -1).join(", "), last: words.at(-1) ?? "" });

/**
 * The round's number, and the number of rounds if there is one.
 * @param {number} round
 * @param {number | null} agreed null for an open end
 */
export const roundWords = (round, agreed) =>
  agreed ? gettext("Round {round} of {agreed}", { round, agreed }) : gettext("Round {round}", { round });

/** @param {string} text */
export const capitalized = (text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/**
 * Returns a text with a capital letter and a full stop.
 * @param {string} text
 */
export const sentence = (text) => (text ? `${capitalized(text)}${/[.!?]$/.test(text) ? "" : "."}` : "");

/**
 * Joins sentences for screen readers and speech.
 * @param {(string | null | undefined | false)[]} sentences
 */
export const aloud = (sentences) => sentences.filter(Boolean).join(". ").replaceAll("..", ".");

/**
 * Formats seconds as on a clock: 1:05, and +0:12 over time.
 * @param {number} seconds
 */
export function clockTime(seconds) {
  const whole = seconds >= 0 ? Math.ceil(seconds) : Math.floor(-seconds);
  return `${seconds < 0 ? "+" : ""}${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/**
 * A reading in words, such as `20 tiles in 6 melds, 1 doubtful`, and the number of covered tiles.
 * @param {Reading} reading
 */
export function readingCounts({ tiles, melds }) {
  const there = tiles.filter((tile) => tile.there);
  const doubtful = there.filter((tile) => tile.doubtful).length;
  const found =
    there.length === 0
      ? gettext("No tiles")
      : ngettext("{tiles} in {count} set", "{tiles} in {count} sets", melds.length, {
          tiles: ngettext("{count} tile", "{count} tiles", there.length),
        });
  return {
    found: doubtful ? gettext("{found}, {doubtful} hard to read", { found, doubtful }) : found,
    hidden: there.filter((tile) => tile.hidden).length,
  };
}

/**
 * A style with the number of letters of the longest word, so that a name can be as large as its place allows.
 * @param {string[]} names
 */
export const lettersOf = (...names) =>
  `--letters: ${Math.max(...names.flatMap((name) => name.split(" ")).map((word) => word.length))}`;
