// Draws tiles, and rows of tiles.

import { make, makeSvg } from "./dom.js";
import { inkLetter } from "./ink_letters.js";
import { showInks } from "./inks.js";
import { gettext } from "./language.js";
import { capitalized } from "./words.js";

showInks();

/** @param {{ ink: string | null }} tile */
export const inkClass = (tile) => `ink-${tile.ink ?? "joker"}`;

/**
 * The face of a tile: its number or the joker.
 * @param {Tile} tile
 */
export const tileFace = (tile) =>
  tile.number === null
    ? makeSvg("svg", { viewBox: "0 0 48 48", "aria-hidden": "true" }, makeSvg("use", { href: "#icon-joker" }))
    : make("b", { "aria-hidden": "true" }, String(tile.number));

/**
 * The letter of a tile's ink, for people who can't see the colour.
 * @param {Tile} tile
 */
export const tileSign = (tile) => make("i", { "aria-hidden": "true" }, inkLetter(tile.ink));

/**
 * @param {Tile} tile
 * @param {string} [classes]
 */
export function tileElement(tile, classes = "") {
  return make(
    "span",
    { class: `tile ${inkClass(tile)} ${classes}`, role: "img", "aria-label": tile.name, title: tile.name },
    tileFace(tile),
    tileSign(tile),
  );
}

/**
 * @param {Tile[]} tiles
 * @param {(tile: Tile, place: number) => string} [classesOf]
 */
export const tileRow = (tiles, classesOf = () => "") =>
  make("span", { class: "row" }, ...tiles.map((tile, place) => tileElement(tile, classesOf(tile, place))));

/**
 * Draws melds; those for which `isFaulty` returns true are marked.
 * @param {Tile[][]} melds
 * @param {(meld: number) => boolean} [isFaulty]
 */
export const meldElements = (melds, isFaulty = () => false) =>
  melds.map((tiles, meld) => make("span", { class: isFaulty(meld) ? "meld faulty" : "meld" }, tileRow(tiles)));

/**
 * The moves of a fix, numbered as in the picture.
 * @param {Move[]} moves
 */
export const moveSteps = (moves) =>
  make(
    "ol",
    {},
    ...moves.map((move, index) =>
      make(
        "li",
        {},
        make("span", { class: "number step" }, String(index + 1)),
        tileElement(move.tile),
        make("span", {}, move.text),
      ),
    ),
  );

/**
 * A button for the choice of a tile.
 * @param {Tile | null} tile
 * @param {string} name
 * @param {() => unknown} choose
 * @param {boolean} [disabled]
 */
export const choiceButton = (tile, name, choose, disabled = false) =>
  make(
    "button",
    { type: "button", class: "choice", disabled, onclick: choose },
    tile && tileElement(tile),
    make("span", {}, tile ? name : capitalized(name)),
  );

/**
 * A tile's label and confidence in words: `red 7, or maybe red 1`.
 * @param {ReadTile} tile
 */
export const sureness = ({ name, doubtful, runner_up: other }) =>
  doubtful
    ? gettext("{tile}, or maybe {other}", { tile: name, other })
    : gettext("{tile}, easy to read", { tile: name });
