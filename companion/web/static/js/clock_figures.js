// The figures of a clock: minutes as wide as they are, since they seldom change, and seconds that keep their places.

import { make } from "./dom.js";

/**
 * Returns the parts of a time for its element. A 1 that is as wide as the other figures would stand far from the colon.
 * @param {string} text such as `1:05`
 */
export function clockFigures(text) {
  const minutes = text.slice(0, text.indexOf(":"));
  return [make("span", { class: "minutes" }, minutes), text.slice(minutes.length)];
}
