// The menu: what is needed seldom. Each line is there only while it can be done.
import { switchBox, switchLine, toggle } from "../controls.js";
import { button, confirmDialog, openDialog } from "../dialog.js";
import { make } from "../dom.js";
import { tilePad } from "../entry/pad.js";
import { enterRack } from "../entry/rack_entry.js";
import { overrule, overruleLast } from "./overrule.js";
import { askCount, countRack, endRound } from "./racks.js";
import { leave } from "./score.js";
import { openSettings } from "./settings.js";
import { askStanding } from "./standing.js";
import { act, gameNight, isPlaying, may, maySteer, nameOf, seated } from "./store.js";
import { takeTableNow } from "./table_now.js";
import { openTablets } from "./tablets.js";

export function openMenu() {
  const { phase, wrong, edition, out } = gameNight();
  const turns = phase === "turns";
  const judged = wrong || may("cancel");
  /**
   * @param {string} text
   * @param {string | null} hint
   * @param {() => unknown} go
   */
  const line = (text, hint, go) => {
    const press = () => {
      dialog.close();
      go();
    };
    return make(
      "button",
      { type: "button", class: "menu-line", onclick: press },
      make("b", {}, text),
      hint ? make("small", {}, hint) : null,
    );
  };
  const lines = [
    turns && may("rack-count") && out === null && line("Rummikub!", "A rack is empty: the round ends", askWhoIsOut),
    may("table") && line("This is the table now", "After a spill or a bump, or for a game already begun", takeTableNow),
    may("overrule") &&
      line(
        judged ? "Overrule" : "Overrule the last verdict",
        "The table decides; the reason is kept",
        judged ? overrule : overruleLast,
      ),
    may("redeal") && line("Demand a redeal", "Three pairs among the first tiles", askRedeal),
    may("turn") && line("Whose turn it is", "Give the turn to another player", askTurn),
    may("pool-count") && line("Count the pool", null, countPool),
    may("begun") && line("How the game stands", "Who has opened, and everybody’s tiles, on one screen", askStanding),
    may("rack-count") && line("Count a rack", "A wrong draw put right", askRackToCount),
    may("opened") && edition.opening_points > 0 && line("Who has opened", null, askOpened),
    may("lost") && line("A tile is lost", null, askLostTile),
    may("returned") && line("A lost tile is back", null, askReturnedTile),
    may("joined") && line("Somebody joins", null, askJoining),
    may("left") && line("Somebody leaves", null, askLeaving),
    line("Settings", may("settings") ? "Clock, sounds, corrected tiles" : "Sounds", openSettings),
    line("Tablets", "Join code and QR code", openTablets),
    maySteer() && line("Camera and play area", null, () => location.assign("/setup#camera")),
    may("end") && line("End the evening", "What is scored stays", confirmEnd),
    maySteer() && line("Leave this evening", "It is kept and can be opened again", leave),
  ];
  const dialog = openDialog("Menu", [make("div", { class: "menu" }, ...lines)], { roomy: true });
}

// Whoever has just laid the last tile is seldom the player whose clock runs now: the app has passed the turn on.
function askWhoIsOut() {
  const { player, players } = gameNight();
  const before = players.map((_, steps) => ((player ?? 0) + players.length - 1 - steps) % players.length);
  const last = before.find((seat) => isPlaying(players[seat]));
  choosePlayer("Rummikub! Whose rack is empty?", endRound, {
    likelihood: (seat) => (seat === player ? 2 : seat === last ? 1 : 0),
  });
}

const askRedeal = () =>
  choosePlayer("Who demands it?", (seat) =>
    enterRack(seat, {
      title: `${nameOf(seat)}’s first tiles`,
      label: "Show them",
      send: (tiles) => act("redeal", { player: seat, tiles }),
    }),
  );

const askTurn = () => choosePlayer("Whose turn is it?", (seat) => act("turn", { player: seat }));

const askRackToCount = () => choosePlayer("Whose rack?", (seat) => countRack(seat, "That many"));

const countPool = () =>
  askCount("How many tiles are in the pool?", gameNight().pool ?? 0, "That many", (tiles) =>
    act("pool-count", { tiles }),
  );

function askLeaving() {
  /** @param {number} seat */
  const confirm = (seat) =>
    confirmDialog(
      `${nameOf(seat)} leaves?`,
      "The tiles go into the pool, and what was noted stays on the sheet.",
      "Leave",
      () => act("left", { player: seat }),
    );
  choosePlayer("Who leaves?", confirm, { which: (player) => !player.away });
}

const confirmEnd = () =>
  confirmDialog("End the evening?", "A round that is not scored yet counts for nothing.", "End it", () => act("end"));

/**
 * Asks for a player.
 * @param {string} title
 * @param {(seat: number) => unknown} choose
 * @param {object} [options]
 * @param {(seat: number) => number} [options.likelihood] the likelier ones come first
 * @param {(player: Player) => boolean} [options.which]
 */
function choosePlayer(title, choose, { likelihood = () => 0, which = isPlaying } = {}) {
  const seats = seated(which).sort((one, other) => likelihood(other.seat) - likelihood(one.seat));
  const cards = seats.map(({ player, seat }) => {
    const press = () => {
      dialog.close();
      choose(seat);
    };
    return make("button", { type: "button", class: "seat-card", onclick: press }, player.name);
  });
  const dialog = openDialog(title, [make("div", { class: "choose-seats" }, ...cards)]);
}

function askOpened() {
  const lines = gameNight().players.map((player, seat) =>
    toggle(player.name, player.opened, (opened) => act("opened", { player: seat, opened })),
  );
  openDialog("Who has opened", lines);
}

function askLostTile() {
  /** @param {string | null} tile */
  const lose = async (tile) => (await act("lost", { tile })) && dialog.close();
  const dialog = openDialog(
    "Which tile is lost?",
    [
      make("p", { class: "hint" }, "The ledger counts without it from now on."),
      tilePad(gameNight().edition, ({ text }) => lose(text)),
      button("Nobody knows which", () => lose(null)),
    ],
    { wide: true },
  );
}

function askReturnedTile() {
  const { lost, edition } = gameNight();
  /** @param {Tile} tile */
  const takeBack = async ({ text }) => (await act("returned", { tile: text })) && dialog.close();
  const known = lost.filter((tile) => tile !== null);
  const cards = known.map((tile) =>
    make("button", { type: "button", class: "seat-card", onclick: () => takeBack(tile) }, tile.name),
  );
  const dialog = openDialog(
    "Which tile is back?",
    [make("div", { class: "choose-seats" }, ...cards), tilePad(edition, takeBack)],
    { wide: true },
  );
}

function askJoining() {
  const name = make("input", {
    type: "text",
    class: "field",
    maxlength: 120,
    placeholder: "Name",
    "aria-label": "Name",
    autocomplete: "off",
  });
  const atOnce = switchBox({ checked: true });
  const send = async () => (await act("joined", { name: name.value, deals: atOnce.checked })) && dialog.close();
  const dialog = openDialog("Somebody joins", [name, switchLine(atOnce, "Takes tiles at once")], {
    foot: [button("Sit down", send, "main")],
  });
  name.focus();
}
