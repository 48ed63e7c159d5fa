// The start of a round: who begins, by the edition's way, and the deal.

import { button, openDialog } from "../dialog.js";
import { fill, make } from "../dom.js";
import { tilePad } from "../entry/pad.js";
import { gettext, ngettext } from "../language.js";
import { tileElement } from "../tiles.js";
import { lettersOf, roundWords } from "../words.js";
import { act, gameNight, may, nameOf, seated, state } from "./store.js";
import { tilePicks } from "./tile_picks.js";

// If the picture shows more tiles than this, they are not lots.
const MOST_LOTS = 12;

/** @type {Record<number, Tile>} the lots drawn so far, by seat */
let drawn = {};
// The draw of these lots: after a tie there is a new draw, and another tablet may have entered this draw already.
let drawnFor = "";
/** @type {number | null} the seat that was chosen to enter its lot next */
let chosenSeat = null;

const roundStartShows = () => {
  const { id, starting, phase, players, round } = gameNight();
  const draw = JSON.stringify([id, round, starting?.contenders, starting?.draws]);
  if (draw !== drawnFor) {
    drawnFor = draw;
    drawn = {};
    chosenSeat = null;
  }
  return [starting, phase, players, round, drawn, chosenSeat, cameraTiles()];
};

/**
 * @param {HTMLElement} panel
 * @param {() => void} redraw
 */
function drawRoundStart(panel, redraw) {
  const { phase, starting, round, rounds_agreed: agreed } = gameNight();
  if (!starting) return;
  fill(
    panel,
    make("p", { class: "eyebrow" }, roundWords(round, agreed)),
    ...(phase === "deal" ? dealLines(starting) : starterLines(starting, redraw)),
  );
}

/**
 * The lines to find who begins.
 * @param {Starting} starting
 * @param {() => void} redraw
 */
function starterLines(starting, redraw) {
  const lots = may("lots");
  const title = starting.oldest
    ? gettext("Who is the oldest, or leads the game?")
    : lots
      ? starting.again
        ? gettext("Draw again")
        : gettext("Everybody draws a tile: the highest begins")
      : gettext("Who begins?");
  const classes = lots ? "button" : "seat-card";
  const seats = seated((player) => !player.away).map(({ player, seat }) =>
    make("button", { type: "button", class: classes, onclick: () => begin(seat, starting) }, player.name),
  );
  return [
    make(
      "div",
      { class: "title-line" },
      make("h2", {}, title),
      may("app-draws") && button(gettext("Let the app draw"), () => act("app-draws")),
    ),
    lots &&
      make("p", { class: "hint strong", role: "status" }, starting.again || gettext("Tap here what each of you drew.")),
    ...(lots ? lotLines(starting, redraw) : []),
    make("p", { class: "hint" }, lots ? gettext("Or say who begins:") : gettext("Tap the player who begins.")),
    make("div", { class: "choose-seats" }, ...seats),
  ];
}

/**
 * @param {number} seat
 * @param {Starting} starting
 */
function begin(seat, { may_choose: mayChoose }) {
  return act("starter", { player: seat, overruled: !mayChoose });
}

/**
 * @param {Starting} starting
 * @param {() => void} redraw
 * @returns {Child[]}
 */
function lotLines({ contenders }, redraw) {
  const next = chosenSeat ?? contenders.find((seat) => !drawn[seat]) ?? null;
  const cards = contenders.map((seat) => lotCard(seat, seat === next, redraw));
  /** @param {Tile} tile */
  const enter = (tile) => {
    if (next === null) return;
    drawn[next] = tile;
    chosenSeat = null;
    redraw();
  };
  const visible = cameraTiles();
  const title =
    next === null ? gettext("The camera sees") : gettext("The camera sees these: tap {name}'s", { name: nameOf(next) });
  return [
    make("div", { class: "lots" }, ...cards),
    visible.length > 0 ? tilePicks(title, visible, enter) : null,
    contenders.every((seat) => drawn[seat]) ? sendLots(contenders, redraw) : tilePad(gameNight().edition, enter),
  ];
}

/**
 * @param {number} seat
 * @param {boolean} on
 * @param {() => void} redraw
 */
function lotCard(seat, on, redraw) {
  const choose = () => {
    chosenSeat = seat;
    redraw();
  };
  return make(
    "button",
    { type: "button", class: on ? "lot on" : "lot", onclick: choose },
    make("b", { style: lettersOf(nameOf(seat)) }, nameOf(seat)),
    drawn[seat] ? tileElement(drawn[seat]) : make("span", { class: "lot-empty" }, "?"),
  );
}

/**
 * @param {number[]} contenders
 * @param {() => void} redraw
 */
function sendLots(contenders, redraw) {
  const again = () => {
    drawn = {};
    redraw();
  };
  const send = () => act("lots", { tiles: contenders.map((seat) => drawn[seat].text).join(" ") });
  return make("div", { class: "ways" }, button(gettext("Enter again"), again), button(gettext("Save"), send, "main"));
}

// The few tiles that the camera sees, from left to right.
function cameraTiles() {
  const { reading, settled } = state();
  if (!reading || !settled || !reading.trusted || reading.tiles.length > MOST_LOTS) return [];
  return reading.tiles.filter((tile) => tile.there).sort((a, b) => a.quad[0][0] - b.quad[0][0]);
}

/**
 * The lines about the deal.
 * @param {Starting} starting
 */
function dealLines({ starter, drawn: lots, dealing, redeal }) {
  return [
    make("h2", {}, gettext("{name} begins", { name: nameOf(starter) })),
    (redeal || lots) && make("p", { class: "hint strong" }, redeal || lots),
    make("ol", { class: "how" }, ...dealSteps(dealing).map((step) => make("li", {}, step))),
    make("p", { class: "hint" }, poolWords(dealing)),
    make("div", { class: "ways" }, ...dealWays(dealing)),
  ];
}

/** @param {Dealing} dealing */
const poolWords = ({ pool }) =>
  ngettext(
    "{count} tile stays face down. It is the pool to draw from. The clock waits until you start it.",
    "{count} tiles stay face down. They are the pool to draw from. The clock waits until you start it.",
    pool,
  );

/** @param {Dealing} dealing */
function dealWays(dealing) {
  return [
    button(gettext("Other numbers of tiles"), () => askCounts(dealing)),
    button(gettext("All have their tiles"), () => act("deal"), "main large"),
  ];
}

/** @param {Dealing} dealing */
function dealSteps({ each, stacks, stacks_each: stacksEach, loose_each: loose, stars }) {
  const steps = [
    gettext("Mix the tiles face down."),
    ngettext(
      "Everybody takes {count} tile and puts it on the rack.",
      "Everybody takes {count} tiles and puts them on the rack.",
      each,
    ),
  ];
  if (stacks.length > 0) {
    const [first, tiles = first] = stacks;
    steps[0] =
      first === tiles
        ? gettext("Mix the tiles face down and make {stacks} stacks of {tiles} tiles.", {
            stacks: stacks.length,
            tiles,
          })
        : gettext(
            "Mix the tiles face down and make {stacks} stacks of {tiles} tiles and one of {first} ({total} tiles in " +
              "all). Draw from that one first.",
            { stacks: stacks.length - 1, tiles, first, total: first + tiles * (stacks.length - 1) },
          );
    const looseTiles = ngettext("{count} more tile", "{count} more tiles", loose);
    steps[1] = loose
      ? ngettext(
          "Pass {count} stack and {loose} to your left neighbour. Then everybody has {each} tiles.",
          "Pass {count} stacks and {loose} to your left neighbour. Then everybody has {each} tiles.",
          stacksEach,
          { loose: looseTiles, each },
        )
      : ngettext(
          "Pass {count} stack to your left neighbour. Then everybody has {each} tiles.",
          "Pass {count} stacks to your left neighbour. Then everybody has {each} tiles.",
          stacksEach,
          { each },
        );
  }
  if (stars !== null) steps.push(ngettext("Everybody takes {count} star.", "Everybody takes {count} stars.", stars));
  return steps;
}

/** @param {Dealing} dealing */
function askCounts({ each }) {
  const fields = gameNight().players.map((player) => ({
    name: player.name,
    field: make("input", {
      type: "number",
      min: 0,
      max: 99,
      inputmode: "numeric",
      class: "field",
      value: player.away ? 0 : each,
    }),
  }));
  const send = async () =>
    (await act("deal", { counts: fields.map(({ field }) => Number(field.value)) })) && dialog.close();
  const dialog = openDialog(
    gettext("How many tiles does each player have?"),
    fields.map(({ name, field }) => make("label", { class: "count-field" }, make("span", {}, name), field)),
    { foot: [button(gettext("Deal"), send, "main")] },
  );
}

export const ROUND_START = { shows: roundStartShows, draw: drawRoundStart };
