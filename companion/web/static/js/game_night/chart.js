// The line chart of a score sheet: the totals after each round.

import { makeSvg } from "../dom.js";
import { ngettext } from "../language.js";

const HEIGHT = 222;
// On a phone and in a column the chart is drawn narrower, so that the names stay readable.
const NARROW = 380;
const IN_COLUMN = 520;
const WIDEST = 960;
const MARGIN = { left: 46, right: 132, top: 18, bottom: 30 };
const LONGEST_NAME = 9;
const LEAST_BETWEEN_NAMES = 17;

/** @type {WeakMap<Element, () => Element>} the function that redraws a chart */
const redraws = new WeakMap();

// Redraws charts when a tablet is turned or a window resized, so that their texts keep their size.
window.addEventListener("resize", () => {
  for (const drawn of document.querySelectorAll(".chart")) drawn.replaceWith(redraws.get(drawn)?.() ?? drawn);
});

/** @param {boolean} inColumn */
function widthNow(inColumn) {
  if (window.innerWidth < 740) return NARROW;
  return inColumn && window.innerWidth >= 900 ? IN_COLUMN : Math.min(WIDEST, window.innerWidth - 90);
}

/**
 * @param {number[][]} running the totals after each round, by seat
 * @param {string[]} names
 * @param {boolean} [inColumn] whether something is beside the chart on a wide page
 */
export function chart(running, names, inColumn = false) {
  const width = widthNow(inColumn);
  const rows = [names.map(() => 0), ...running];
  const last = rows[rows.length - 1];
  const all = rows.flat();
  const marks = ticks(Math.min(...all, 0), Math.max(...all, 1));
  const [least, most] = [Math.min(marks[0], ...all), Math.max(marks[marks.length - 1], ...all)];
  /** @param {number} round */
  const x = (round) => MARGIN.left + ((width - MARGIN.left - MARGIN.right) * round) / Math.max(1, rows.length - 1);
  /** @param {number} value */
  const y = (value) => MARGIN.top + ((HEIGHT - MARGIN.top - MARGIN.bottom) * (most - value)) / (most - least || 1);
  const grid = marks.flatMap((value) => [
    makeSvg("line", {
      class: value === 0 ? "grid zero" : "grid",
      x1: MARGIN.left,
      x2: width - MARGIN.right,
      y1: y(value),
      y2: y(value),
    }),
    makeSvg("text", { class: "tick", x: MARGIN.left - 8, y: y(value), "text-anchor": "end" }, String(value)),
  ]);
  const rounds = rows.map((_, round) =>
    makeSvg(
      "text",
      { class: "tick", x: x(round), y: HEIGHT - 10, "text-anchor": "middle" },
      round === 0 ? "" : String(round),
    ),
  );
  const ends = apart(names.map((_, seat) => y(last[seat])));
  const lines = names.flatMap((name, seat) => [
    makeSvg("polyline", {
      class: `line seat-${seat}`,
      points: rows.map((row, round) => `${x(round)},${y(row[seat])}`).join(" "),
    }),
    ...rows
      .slice(1)
      .map((row, round) =>
        makeSvg("circle", { class: `dot seat-${seat}`, cx: x(round + 1), cy: y(row[seat]), r: 4.5 }),
      ),
    makeSvg(
      "text",
      { class: `name seat-${seat}`, x: width - MARGIN.right + 12, y: ends[seat] },
      name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 1)}…` : name,
      makeSvg("tspan", { class: "ends-at", dx: 6 }, signed(last[seat])),
    ),
  ]);
  const totals = names.map((name, seat) => `${name} ${last[seat]}`).join(", ");
  const drawn = makeSvg(
    "svg",
    {
      class: "chart",
      viewBox: `0 0 ${width} ${HEIGHT}`,
      role: "img",
      "aria-label": ngettext(
        "Totals after {count} round: {totals}",
        "Totals after {count} rounds: {totals}",
        running.length,
        { totals },
      ),
    },
    ...grid,
    ...rounds,
    ...lines,
  );
  redraws.set(drawn, () => chart(running, names, inColumn));
  return drawn;
}

/**
 * Returns a number with a typographic minus, as on the sheet.
 * @param {number} value
 */
const signed = (value) => (value < 0 ? `−${-value}` : String(value));

/**
 * Returns about five round numbers for the axis, including 0.
 * @param {number} least
 * @param {number} most
 */
function ticks(least, most) {
  const rough = (most - least) / 4 || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const steps = [1, 2, 5, 10].map((factor) => factor * power);
  const step = Math.max(1, steps.find((size) => size >= rough) ?? steps[3]);
  const first = Math.ceil(least / step) * step;
  return Array.from({ length: Math.floor((most - first) / step) + 1 }, (_, index) => first + index * step);
}

/**
 * Moves names apart that would overlap.
 * @param {number[]} heights
 */
function apart(heights) {
  const order = heights.map((height, seat) => ({ height, seat })).sort((a, b) => a.height - b.height);
  for (let place = 1; place < order.length; place += 1) {
    order[place].height = Math.max(order[place].height, order[place - 1].height + LEAST_BETWEEN_NAMES);
  }
  // Names below the lower edge push the others up.
  let lowest = HEIGHT - MARGIN.bottom;
  for (const name of order.toReversed()) {
    name.height = Math.min(name.height, lowest);
    lowest -= LEAST_BETWEEN_NAMES;
  }
  /** @type {number[]} */
  const placed = [];
  for (const { height, seat } of order) placed[seat] = height;
  return placed;
}
