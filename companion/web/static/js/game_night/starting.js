// Before a round: who begins, found out the edition's way, and what everybody takes.
import { fill, make } from "../dom.js";
import { tilePad } from "../entry/pad.js";
import { tileElement } from "../tiles.js";
import { count } from "../words.js";
import { button, openDialog } from "./dialog.js";
import { act, evening, may, nameOf, state } from "./store.js";

// The tiles drawn so far, by seats; forgotten once they are sent.
let drawn = {};
let asked = null;

export const startingShows = () => [
  evening().starting,
  evening().phase,
  evening().players,
  evening().round,
  drawn,
  asked,
  cameraTiles(),
];

export function drawStarting(panel, again) {
  const { phase, starting, round, rounds_agreed: agreed } = evening();
  const of = agreed ? ` of ${agreed}` : "";
  fill(
    panel,
    make("p", { class: "eyebrow" }, `Round ${round}${of}`),
    ...(phase === "deal" ? dealing(starting) : finding(starting, again)),
  );
}

function finding(starting, again) {
  const asksLots = may("lots");
  const ask = starting.oldest
    ? "Who is the oldest, or in charge?"
    : asksLots
      ? "Everybody draws a tile: the highest begins"
      : "Who begins?";
  const lines = [make("h2", {}, ask)];
  if (asksLots) lines.push(...lots(starting, again));
  const seats = evening()
    .players.map((player, seat) => ({ player, seat }))
    .filter(({ player }) => !player.away);
  lines.push(
    make("p", { class: "hint" }, asksLots ? "Or say who begins:" : "Tap whoever begins."),
    make(
      "div",
      { class: "choose-seats" },
      ...seats.map(({ player, seat }) =>
        make(
          "button",
          { type: "button", class: asksLots ? "button" : "seat-card", onclick: () => begin(seat) },
          player.name,
        ),
      ),
    ),
  );
  return lines;
}

const begin = (seat) => {
  drawn = {};
  return act("starter", { player: seat, overruled: !evening().starting.may_choose });
};

function lots(starting, again) {
  const next = asked ?? starting.contenders.find((seat) => !drawn[seat]) ?? null;
  const cards = starting.contenders.map((seat) =>
    make(
      "button",
      {
        type: "button",
        class: seat === next ? "lot on" : "lot",
        onclick: () => {
          asked = seat;
          again();
        },
      },
      make("b", {}, nameOf(seat)),
      drawn[seat] ? tileElement(drawn[seat]) : make("span", { class: "lot-empty" }, "?"),
    ),
  );
  const take = (tile) => {
    if (next === null) return;
    drawn[next] = tile;
    asked = null;
    again();
  };
  const seen = cameraTiles();
  const all = starting.contenders.every((seat) => drawn[seat]);
  const send = async () => {
    const tiles = starting.contenders.map((seat) => drawn[seat].text).join(" ");
    if (await act("lots", { tiles })) drawn = {};
  };
  return [
    make("div", { class: "lots" }, ...cards),
    seen.length > 0
      ? make(
          "div",
          { class: "seen" },
          make("p", {}, next === null ? "The camera sees" : `The camera sees these: tap ${nameOf(next)}’s`),
          make(
            "div",
            { class: "seen-tiles" },
            ...seen.map((tile) =>
              make("button", { type: "button", class: "pick", onclick: () => take(tile) }, tileElement(tile)),
            ),
          ),
        )
      : null,
    all
      ? make(
          "div",
          { class: "ways" },
          button("Draw these again", () => {
            drawn = {};
            again();
          }),
          button("These were drawn", send, "main"),
        )
      : tilePad(evening().edition, (_, tile) => take(tile)),
  ];
}

function cameraTiles() {
  const { reading, settled } = state();
  if (!reading || !settled || !reading.trusted || reading.tiles.length > 12) return [];
  return reading.tiles.filter((tile) => tile.there).sort((a, b) => a.quad[0][0] - b.quad[0][0]);
}

function dealing(starting) {
  const { each, stacks, stacks_each: stacksEach, loose_each: loose, pool, stars } = starting.dealing;
  const stacked = stacks.length > 0;
  const one = stacks[0] !== stacks[1] ? `, and one of ${stacks[0]} to draw from first` : "";
  const besides = loose ? `, and ${count(loose, "tile")} besides` : "";
  const number = count(stacks.length, "stack");
  const how = stacked
    ? [
        `Mix the tiles face down and stack them: ${number}, of ${stacks[1] ?? stacks[0]} tiles${one}.`,
        `Pass ${count(stacksEach, "stack")} to your left neighbour${besides}: that makes ${each} tiles each.`,
      ]
    : ["Mix the tiles face down.", `Everybody takes ${each} tiles and stands them on the rack.`];
  if (stars !== null) how.push(`Everybody takes ${count(stars, "star")}.`);
  return [
    make("h2", {}, `${nameOf(starting.starter)} begins`),
    starting.redeal ? make("p", { class: "hint strong" }, starting.redeal) : null,
    make("ol", { class: "how" }, ...how.map((line) => make("li", {}, line))),
    make("p", { class: "hint" }, `${pool} tiles stay in the pool. The clock stands until you start it.`),
    make(
      "div",
      { class: "ways" },
      button("Other numbers of tiles", otherCounts),
      button("All have their tiles", () => act("deal"), "main large"),
    ),
  ].filter(Boolean);
}

function otherCounts() {
  const { players, starting } = evening();
  const fields = players.map((player) =>
    make(
      "label",
      { class: "count-field" },
      make("span", {}, player.name),
      make("input", {
        type: "number",
        min: 0,
        max: 99,
        inputmode: "numeric",
        class: "field",
        value: player.away ? 0 : starting.dealing.each,
      }),
    ),
  );
  const send = async () =>
    (await act("deal", { counts: fields.map((field) => Number(field.querySelector("input").value)) })) &&
    dialog.close();
  const dialog = openDialog("How many tiles has each?", fields, { foot: [button("Deal", send, "main")] });
}
