// Draws a tile as it looks in the hand.
import { draw, make } from "./dom.js";

export const inkClass = (tile) => `ink-${tile.ink ?? "joker"}`;

export function tileElement(tile, classes = "") {
  const face =
    tile.number === null
      ? draw("svg", { viewBox: "0 0 48 48", "aria-hidden": "true" }, draw("use", { href: "#icon-joker" }))
      : make("b", { "aria-hidden": "true" }, String(tile.number));
  const letter = make("i", { "aria-hidden": "true" }, tile.text.slice(0, 1));
  return make(
    "span",
    { class: `tile ${inkClass(tile)} ${classes}`, role: "img", "aria-label": tile.name, title: tile.name },
    face,
    letter,
  );
}
