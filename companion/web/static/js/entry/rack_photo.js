// The photo of a rack with the outline and the number of every read tile; the photo stays in this browser.

import { make, makeSvg } from "../dom.js";
import { between, distance, mean, path } from "../geometry.js";
import { gettext, ngettext } from "../language.js";
import { centreOf } from "./rack_places.js";

/** @typedef {import("./rack_places.js").RackTile} RackTile */
/** @typedef {import("./rack_scan.js").Shot} Shot */
/** @typedef {import("./rows.js").Place} Place */

/**
 * @typedef {object} Shown
 * @property {Shot} shot
 * @property {number} number the number of the shot
 * @property {RackTile[][]} rows
 * @property {Place | null} focus the place of the tile that a question is about
 * @property {Point | null} pointed the point at which a person wants to add a tile
 * @property {boolean} isNaming whether a person chooses this tile's label, so that a low photo shows the tile enlarged
 */

// The margin around the tiles, in tile heights, shows most of a missed tile or row too.
const MARGIN_TILES = 0.8;
// A photo that is lower than this shows only the tile of the question, enlarged.
const LOW_CSS_PX = 150;
const CLOSE_TILES = 2.5;
// From the middle of a tile to the place below its print, as a share of its height.
const BELOW_PRINT = 0.32;
// The font size of a tile's number, in tile widths; two digits fill most of the width.
const LABEL_WIDTHS = 0.45;
const [SMALLEST_LABEL_CSS_PX, LARGEST_LABEL_CSS_PX] = [7, 15];

/**
 * @param {(at: Place) => void} pick called with the place of a tapped tile
 * @param {(at: Point) => void} point called with a tapped point beside the tiles, in pixels of the scan
 */
export function rackPhoto(pick, point) {
  const svg = makeSvg("svg", { class: "rack-svg", role: "img" });
  const element = make("div", { class: "rack-photo", hidden: true }, svg);
  /** @type {Shown | null} */
  let shown = null;
  const image = makeSvg("image", { class: "rack-image" });

  svg.addEventListener("click", (event) => {
    const matrix = svg.getScreenCTM();
    if (!matrix) return;
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    point([x, y]);
  });
  new ResizeObserver(() => shown && draw(shown)).observe(element);

  /** @param {Shown | null} next */
  function show(next) {
    shown = next;
    element.hidden = next === null;
    if (next) draw(next);
  }

  /** @param {Shown} what */
  function draw({ shot, number, rows, focus, pointed, isNaming }) {
    const { scan, url } = shot;
    const box = element.getBoundingClientRect();
    const high = tileHeight(shot);
    const focused = focus ? rows[focus.row]?.[focus.place] : undefined;
    const close = isNaming && box.height < LOW_CSS_PX ? (pointed ?? (focused && centreOf(focused))) : null;
    const [left, top, width, height] = close ? around(shot, close) : viewOf(shot);
    svg.setAttribute("viewBox", `${left} ${top} ${width} ${height}`);
    const perCssPx = Math.max(width / (box.width || 1), height / (box.height || 1)) || 1;
    const size = Math.min(LABEL_WIDTHS * tileWidth(shot), LARGEST_LABEL_CSS_PX * perCssPx);
    const tiles = rows.flatMap((row, at) => row.map((tile, place) => ({ tile, at: { row: at, place } })));
    const here = tiles.map((one, index) => ({ ...one, index })).filter(({ tile }) => tile.shot === number);
    svg.setAttribute(
      "aria-label",
      ngettext(
        "Photo of the rack: {count} tile is outlined",
        "Photo of the rack: {count} tiles are outlined",
        here.length,
      ),
    );
    const read = new Set(here.map(({ tile }) => `${tile.row} ${tile.place}`));
    const removed = scan.tiles.filter(({ row, place }) => row !== null && !read.has(`${row} ${place}`));
    if (url && image.getAttribute("href") !== url) image.setAttribute("href", url);
    image.setAttribute("width", String(scan.width));
    image.setAttribute("height", String(scan.height));
    svg.replaceChildren(
      ...(url ? [image] : []),
      ...removed.map(({ quad }) => makeSvg("polygon", { class: "outline removed", points: path(quad) })),
      ...here.map(({ tile, at }) => outline(tile, tile === focused, () => pick(at))),
      ...here.flatMap(({ tile, index }) => label(tile, String(index + 1), high, size, perCssPx)),
      ...(pointed ? [makeSvg("circle", { class: "rack-ring", cx: pointed[0], cy: pointed[1], r: 0.6 * high })] : []),
    );
  }
  return { element, show };
}

/**
 * An enlarged part of a photo: one tile.
 * @param {Shot} shot
 * @param {Quad} quad
 */
export function tileCrop({ scan, url }, quad) {
  if (!url) return null;
  const [xs, ys] = [quad.map(([x]) => x), quad.map(([, y]) => y)];
  const [width, height] = [Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys)];
  const [aside, above] = [0.15 * width, 0.08 * height];
  const box = [Math.min(...xs) - aside, Math.min(...ys) - above, width + 2 * aside, height + 2 * above];
  return makeSvg(
    "svg",
    { class: "rack-crop", viewBox: box.join(" "), role: "img", "aria-label": gettext("A tile to check") },
    makeSvg("image", { href: url, width: scan.width, height: scan.height }),
  );
}

/** @param {Shot} shot */
const quadsOf = ({ scan }) => scan.tiles.filter(({ row }) => row !== null).map(({ quad }) => quad);

/**
 * The height of the largest tile in a photo, in pixels of the scan.
 * @param {Shot} shot
 */
const tileHeight = (shot) => Math.max(1, ...quadsOf(shot).map((quad) => distance(quad[0], quad[3])));

/**
 * The usual width of a tile in a photo, in pixels of the scan.
 * @param {Shot} shot
 */
const tileWidth = (shot) => {
  const widths = quadsOf(shot).map((quad) => distance(quad[3], quad[2]));
  return widths.toSorted((one, other) => one - other)[Math.floor(widths.length / 2)] ?? 1;
};

/**
 * The part of a photo to show: the tiles with room around them. A tile may stand half outside the photo.
 * @param {Shot} shot
 */
function viewOf(shot) {
  const corners = quadsOf(shot).flat();
  if (corners.length === 0) return shot.area;
  const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)];
  const [left, top, right, bottom] = [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
  const margin = MARGIN_TILES * tileHeight(shot);
  const [x, y, width, height] = inside(shot.area, [left - margin, top - margin, right + margin, bottom + margin]);
  const [fromX, fromY] = [Math.min(x, left), Math.min(y, top)];
  return [fromX, fromY, Math.max(x + width, right) - fromX, Math.max(y + height, bottom) - fromY];
}

/**
 * The part of a photo around a point.
 * @param {Shot} shot
 * @param {Point} at
 */
function around(shot, [x, y]) {
  const reach = (CLOSE_TILES * tileHeight(shot)) / 2;
  return inside(shot.area, [x - 2 * reach, y - reach, x + 2 * reach, y + reach]);
}

/**
 * Returns left, top, width and height of the common part of an area and a box of two corners.
 * @param {number[]} area
 * @param {number[]} box
 */
function inside([left, top, width, height], [fromX, fromY, toX, toY]) {
  const [x, y] = [Math.max(left, fromX), Math.max(top, fromY)];
  return [x, y, Math.max(1, Math.min(left + width, toX) - x), Math.max(1, Math.min(top + height, toY) - y)];
}

/**
 * @param {RackTile} tile
 * @param {boolean} lit
 * @param {() => void} press
 */
function outline({ quad, doubtful, name }, lit, press) {
  const kind = ["outline", doubtful && "doubtful", lit && "lit"].filter(Boolean).join(" ");
  const pressed = (/** @type {Event} */ event) => {
    event.stopPropagation(); // else the photo would take the tap for a place without a tile
    press();
  };
  const points = path(quad ?? []);
  return makeSvg(
    "g",
    { onclick: pressed },
    makeSvg("polygon", { class: "outline under", points }),
    makeSvg("polygon", { class: kind, points }, makeSvg("title", {}, name)),
  );
}

/**
 * A tile's number, on the lower part of the tile, below its print; nothing if the tile is too small for it.
 * @param {RackTile} tile
 * @param {string} text
 * @param {number} high the height of a tile
 * @param {number} size of the letters
 * @param {number} perCssPx
 */
function label({ quad, at, doubtful }, text, high, size, perCssPx) {
  const kind = doubtful ? "doubtful" : "";
  if (!quad) return at ? dot([at[0], at[1] + BELOW_PRINT * high], text, "added", 11 * perCssPx) : [];
  const [topLeft, topRight, bottomRight, bottomLeft] = quad;
  if (size < SMALLEST_LABEL_CSS_PX * perCssPx) return [];
  return dot(between(mean([topLeft, topRight]), mean([bottomLeft, bottomRight]), 0.5 + BELOW_PRINT), text, kind, size);
}

/**
 * @param {Point} at
 * @param {string} text
 * @param {string} kind
 * @param {number} size of its letters, in pixels of the photo
 */
const dot = ([x, y], text, kind, size) => [
  makeSvg(
    "g",
    { class: `rack-label ${kind}` },
    makeSvg("rect", {
      x: x - size * (0.35 + 0.3 * text.length),
      y: y - 0.62 * size,
      width: size * (0.7 + 0.6 * text.length),
      height: 1.24 * size,
      rx: 0.5 * size,
    }),
    makeSvg("text", { x, y: y + 0.04 * size, "font-size": size }, text),
  ),
];
