// Draws over the picture what was read: each tile outlined and named, each meld held together and numbered.
import { makeSvg } from "./dom.js";
import { between, distance, mean, path, rowOutline } from "./geometry.js";
import { highlight } from "./highlight.js";
import { inkClass } from "./tiles.js";

/** @typedef {import("./marks.js").Marks} Marks */
/** @typedef {(meld: number | null, tile: number | null) => void} Choose */

// Names smaller than this on the screen can't be read: the outline alone is drawn.
const SMALLEST_NAME_CSS_PX = 8;
const SMALLEST_LONE_TILE_CSS_PX = 44;

/**
 * Draws the reading of a state over its picture.
 * @param {SVGSVGElement} svg
 * @param {State} state
 * @param {Marks} marks what the verdict points to
 * @param {Choose} choose called when a meld (`tile` is null) or a tile is pressed
 */
export function drawOverlay(svg, state, marks, choose) {
  svg.replaceChildren();
  const { reading, picture } = state;
  if (!reading || !picture) return;
  svg.setAttribute("viewBox", `0 0 ${reading.width} ${reading.height}`);
  svg.setAttribute("aria-label", `${reading.tiles.length} tiles in ${reading.melds.length} melds: ${reading.table}`);
  // SVG has no unit for a pixel of the screen, so sizes are worked out from how large the picture is shown.
  const box = svg.getBoundingClientRect();
  if (box.width < 1 || box.height < 1) return; // it is hidden
  const perCssPx = Math.max(reading.width / box.width, reading.height / box.height) || 1;

  const hulls = makeSvg("g");
  const spots = makeSvg("g");
  const chips = makeSvg("g");
  reading.melds.forEach((row, meld) => {
    const quads = row.map((index) => reading.tiles[index].quad);
    hulls.append(hull(quads, marks.melds.has(meld), highlight.meld === meld, () => choose(meld, null)));
    // Among scattered tiles the numbers would hide more than they show; the list beside has them all.
    const wide = distance(quads[0][0], quads[0][1]) > SMALLEST_LONE_TILE_CSS_PX * perCssPx;
    if (row.length > 1 || wide) chips.append(badge(quads, meld, reading, perCssPx, marks));
  });
  /** @type {Map<number, number>} */
  const meldOf = new Map();
  for (const [meld, row] of reading.melds.entries()) for (const index of row) meldOf.set(index, meld);
  reading.tiles.forEach((tile, index) => {
    if (!tile.there) return;
    const classes = [inkClass(tile)];
    if (tile.doubtful) classes.push("doubtful");
    if (marks.asked.has(index)) classes.push("asked");
    if (marks.tiles.has(index)) classes.push("faulty");
    const step = marks.moving.get(index);
    if (step !== undefined) {
      classes.push("moving");
      chips.append(stepBadge(tile, step, perCssPx));
    }
    spots.append(spot(tile, classes, () => choose(meldOf.get(index) ?? null, index)));
    const named = chip(tile, classes, perCssPx);
    if (named) chips.append(named);
  });
  const gone = marks.gone.map((tile) => makeSvg("polygon", { class: "gone", points: path(tile.quad) }));
  svg.append(hulls, makeSvg("g", {}, ...gone), spots, chips);
}

/**
 * @param {Quad[]} quads
 * @param {boolean} faulty
 * @param {boolean} lit
 * @param {() => void} press
 */
function hull(quads, faulty, lit, press) {
  const classes = ["hull", faulty && "faulty", lit && "lit"].filter(Boolean).join(" ");
  return makeSvg("polygon", { class: classes, points: path(rowOutline(quads)), onclick: press });
}

/**
 * @param {ReadTile} tile
 * @param {string[]} classes
 * @param {() => void} press
 */
function spot(tile, classes, press) {
  const points = path(tile.quad);
  return makeSvg(
    "g",
    { class: `spot ${classes.join(" ")}`, onclick: press },
    makeSvg("polygon", { class: "halo", points }),
    makeSvg("polygon", { class: "edge", points }, makeSvg("title", {}, tile.name)),
  );
}

/**
 * The name stands upright on the lower part of the tile, where nothing is printed.
 * @param {ReadTile} tile
 * @param {string[]} classes
 * @param {number} perCssPx
 */
function chip(tile, classes, perCssPx) {
  const [topLeft, topRight, bottomRight, bottomLeft] = tile.quad;
  const width = distance(bottomLeft, bottomRight);
  const size = Math.min(0.36 * width, 15 * perCssPx);
  if (size < SMALLEST_NAME_CSS_PX * perCssPx) return null;
  const text = tile.doubtful ? `${tile.text}?` : tile.text;
  const [x, y] = between(mean([topLeft, topRight]), mean([bottomLeft, bottomRight]), 0.8);
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
 * The number of the move that takes a tile away stands at its upper right corner.
 * @param {ReadTile} tile
 * @param {number} number
 * @param {number} perCssPx pixels of the picture in one of the screen
 */
function stepBadge(tile, number, perCssPx) {
  const [x, y] = tile.quad[1];
  const radius = 12 * perCssPx;
  return makeSvg(
    "g",
    { class: "badge step" },
    makeSvg("circle", { cx: x, cy: y, r: radius, "stroke-width": 1.8 * perCssPx }),
    makeSvg("text", { x, y: y + radius * 0.05, "font-size": radius * 1.2 }, String(number)),
  );
}

/**
 * The meld's number stands before its first tile, and inside the picture.
 * @param {Quad[]} quads
 * @param {number} meld
 * @param {Reading} reading
 * @param {number} perCssPx
 * @param {Marks} marks
 */
function badge(quads, meld, reading, perCssPx, marks) {
  const [first] = quads;
  const left = mean([first[0], first[3]]);
  const right = mean([first[1], first[2]]);
  const radius = 10.5 * perCssPx;
  const width = distance(left, right) || 1;
  const [px, py] = between(left, right, -(radius + 4 * perCssPx) / width);
  const x = Math.min(Math.max(px, radius * 1.1), reading.width - radius * 1.1);
  const y = Math.min(Math.max(py, radius * 1.1), reading.height - radius * 1.1);
  return makeSvg(
    "g",
    { class: `badge ${marks.melds.has(meld) ? "faulty" : ""}` },
    makeSvg("circle", { cx: x, cy: y, r: radius, "stroke-width": 1.8 * perCssPx }),
    makeSvg("text", { x, y: y + radius * 0.05, "font-size": radius * 1.15 }, String(meld + 1)),
  );
}
