// Small helpers for sentences.

/**
 * @param {number} number
 * @param {string} noun in the singular
 */
export const count = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;

/** @param {string[]} words */
export const listed = (words) =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;

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
