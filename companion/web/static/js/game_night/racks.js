// The end of a round: what is left on each rack is scanned or entered, player by player, until the round can be scored.
import { draw, fill, icon, make } from "../dom.js";
import { enterRack } from "../entry/rack_entry.js";
import { tileElement } from "../tiles.js";
import { count } from "../words.js";
import { button, confirmDialog, openDialog } from "./dialog.js";
import { act, evening, may, nameOf } from "./store.js";
import { overrule } from "./verdict_card.js";

export const racksShow = () => [evening().players, evening().out, evening().alarms, evening().may];

export function drawRacks(panel) {
  const { out, players, alarms, edition } = evening();
  const title = out === null ? "The round is over" : `${nameOf(out)}: Rummikub!`;
  fill(
    panel,
    make("p", { class: "eyebrow" }, `Round ${evening().round}`),
    make("h2", {}, title),
    make(
      "p",
      { class: "hint" },
      edition.stars
        ? "How many tiles are left on each rack?"
        : "Show the other racks: scan them, take a picture with a phone, or tap the tiles.",
    ),
    make(
      "div",
      { class: "rack-cards" },
      ...players
        .map((player, seat) => ({ player, seat }))
        .filter(({ player }) => !player.away && !player.waits)
        .map(({ player, seat }) => card(player, seat, seat === out)),
    ),
    alarms.length > 0 ? make("ul", { class: "alarms" }, ...alarms.map((alarm) => make("li", {}, alarm.text))) : null,
    may("overrule")
      ? make(
          "div",
          { class: "ways" },
          button("Overrule the last verdict", () => overrule(false)),
        )
      : null,
  );
}

function card(player, seat, out) {
  const { edition } = evening();
  const head = make(
    "div",
    { class: "rack-head" },
    make("b", {}, player.name),
    player.known ? make("span", { class: "known" }, icon("tick")) : null,
    make(
      "span",
      { class: "sum" },
      out
        ? "empty rack"
        : player.rack_points !== null && player.shown
          ? `${player.rack_points} points`
          : player.rack === null
            ? ""
            : count(player.rack, "tile"),
    ),
  );
  const tiles = player.shown?.length
    ? make("div", { class: "rack-tiles" }, ...player.shown.map((tile) => tileElement(tile)))
    : null;
  const ways =
    out && player.rack === 0
      ? []
      : edition.stars
        ? [button(player.known ? "Count again" : "Count", () => countRack(seat), player.known ? "" : "main")]
        : [button(player.known ? "Edit" : "Show the rack", () => enterRack(seat), player.known ? "" : "main")];
  return make("div", { class: player.known ? "rack-card known" : "rack-card" }, head, tiles, ...ways);
}

// A round that ends by a slip of the finger would start everybody counting.
export function endRound(seat) {
  const { rack } = evening().players[seat];
  const counted =
    rack > 0 ? `By the count so far ${count(rack, "tile")} ${rack === 1 ? "is" : "are"} left on it. ` : "";
  confirmDialog(
    `${nameOf(seat)}’s rack is empty: end the round?`,
    `${counted}The other racks are shown and counted next.`,
    "End the round",
    () => act("rack-count", { player: seat, tiles: 0 }),
  );
}

// A count of tiles, where stars are counted or somebody wants to put the ledger right.
export function countRack(seat, says = "That many are left") {
  const player = evening().players[seat];
  countDialog(`How many tiles has ${player.name}?`, player.rack ?? 0, says, (tiles) =>
    act("rack-count", { player: seat, tiles }),
  );
}

export function countDialog(title, start, says, send) {
  let number = start;
  const shown = make("output", { class: "counted" }, String(number));
  const step = (by) => () => {
    number = Math.max(0, Math.min(999, number + by));
    shown.textContent = String(number);
  };
  const dialog = openDialog(
    title,
    [
      make(
        "div",
        { class: "counter" },
        make("button", { type: "button", class: "button", "aria-label": "One less", onclick: step(-1) }, "−"),
        shown,
        make(
          "button",
          { type: "button", class: "button", "aria-label": "One more", onclick: step(1) },
          draw("svg", { viewBox: "0 0 24 24" }, draw("use", { href: "#icon-plus" })),
        ),
      ),
    ],
    {
      foot: [button(says, async () => (await send(number)) && dialog.close(), "main")],
    },
  );
}
