// The menu: what is needed seldom, by what it is about. Each line is there only while it can be done.
import { toggle } from "../controls.js";
import { openDialog } from "../dialog.js";
import { make } from "../dom.js";
import { enterRack } from "../entry/rack_entry.js";
import { choosePlayer } from "./choose_player.js";
import { askJoining, askLeaving, confirmEnd, confirmLeave } from "./coming_and_going.js";
import { openHistory } from "./history.js";
import { askLostTile, askReturnedTile } from "./lost_tiles.js";
import { overrule, overruleLast } from "./overrule.js";
import { askCount, countRack } from "./racks.js";
import { openScore } from "./score.js";
import { openSettings } from "./settings.js";
import { askStanding } from "./standing.js";
import { act, gameNight, may, maySteer, nameOf } from "./store.js";
import { takeTableNow } from "./table_now.js";
import { openTablets } from "./tablets.js";

/** @typedef {{ text: string, hint?: string, go: () => unknown }} Line */

export function openMenu() {
  /** @param {() => unknown} go */
  const closing = (go) => () => {
    dialog.close();
    go();
  };
  /** @type {[title: string, lines: (Line | false)[]][]} */
  const groups = [
    ["This turn", turnLines()],
    ["This round", roundLines()],
    ["This evening", eveningLines()],
    ["This tablet", tabletLines()],
  ];
  const drawn = groups.map(([title, lines]) => group(title, lines, closing));
  const dialog = openDialog("Menu", [make("div", { class: "menu" }, ...drawn)], { roomy: true });
}

/**
 * @param {string} title
 * @param {(Line | false)[]} lines
 * @param {(go: () => unknown) => () => void} closing
 */
function group(title, lines, closing) {
  const buttons = lines
    .filter((line) => line !== false)
    .map(({ text, hint, go }) =>
      make(
        "button",
        { type: "button", class: "menu-line", onclick: closing(go) },
        make("b", {}, text),
        hint ? make("small", {}, hint) : null,
      ),
    );
  if (buttons.length === 0) return null;
  return make("section", { class: "menu-group", "aria-label": title }, make("h3", {}, title), ...buttons);
}

/** @returns {(Line | false)[]} */
function turnLines() {
  const judged = gameNight().wrong || may("cancel");
  return [
    may("table") && {
      text: "This is the table now",
      hint: "After a spill or a bump, or for a game already begun",
      go: takeTableNow,
    },
    may("overrule") && {
      text: judged ? "Overrule" : "Overrule the last verdict",
      hint: "The table decides; the reason is kept",
      go: judged ? overrule : overruleLast,
    },
    may("turn") && { text: "Whose turn it is", hint: "Give the turn to another player", go: askTurn },
    may("redeal") && { text: "Demand a redeal", hint: "Three pairs among the first tiles", go: askRedeal },
  ];
}

/** @returns {(Line | false)[]} */
const roundLines = () => [
  may("begun") && {
    text: "How the game stands",
    hint: "Who has opened, and everybody’s tiles, on one screen",
    go: askStanding,
  },
  may("rack-count") && { text: "Count a rack", hint: "A wrong draw put right", go: askRackToCount },
  may("pool-count") && { text: "Count the pool", go: countPool },
  may("opened") && gameNight().edition.opening_points > 0 && { text: "Who has opened", go: askOpened },
  may("lost") && { text: "A tile is lost", go: askLostTile },
  may("returned") && { text: "A lost tile is back", go: askReturnedTile },
];

/** @returns {(Line | false)[]} */
const eveningLines = () => [
  { text: "Score sheet", go: openScore },
  { text: "History", hint: "What happened, step by step", go: openHistory },
  may("joined") && { text: "Somebody joins", go: askJoining },
  may("left") && { text: "Somebody leaves", go: askLeaving },
  may("end") && { text: "End the evening", hint: "What is scored stays", go: confirmEnd },
  maySteer() && { text: "Leave this evening", hint: "It is kept and can be opened again", go: confirmLeave },
];

/** @returns {(Line | false)[]} */
const tabletLines = () => [
  { text: "Settings", hint: may("settings") ? "Clock, sounds, corrected tiles" : "Sounds", go: openSettings },
  { text: "Tablets", hint: "Join code and QR code", go: openTablets },
  maySteer() && { text: "Camera and play area", go: () => location.assign("/setup#camera") },
];

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

function askOpened() {
  const lines = gameNight().players.map((player, seat) =>
    toggle(player.name, player.opened, (opened) => act("opened", { player: seat, opened })),
  );
  openDialog("Who has opened", lines);
}
