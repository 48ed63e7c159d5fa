// Sentences about tiles, with the tiles drawn in them.
import { make } from "./dom.js";
import { tileElement } from "./tiles.js";

// What stands between tiles that are named one after another.
const BETWEEN = /^(, | and |, and )$/;

/**
 * A sentence in which the tiles that it names are drawn.
 * @param {string} text
 * @param {Tile[]} tiles those that it may name
 */
export function said(text, tiles) {
  const byName = new Map(tiles.map((tile) => [tile.name.toLowerCase(), tile]));
  if (byName.size === 0) return make("span", { class: "said" }, text);
  // The longest names first: "red 1" is no part of "red 12".
  const names = [...byName.keys()].sort((one, other) => other.length - one.length).map(escaped);
  const parts = text.split(new RegExp(`\\b(${names.join("|")})\\b`, "i"));
  const pieces = parts.map((part, place) => {
    const tile = place % 2 === 1 ? byName.get(part.toLowerCase()) : undefined;
    if (tile) return tileElement(tile);
    const between = place > 0 && place < parts.length - 1 && BETWEEN.test(part);
    return between ? " " : part;
  });
  return make("span", { class: "said" }, ...pieces);
}

/** @param {string} text */
const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
