// The buttons at the bottom of the page, and their keys.

import { byId } from "../dom.js";
import { hasModifier, isOnControl, releaseFocus } from "../keys.js";
import { gettext } from "../language.js";

/** @param {(by: number) => void} step shows another photo */
export function wireActions(step) {
  byId("previous").addEventListener("click", () => step(-1));
  byId("next").addEventListener("click", () => step(1));
  document.addEventListener("keydown", (event) => {
    if (hasModifier(event) || (event.repeat && event.key === " ")) return;
    if (event.key === "ArrowRight" || (event.key === " " && !isOnControl(event))) step(1);
    else if (event.key === "ArrowLeft") step(-1);
    else return;
    event.preventDefault();
  });
  document.addEventListener("pointerup", () => setTimeout(releaseFocus));
}

/** @param {State} state */
export function drawActions({ picture, source }) {
  byId("photo-name").textContent = picture?.name || "\u00a0";
  byId("photo-place").textContent = placeOf(source);
}

/**
 * The photo's number and the number of photos.
 * @param {State["source"]} source
 */
const placeOf = ({ index, count }) =>
  count ? gettext("{number} of {count}", { number: (index ?? 0) + 1, count }) : String((index ?? 0) + 1);
