// A turn that has failed: the table as it should lie again, drawn as a map, with the tiles to move back marked.
import { draw, fill, make } from "../dom.js";
import { distance, mean, path } from "../geometry.js";
import { inkClass, tileElement } from "../tiles.js";
import { count } from "../words.js";
import { button, confirmDialog } from "./dialog.js";
import { enterTable } from "./enter_table.js";
import { act, evening, hasCamera, may, nameOf, state } from "./store.js";
import { overrule } from "./verdict_card.js";

const MARGIN = 0.6;

export const failingShows = () => [
  evening().failing,
  evening().players[evening().player]?.name,
  evening().may,
  state().source.kind,
];

export function drawFailing(panel) {
  const { failing, player } = evening();
  const { moves, wanted, there } = failing;
  const title = failing.why === "time-up" ? `Time is up, ${nameOf(player)}` : "This turn does not count";
  const steps = moves.map((move, at) =>
    make(
      "li",
      {},
      make("span", { class: "number step" }, String(at + 1)),
      tileElement(move.tile),
      make("span", {}, move.text),
    ),
  );
  fill(
    panel,
    make("h2", {}, title),
    make("p", { class: "hint strong" }, failing.text),
    make(
      "div",
      { class: "way-back" },
      make("figure", { class: "map" }, map(wanted, moves), make("figcaption", {}, "The table as it should lie")),
      make("div", { class: "moves" }, stateLine(there, moves), steps.length > 0 ? make("ol", {}, ...steps) : null),
    ),
    make("div", { class: "ways" }, ...buttons(there)),
  );
}

function stateLine(there, moves) {
  if (there === null)
    return make(
      "p",
      { class: "back-state" },
      hasCamera() ? "The camera looks as soon as the table lies still." : "Put the tiles back, then go on.",
    );
  if (there) return make("p", { class: "back-state good" }, "It lies as it should.");
  return make("p", { class: "back-state" }, `${count(moves.length, "tile")} to move:`);
}

function buttons(there) {
  const restored = () =>
    act("restored", {}, (error) => {
      if (error.code !== "table-differs") return false;
      confirmDialog(
        "Not back in place yet",
        `${error.message} If nobody knows the places any more, it can stay as it lies.`,
        "It stays as it lies",
        () => act("restored", { as_it_lies: true }),
      );
      return true;
    });
  return [
    may("undo") && button("Undo", () => act("undo")),
    may("more-time") && button("+30 s, play on", () => act("more-time")),
    may("overrule") && button("Overrule", overrule),
    button("It lies otherwise", () => enterTable("restored")),
    button(there ? "Go on" : "It is back in place", restored, "main large"),
  ].filter(Boolean);
}

// Where the places were seen, tiles are drawn there; else the melds are listed.
function map(wanted, moves) {
  const back = new Map(moves.map((move, at) => [`${move.to_meld} ${move.to_position}`, at + 1]));
  const seen = wanted.length > 0 && wanted.every((meld) => meld.quads.every((quad) => quad.length === 4));
  if (!seen) return list(wanted, back);
  const corners = wanted.flatMap((meld) => meld.quads.flat());
  const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)];
  const edge = MARGIN * distance(wanted[0].quads[0][0], wanted[0].quads[0][1]);
  const box = [
    Math.min(...xs) - edge,
    Math.min(...ys) - edge,
    Math.max(...xs) - Math.min(...xs) + 2 * edge,
    Math.max(...ys) - Math.min(...ys) + 2 * edge,
  ];
  const tiles = wanted.flatMap((meld, row) =>
    meld.tiles.map((tile, place) => onMap(tile, meld.quads[place], back.get(`${row} ${place}`))),
  );
  const names = wanted.map((meld) => meld.tiles.map((tile) => tile.name).join(", "));
  return draw(
    "svg",
    {
      viewBox: box.join(" "),
      class: "map-drawn",
      role: "img",
      "aria-label": `The table at the start of the turn: ${names.join("; ")}`,
    },
    ...tiles,
  );
}

function onMap(tile, quad, number) {
  const [x, y] = mean(quad);
  const size = 0.52 * distance(quad[0], quad[1]);
  const turned = (Math.atan2(quad[1][1] - quad[0][1], quad[1][0] - quad[0][0]) * 180) / Math.PI;
  return draw(
    "g",
    { class: `map-tile ${inkClass(tile)} ${number ? "back" : ""}` },
    draw("polygon", { points: path(quad) }),
    draw(
      "text",
      { x, y, "font-size": size, transform: `rotate(${turned} ${x} ${y})` },
      tile.number === null ? "J" : String(tile.number),
    ),
    number ? draw("circle", { cx: quad[1][0], cy: quad[1][1], r: size * 0.48 }) : "",
    number
      ? draw("text", { class: "step", x: quad[1][0], y: quad[1][1], "font-size": size * 0.62 }, String(number))
      : "",
  );
}

function list(wanted, back) {
  if (wanted.length === 0) return make("p", { class: "empty" }, "The table was empty.");
  return make(
    "div",
    { class: "mat" },
    ...wanted.map((meld, row) =>
      make(
        "span",
        { class: "meld" },
        make(
          "span",
          { class: "row" },
          ...meld.tiles.map((tile, place) => tileElement(tile, back.has(`${row} ${place}`) ? "back" : "")),
        ),
      ),
    ),
  );
}
