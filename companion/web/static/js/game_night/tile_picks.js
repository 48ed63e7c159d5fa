// Buttons for tiles that the app suggests: those that the camera sees, or those that would be right.
import { make } from "../dom.js";
import { tileElement } from "../tiles.js";

/**
 * @template {Tile} One
 * @param {string} title
 * @param {One[]} tiles
 * @param {(tile: One) => unknown} choose
 */
export function tilePicks(title, tiles, choose) {
  const picks = tiles.map((tile) =>
    make("button", { type: "button", class: "pick", onclick: () => choose(tile) }, tileElement(tile)),
  );
  return make("div", { class: "suggested" }, make("p", {}, title), make("div", { class: "suggested-tiles" }, ...picks));
}
