// Draws a reading over its picture: each tile with outline and name, each meld with outline and number.

import { makeSvg } from "./dom.js";
import { between, distance, grown, mean, path, rowOutline } from "./geometry.js";
import { highlight } from "./highlight.js";
import { gettext } from "./language.js";
import { inkClass } from "./tiles.js";
import { readingCounts } from "./words.js";

/** @typedef {import("./marks.js").Marks} Marks */
/** @typedef {(meld: number | null, tile: number | null) => void} Choose */

// Smaller names are unreadable and would hide the print of the tile.
const SMALLEST_NAME_CSS_PX = 10;
const SMALLEST_LONE_TILE_CSS_PX = 44;
const SMALLEST_NUMBERED_CSS_PX = 12;
// The radius of a tile's print around its centre, in tile widths.
const FIGURE_PART = 0.35;
// The distance of outlines from the tiles, so that they hide no print.
const AROUND_MELD_CSS_PX = 5;
const AROUND_TILE_CSS_PX = 3;

/**
 * Draws the reading of a state over its picture.
 * @param {SVGSVGElement} svg
 * @param {State} state
 * @param {Marks} marks the marks of the verdict
 * @param {Choose} choose called when a meld (`tile` is null) or a tile is pressed
 */
export function drawOverlay(svg, state, marks, choose) {
  svg.replaceChildren();
  const { reading, picture } = state;
  if (!reading || !picture) return;
  const [left, top, width, height] = shownOf(picture, reading);
  svg.setAttribute("viewBox", `${left} ${top} ${width} ${height}`);
  svg.setAttribute(
    "aria-label",
    gettext("{found}: {table}", { found: readingCounts(reading).found, table: reading.table }),
  );
  // SVG has no unit for CSS pixels, so sizes are computed from the displayed size of the picture.
  const box = svg.getBoundingClientRect();
  if (box.width < 1 || box.height < 1) return; // it is hidden
  const perCssPx = Math.max(width / box.width, height / box.height) || 1;

  const lines = makeSvg("g");
  const hulls = makeSvg("g");
  const spots = makeSvg("g");
  const chips = makeSvg("g");
  reading.melds.forEach((row, meld) => {
    const quads = row.map((index) => reading.tiles[index].quad);
    const faulty = marks.melds.has(meld);
    const outline = rowOutline(quads);
    const kind = [faulty && "faulty", highlight.meld === meld && "lit"].filter(Boolean).join(" ");
    const press = () => choose(meld, null);
    hulls.append(makeSvg("polygon", { class: `hull ${kind}`, points: path(outline), onclick: press }));
    lines.append(...outlines(grown(outline, AROUND_MELD_CSS_PX * perCssPx), kind));
    // Sets have no numbers while moves have some. The numbers of single tiles would hide too much; the list beside the
    // picture has them.
    const wide = distance(quads[0][0], quads[0][1]) > SMALLEST_LONE_TILE_CSS_PX * perCssPx;
    const room = distance(quads[0][0], quads[0][1]) > SMALLEST_NUMBERED_CSS_PX * perCssPx;
    const numbered =
      marks.moving.size === 0 && room && (row.length > 1 || wide) && badge(quads, meld, reading, perCssPx, faulty);
    if (numbered) chips.append(numbered);
  });
  /** @type {Map<number, number>} */
  const meldOf = new Map();
  for (const [meld, row] of reading.melds.entries()) for (const index of row) meldOf.set(index, meld);
  reading.tiles.forEach((tile, index) => {
    if (!tile.there) return;
    const step = marks.moving.get(index);
    const classes = [
      tile.doubtful && "doubtful",
      marks.asked.has(index) && "asked",
      marks.tiles.has(index) && "faulty",
      step !== undefined && "moving",
    ].filter((name) => name !== false);
    if (step !== undefined) chips.append(stepBadge(tile, step, perCssPx));
    if (classes.length > 0)
      lines.append(...outlines(grown(tile.quad, AROUND_TILE_CSS_PX * perCssPx), classes.join(" ")));
    spots.append(spot(tile, [inkClass(tile), ...classes], () => choose(meldOf.get(index) ?? null, index)));
    const named = chip(tile, [inkClass(tile), ...classes], perCssPx);
    if (named) chips.append(named);
  });
  const gone = marks.gone.map((tile) => makeSvg("polygon", { class: "gone", points: path(tile.quad) }));
  svg.append(hulls, makeSvg("g", {}, ...gone), lines, spots, chips);
}

/**
 * Returns left, top, width and height of the shown part of a picture, in pixels of its reading.
 * @param {NonNullable<State["picture"]>} picture
 * @param {{ width: number, height: number }} reading
 */
export function shownOf({ area, width, height }, reading) {
  const [acrossX, acrossY] = [reading.width / width, reading.height / height];
  return [area[0] * acrossX, area[1] * acrossY, area[2] * acrossX, area[3] * acrossY];
}

/**
 * A line that is visible on light and dark, with a glow for faults and questions.
 * @param {Point[]} outline
 * @param {string} kind
 */
function outlines(outline, kind) {
  const points = path(outline);
  const glows = /faulty|asked/.test(kind);
  return [
    glows && makeSvg("polygon", { class: `glow ${kind}`, points }),
    makeSvg("polygon", { class: "line under", points }),
    makeSvg("polygon", { class: `line ${kind}`, points }),
  ].filter((element) => element !== false);
}

/**
 * The area of a tile that can be pressed.
 * @param {ReadTile} tile
 * @param {string[]} classes
 * @param {() => void} press
 */
function spot(tile, classes, press) {
  const edge = makeSvg("polygon", { class: "edge", points: path(tile.quad) }, makeSvg("title", {}, tile.name));
  return makeSvg("g", { class: `spot ${classes.join(" ")}`, onclick: press }, edge);
}

/**
 * The name at the lower edge of the tile, upright, where nothing is printed.
 * @param {ReadTile} tile
 * @param {string[]} classes
 * @param {number} perCssPx
 */
function chip(tile, classes, perCssPx) {
  const [topLeft, topRight, bottomRight, bottomLeft] = tile.quad;
  const width = distance(bottomLeft, bottomRight);
  const size = Math.min(0.3 * width, 15 * perCssPx);
  if (size < SMALLEST_NAME_CSS_PX * perCssPx) return null;
  const text = tile.doubtful ? `${tile.text}?` : tile.text;
  const [x, y] = between(mean([topLeft, topRight]), mean([bottomLeft, bottomRight]), 0.98);
  const wide = size * (0.62 * text.length + 0.5);
  const high = size * 1.3;
  return makeSvg(
    "g",
    { class: `chip ${classes.join(" ")}` },
    makeSvg("rect", {
      x: x - wide / 2,
      y: y - high / 2,
      width: wide,
      height: high,
      rx: high * 0.32,
      "stroke-width": perCssPx,
    }),
    makeSvg("text", { x, y: y + size * 0.04, "font-size": size }, text),
  );
}

/**
 * The number of a tile's move, above the tile.
 * @param {ReadTile} tile
 * @param {number} number
 * @param {number} perCssPx pixels of the picture in one of the screen
 */
function stepBadge(tile, number, perCssPx) {
  const [topLeft, topRight, bottomRight, bottomLeft] = tile.quad;
  const radius = 11 * perCssPx;
  const above = 1 + radius / (distance(topRight, bottomRight) || 1);
  const [x, y] = between(mean([bottomLeft, bottomRight]), mean([topLeft, topRight]), above);
  return makeSvg(
    "g",
    { class: "badge step" },
    makeSvg("circle", { cx: x, cy: y, r: radius, "stroke-width": 1.8 * perCssPx }),
    makeSvg("text", { x, y: y + radius * 0.05, "font-size": radius * 1.2 }, String(number)),
  );
}

/**
 * The meld's number, before its first tile or behind its last one, where it hides no print. Without a free place only a
 * faulty meld has a number.
 * @param {Quad[]} quads
 * @param {number} meld
 * @param {Reading} reading
 * @param {number} perCssPx
 * @param {boolean} faulty
 */
function badge(quads, meld, reading, perCssPx, faulty) {
  const radius = 10.5 * perCssPx;
  const places = [quads[0], quads[quads.length - 1]].map((quad, end) => {
    const [left, right] = [mean([quad[0], quad[3]]), mean([quad[1], quad[2]])];
    const beside = (radius + 4 * perCssPx) / (distance(left, right) || 1);
    const [x, y] = between(left, right, end ? 1 + beside : -beside);
    const inside = (/** @type {number} */ at, /** @type {number} */ size) =>
      Math.min(Math.max(at, radius * 1.1), size - radius * 1.1);
    return /** @type {Point} */ ([inside(x, reading.width), inside(y, reading.height)]);
  });
  const free = places.find((place) =>
    reading.tiles.every(
      ({ quad, there }) => !there || distance(place, mean(quad)) > radius + FIGURE_PART * distance(quad[0], quad[1]),
    ),
  );
  if (!free && !faulty) return null;
  const [x, y] = free ?? places[0];
  return makeSvg(
    "g",
    { class: `badge ${faulty ? "faulty" : ""}` },
    makeSvg("circle", { cx: x, cy: y, r: radius, "stroke-width": 1.8 * perCssPx }),
    makeSvg("text", { x, y: y + radius * 0.05, "font-size": radius * 1.15 }, String(meld + 1)),
  );
}
