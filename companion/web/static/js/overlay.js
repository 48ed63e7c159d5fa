// Draws over the picture what was read: each tile outlined and named, each meld held together and numbered.
import { draw } from "./dom.js";
import { between, distance, mean, path, ribbon } from "./geometry.js";
import { inkClass } from "./tiles.js";

// Names smaller than this on the screen say nothing to anybody: the outline alone is drawn.
const SMALLEST_NAME_CSS_PX = 8;
const SMALLEST_LONE_TILE_CSS_PX = 44;

// Draws state into svg; marks is what the verdict points to, choose(meld, tile) is called when one is pressed.
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

  const hulls = draw("g");
  const spots = draw("g");
  const chips = draw("g");
  reading.melds.forEach((row, meld) => {
    const quads = row.map((index) => reading.tiles[index].quad);
    hulls.append(hull(quads, meld, marks, choose));
    // Among scattered tiles the numbers would hide more than they tell; the list beside has them all.
    const wide = distance(quads[0][0], quads[0][1]) > SMALLEST_LONE_TILE_CSS_PX * perCssPx;
    if (row.length > 1 || wide) chips.append(badge(quads, meld, reading, perCssPx, marks));
  });
  const meldOf = new Map(reading.melds.flatMap((row, meld) => row.map((index) => [index, meld])));
  reading.tiles.forEach((tile, index) => {
    if (!tile.there) return;
    const classes = [inkClass(tile)];
    if (tile.doubtful) classes.push("doubtful");
    if (marks.asked.has(index)) classes.push("asked");
    if (marks.tiles.has(index)) classes.push("faulty");
    if (marks.moving?.has(index)) {
      classes.push("moving");
      chips.append(stepBadge(tile, marks.moving.get(index), perCssPx));
    }
    spots.append(spot(tile, index, meldOf.get(index), classes, choose));
    const named = chip(tile, classes, perCssPx);
    if (named) chips.append(named);
  });
  const gone = marks.gone.map((tile) => draw("polygon", { class: "gone", points: path(tile.quad) }));
  svg.append(hulls, draw("g", {}, ...gone), spots, chips);
}

function hull(quads, meld, marks, choose) {
  const classes = ["hull"];
  if (marks.melds.has(meld)) classes.push("faulty");
  if (marks.lit === meld) classes.push("lit");
  return draw("polygon", { class: classes.join(" "), points: path(ribbon(quads)), onclick: () => choose(meld, null) });
}

function spot(tile, index, meld, classes, choose) {
  const points = path(tile.quad);
  return draw(
    "g",
    { class: `spot ${classes.join(" ")}`, onclick: () => choose(meld, index) },
    draw("polygon", { class: "halo", points }),
    draw("polygon", { class: "edge", points }, draw("title", {}, tile.name)),
  );
}

// The name stands upright on the lower part of the tile, where nothing is printed.
function chip(tile, classes, perCssPx) {
  const [topLeft, topRight, bottomRight, bottomLeft] = tile.quad;
  const width = distance(bottomLeft, bottomRight);
  const size = Math.min(0.36 * width, 15 * perCssPx);
  if (size < SMALLEST_NAME_CSS_PX * perCssPx) return null;
  const text = tile.doubtful ? `${tile.text}?` : tile.text;
  const [x, y] = between(mean([topLeft, topRight]), mean([bottomLeft, bottomRight]), 0.8);
  const wide = size * (0.62 * text.length + 0.5);
  const high = size * 1.3;
  return draw(
    "g",
    { class: `chip ${classes.join(" ")}` },
    draw("rect", {
      x: x - wide / 2,
      y: y - high / 2,
      width: wide,
      height: high,
      rx: high * 0.32,
      "stroke-width": perCssPx,
    }),
    draw("text", { x, y: y + size * 0.04, "font-size": size }, text),
  );
}

// The number of the move that takes a tile away stands at its upper right corner.
function stepBadge(tile, number, perCssPx) {
  const [x, y] = tile.quad[1];
  const radius = 12 * perCssPx;
  return draw(
    "g",
    { class: "badge step" },
    draw("circle", { cx: x, cy: y, r: radius, "stroke-width": 1.8 * perCssPx }),
    draw("text", { x, y: y + radius * 0.05, "font-size": radius * 1.2 }, String(number)),
  );
}

// The meld's number stands before its first tile, and inside the picture.
function badge(quads, meld, reading, perCssPx, marks) {
  const [first] = quads;
  const left = mean([first[0], first[3]]);
  const right = mean([first[1], first[2]]);
  const radius = 10.5 * perCssPx;
  const width = distance(left, right) || 1;
  const [px, py] = between(left, right, -(radius + 4 * perCssPx) / width);
  const x = Math.min(Math.max(px, radius * 1.1), reading.width - radius * 1.1);
  const y = Math.min(Math.max(py, radius * 1.1), reading.height - radius * 1.1);
  return draw(
    "g",
    { class: `badge ${marks.melds.has(meld) ? "faulty" : ""}` },
    draw("circle", { cx: x, cy: y, r: radius, "stroke-width": 1.8 * perCssPx }),
    draw("text", { x, y: y + radius * 0.05, "font-size": radius * 1.15 }, String(meld + 1)),
  );
}
