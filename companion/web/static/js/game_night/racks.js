// The end of a round: what is left on each rack is scanned or entered, player by player, until the round can be scored.
import { button, confirmDialog, openDialog } from "../dialog.js";
import { fill, icon, make } from "../dom.js";
import { enterRack } from "../entry/rack_entry.js";
import { tileElement } from "../tiles.js";
import { count } from "../words.js";
import { overruleLast } from "./overrule.js";
import { act, gameNight, may, nameOf, seated } from "./store.js";

const MOST_TILES = 999;

export const racksShow = () => [gameNight().players, gameNight().out, gameNight().alarms, gameNight().may];

/** @param {HTMLElement} panel */
export function drawRacks(panel) {
  const { out, alarms, edition, round } = gameNight();
  const hint = edition.stars
    ? "How many tiles are left on each rack?"
    : "Show the other racks: scan them, take a picture with a phone, or tap the tiles.";
  fill(
    panel,
    make("p", { class: "eyebrow" }, `Round ${round}`),
    make("h2", {}, out === null ? "The round is over" : `${nameOf(out)}: Rummikub!`),
    make("p", { class: "hint" }, hint),
    make("div", { class: "rack-cards" }, ...seated().map(({ player, seat }) => card(player, seat, seat === out))),
    alarms.length > 0 ? make("ul", { class: "alarms" }, ...alarms.map((alarm) => make("li", {}, alarm.text))) : null,
    may("overrule") ? make("div", { class: "ways" }, button("Overrule the last verdict", overruleLast)) : null,
  );
}

/**
 * @param {Player} player
 * @param {number} seat
 * @param {boolean} out whether the rack is empty
 */
function card(player, seat, out) {
  const { stars } = gameNight().edition;
  const head = make(
    "div",
    { class: "rack-head" },
    make("b", {}, player.name),
    player.known ? make("span", { class: "known" }, icon("tick")) : null,
    make("span", { class: "sum" }, out ? "empty rack" : sumOf(player)),
  );
  const tiles = player.shown?.length
    ? make("div", { class: "rack-tiles" }, ...player.shown.map((tile) => tileElement(tile)))
    : null;
  const kind = player.known ? "" : "main";
  const way = stars
    ? button(player.known ? "Count again" : "Count", () => countRack(seat), kind)
    : button(player.known ? "Edit" : "Show the rack", () => enterRack(seat), kind);
  return make(
    "div",
    { class: player.known ? "rack-card known" : "rack-card" },
    head,
    tiles,
    out && player.rack === 0 ? null : way,
  );
}

/** @param {Player} player */
function sumOf({ rack, rack_points: points, shown }) {
  if (points !== null && shown) return `${points} points`;
  return rack === null ? "" : count(rack, "tile");
}

/**
 * A round that ends by a slip of the finger would start everybody counting.
 * @param {number} seat
 */
export function endRound(seat) {
  const rack = gameNight().players[seat].rack ?? 0;
  const counted =
    rack > 0 ? `By the count so far ${count(rack, "tile")} ${rack === 1 ? "is" : "are"} left on it. ` : "";
  confirmDialog(
    `${nameOf(seat)}’s rack is empty: end the round?`,
    `${counted}The other racks are shown and counted next.`,
    "End the round",
    () => act("rack-count", { player: seat, tiles: 0 }),
  );
}

/**
 * Asks for a count of tiles, where stars are counted or somebody wants to put the ledger right.
 * @param {number} seat
 * @param {string} [label] of the button
 */
export function countRack(seat, label = "That many are left") {
  const player = gameNight().players[seat];
  askCount(`How many tiles has ${player.name}?`, player.rack ?? 0, label, (tiles) =>
    act("rack-count", { player: seat, tiles }),
  );
}

/**
 * Asks for a number of tiles.
 * @param {string} title
 * @param {number} start
 * @param {string} label of the button
 * @param {(tiles: number) => Promise<boolean>} send gives whether it was done; only then the dialog closes
 */
export function askCount(title, start, label, send) {
  let number = start;
  const output = make("output", { class: "counted" }, String(number));
  /** @param {number} by */
  const step = (by) => () => {
    number = Math.max(0, Math.min(MOST_TILES, number + by));
    output.textContent = String(number);
  };
  const counter = make(
    "div",
    { class: "counter" },
    make("button", { type: "button", class: "button", "aria-label": "One less", onclick: step(-1) }, "−"),
    output,
    make("button", { type: "button", class: "button", "aria-label": "One more", onclick: step(1) }, icon("plus")),
  );
  const dialog = openDialog(title, [counter], {
    foot: [button(label, async () => (await send(number)) && dialog.close(), "main")],
  });
}
