// A failed turn: a map of the restored table, with the tiles to move back marked.

import { button, confirmDialog } from "../dialog.js";
import { fill, make, makeSvg } from "../dom.js";
import { fitSize } from "../fit.js";
import { distance, mean, path } from "../geometry.js";
import { gettext, ngettext } from "../language.js";
import { inkClass, moveSteps, tileRow } from "../tiles.js";
import { enterTable } from "./enter_table.js";
import { overrule } from "./overrule.js";
import { act, gameNight, hasCamera, may, nameOf, state } from "./store.js";

/** @typedef {NonNullable<GameNight["failing"]>} FailedTurn */

const MARGIN = 0.6;
const [SMALLEST_PX, LARGEST_PX] = [14, 110];

const failedTurnShows = () => [gameNight().failing, nameOf(gameNight().player), gameNight().may, state().source.kind];

/** @param {HTMLElement} panel */
function drawFailedTurn(panel) {
  const { failing, player } = gameNight();
  if (!failing) return;
  const { moves, wanted, there } = failing;
  fill(
    panel,
    make(
      "h2",
      {},
      failing.why === "time-up"
        ? gettext("Time is up, {name}", { name: nameOf(player) })
        : gettext("This turn does not count"),
    ),
    make("p", { class: "hint strong" }, failing.text),
    stateLine(failing),
    make(
      "div",
      { class: moves.length > 0 ? "way-back" : "way-back no-moves" },
      make("figure", { class: "map" }, map(wanted, moves), make("figcaption", {}, gettext("How it should look"))),
      moves.length > 0 ? make("div", { class: "moves", tabindex: 0 }, moveSteps(moves)) : null,
    ),
    make("div", { class: "ways" }, ...buttons(there)),
  );
  fitMap(panel);
}

export const FAILED_TURN = { shows: failedTurnShows, draw: drawFailedTurn, fit: fitMap };

/**
 * Draws the tiles of the listed table as large as they fit.
 * @param {HTMLElement} panel
 */
function fitMap(panel) {
  const mat = /** @type {HTMLElement | null} */ (panel.querySelector(".map .mat"));
  if (mat && mat.clientHeight > 0) fitSize(mat, "--tile", SMALLEST_PX, LARGEST_PX);
}

/** @param {FailedTurn} failing */
function stateLine({ there, moves }) {
  if (there) return make("p", { class: "back-state good" }, gettext("It looks as it should."));
  if (there === false)
    return make("p", { class: "back-state" }, ngettext("Move {count} tile:", "Move {count} tiles:", moves.length));
  return hasCamera() && make("p", { class: "back-state" }, gettext("The camera looks as soon as nothing moves."));
}

/** @param {boolean | null} there whether the table is restored; null if no camera sees it */
function buttons(there) {
  const restored = () =>
    act("restored", {}, (refusal) => {
      if (refusal.code !== "table-differs") return false;
      confirmDialog(
        gettext("Not back in place yet"),
        gettext("{message} If nobody knows the places any more, you can leave everything as it is.", {
          message: refusal.message,
        }),
        gettext("Leave it as it is"),
        () => act("restored", { as_it_lies: true }),
      );
      return true;
    });
  return [
    may("more-time") && button(gettext("+30 s, play on"), () => act("more-time")),
    may("overrule") && button(gettext("Change decision"), overrule),
    button(gettext("Enter the table"), () => enterTable("restored")),
    button(there ? gettext("Go on") : gettext("All back"), restored, "main large"),
  ];
}

/**
 * Draws the tiles at their places if the camera saw the places; else lists the melds.
 * @param {PlaceOnMap[]} wanted
 * @param {Move[]} moves
 */
function map(wanted, moves) {
  const back = new Map(moves.map((move, index) => [`${move.to_meld} ${move.to_position}`, index + 1]));
  const located = wanted.length > 0 && wanted.every((meld) => meld.quads.every((quad) => quad.length === 4));
  if (!located) return list(wanted, back);
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
    meld.tiles.map((tile, place) => tileOnMap(tile, meld.quads[place], back.get(`${row} ${place}`))),
  );
  const names = wanted.map((meld) => meld.tiles.map((tile) => tile.name).join(", "));
  return makeSvg(
    "svg",
    {
      viewBox: box.join(" "),
      class: "map-drawn",
      role: "img",
      "aria-label": gettext("The table at the start of the turn: {melds}", { melds: names.join("; ") }),
    },
    ...tiles,
  );
}

/**
 * @param {Tile} tile
 * @param {Quad} quad
 * @param {number} [step] the move that brings it back
 */
function tileOnMap(tile, quad, step) {
  const [x, y] = mean(quad);
  const [[fromX, fromY], [toX, toY]] = quad;
  const size = 0.52 * distance(quad[0], quad[1]);
  const turned = (Math.atan2(toY - fromY, toX - fromX) * 180) / Math.PI;
  return makeSvg(
    "g",
    { class: `map-tile ${inkClass(tile)} ${step ? "back" : ""}` },
    makeSvg("polygon", { points: path(quad) }),
    makeSvg(
      "text",
      { x, y, "font-size": size, transform: `rotate(${turned} ${x} ${y})` },
      tile.number === null ? "J" : String(tile.number),
    ),
    step ? makeSvg("circle", { cx: toX, cy: toY, r: size * 0.48 }) : null,
    step ? makeSvg("text", { class: "step", x: toX, y: toY, "font-size": size * 0.62 }, String(step)) : null,
  );
}

/**
 * @param {PlaceOnMap[]} wanted
 * @param {Map<string, number>} back
 */
function list(wanted, back) {
  if (wanted.length === 0) return make("p", { class: "empty" }, gettext("The table was empty."));
  const melds = wanted.map(({ tiles }, row) =>
    make(
      "span",
      { class: "meld" },
      tileRow(tiles, (_, place) => (back.has(`${row} ${place}`) ? "back" : "")),
    ),
  );
  return make("div", { class: "mat" }, ...melds);
}
