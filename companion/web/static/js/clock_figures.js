// The figures of a clock: minutes as wide as they are, since they seldom change, and seconds that keep their places.

import { fill, make } from "./dom.js";

/**
 * Shows a time. A 1 in the minutes that is as wide as the other figures would stand far from the colon.
 * @param {HTMLElement} element
 * @param {string} text such as `1:05`
 */
export function showTime(element, text) {
  const [minutes, seconds] = [text.slice(0, -2), text.slice(-2)];
  const [front, back] = element.childNodes;
  if (!back) fill(element, make("span", { class: "minutes" }, minutes), make("span", { class: "seconds" }, seconds));
  else if (element.textContent !== text) [front.textContent, back.textContent] = [minutes, seconds];
}
