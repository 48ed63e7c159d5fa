// The line chart of a score sheet: how the totals went, round by round.
import { draw } from "../dom.js";

const HEIGHT = 222;
// On a phone the chart is drawn for its width, so that the names stay readable.
const WIDTH = window.innerWidth < 740 ? 380 : Math.min(960, window.innerWidth - 90);
const MARGIN = { left: 46, right: 132, top: 18, bottom: 30 };
const LINES = ["seat-0", "seat-1", "seat-2", "seat-3", "seat-4", "seat-5", "seat-6", "seat-7"];

// running has the totals after each round, by seats.
export function chart(running, names) {
  const rows = [names.map(() => 0), ...running];
  const all = rows.flat();
  const marks = ticks(Math.min(...all, 0), Math.max(...all, 1));
  const [least, most] = [Math.min(marks[0], ...all), Math.max(marks.at(-1), ...all)];
  const x = (round) => MARGIN.left + ((WIDTH - MARGIN.left - MARGIN.right) * round) / Math.max(1, rows.length - 1);
  const y = (value) => MARGIN.top + ((HEIGHT - MARGIN.top - MARGIN.bottom) * (most - value)) / (most - least || 1);
  const grid = marks.flatMap((value) => [
    draw("line", {
      class: value === 0 ? "grid zero" : "grid",
      x1: MARGIN.left,
      x2: WIDTH - MARGIN.right,
      y1: y(value),
      y2: y(value),
    }),
    draw("text", { class: "tick", x: MARGIN.left - 8, y: y(value), "text-anchor": "end" }, String(value)),
  ]);
  const rounds = rows.map((_, round) =>
    draw(
      "text",
      { class: "tick", x: x(round), y: HEIGHT - 10, "text-anchor": "middle" },
      round === 0 ? "" : String(round),
    ),
  );
  const ends = apart(names.map((_, seat) => y(rows.at(-1)[seat])));
  const lines = names.flatMap((name, seat) => [
    draw("polyline", {
      class: `line ${LINES[seat]}`,
      points: rows.map((row, round) => `${x(round)},${y(row[seat])}`).join(" "),
    }),
    ...rows
      .slice(1)
      .map((row, round) => draw("circle", { class: `dot ${LINES[seat]}`, cx: x(round + 1), cy: y(row[seat]), r: 4.5 })),
    draw(
      "text",
      { class: `name ${LINES[seat]}`, x: WIDTH - MARGIN.right + 12, y: ends[seat] },
      name.length > 11 ? `${name.slice(0, 10)}…` : name,
      draw("tspan", { class: "ends-at", dx: 6 }, signed(rows.at(-1)[seat])),
    ),
  ]);
  const told = names.map((name, seat) => `${name} ${rows.at(-1)[seat]}`).join(", ");
  return draw(
    "svg",
    {
      class: "chart",
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      role: "img",
      "aria-label": `Totals after ${running.length} rounds: ${told}`,
    },
    ...grid,
    ...rounds,
    ...lines,
  );
}

// As the sheet has it, with a true minus.
const signed = (value) => (value < 0 ? `−${-value}` : String(value));

// Round numbers, about five of them, and always 0.
function ticks(least, most) {
  const rough = (most - least) / 4 || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(
    1,
    [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough),
  );
  const first = Math.ceil(least / step) * step;
  return Array.from({ length: Math.floor((most - first) / step) + 1 }, (_, index) => first + index * step);
}

// Moves names that would lie on each other apart.
function apart(heights, least = 17) {
  const order = heights.map((height, seat) => ({ height, seat })).sort((a, b) => a.height - b.height);
  for (let at = 1; at < order.length; at += 1)
    order[at].height = Math.max(order[at].height, order[at - 1].height + least);
  // Those that would lie below the chart push the others up, as far as they need.
  for (let at = order.length - 1, lowest = HEIGHT - MARGIN.bottom; at >= 0; at -= 1, lowest -= least)
    order[at].height = Math.min(order[at].height, lowest);
  const placed = [];
  for (const { height, seat } of order) placed[seat] = height;
  return placed;
}
