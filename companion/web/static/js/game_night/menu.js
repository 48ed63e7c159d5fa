// The menu: four large buttons, then rarely used actions, grouped by topic. Lines appear only if they are possible now.

import { openDialog } from "../dialog.js";
import { icon, make } from "../dom.js";
import { listHints } from "../hints.js";
import { gettext, LANGUAGE } from "../language.js";
import { onceLoaded } from "../late.js";
import { openRules } from "../rulebook.js";
import { askAgreement } from "./agreement.js";
import { choosePlayer } from "./choose_player.js";
import { isTimed } from "./clock_face.js";
import { askJoining, askLeaving, confirmEnd, confirmLeave } from "./coming_and_going.js";
import { openHistory } from "./history.js";
import { askLostTile, askReturnedTile } from "./lost_tiles.js";
import { overrule, overruleLast } from "./overrule.js";
import { changeOwnLimits } from "./own_limits.js";
import { openScore } from "./score.js";
import { openSettings } from "./settings.js";
import { askStanding } from "./standing.js";
import { act, gameNight, isPlaying, may, maySteer, nameOf, send, state } from "./store.js";
import { takeTableNow } from "./table_now.js";
import { openTablets } from "./tablets.js";
import { tellTable } from "./tell_table.js";
import { openTouch } from "./touch_anywhere.js";

/** @typedef {{ text: string, icon: string, hint?: string, go: () => unknown }} Line */

export function openMenu() {
  /** @param {() => unknown} go */
  const closing = (go) => () => {
    dialog.close();
    go();
  };
  /** @type {[title: string, lines: (Line | false)[]][]} */
  const groups = [
    [gettext("Help"), helpLines()],
    [gettext("This turn"), turnLines()],
    [gettext("This round"), roundLines()],
    [gettext("This evening"), eveningLines()],
    [gettext("This device"), tabletLines()],
  ];
  const large = largeLines().map(({ text, icon: picture, go }) =>
    make(
      "button",
      { type: "button", class: "menu-line large", onclick: closing(go) },
      icon(picture),
      make("b", {}, text),
    ),
  );
  const drawn = groups.map(([title, lines]) => group(title, lines, closing));
  const dialog = openDialog(
    gettext("Menu"),
    [languageLinks(), make("div", { class: "menu-large" }, ...large), make("div", { class: "menu" }, ...drawn)],
    { roomy: true },
  );
}

// The language links come first, so that somebody who can't read the other lines finds them; a choice reloads the page.
function languageLinks() {
  const links = [...document.querySelectorAll("link[hreflang]")].filter((link) => link instanceof HTMLLinkElement);
  const ways = links.map(({ hreflang, href, title }) =>
    make(
      "a",
      { class: "button", href, hreflang, lang: hreflang, "aria-current": hreflang === LANGUAGE ? "true" : null },
      title,
    ),
  );
  return make("nav", { class: "ways languages", "aria-label": gettext("Language") }, ...ways);
}

/**
 * @param {string} title
 * @param {(Line | false)[]} lines
 * @param {(go: () => unknown) => () => void} closing
 */
function group(title, lines, closing) {
  const buttons = lines
    .filter((line) => line !== false)
    .map(({ text, icon: picture, hint, go }) =>
      make(
        "button",
        { type: "button", class: "menu-line", onclick: closing(go) },
        icon(picture),
        make("b", {}, text),
        hint ? make("small", {}, hint) : null,
      ),
    );
  if (buttons.length === 0) return null;
  return make("section", { class: "menu-group", "aria-label": title }, make("h3", {}, title), ...buttons);
}

/** @returns {Line[]} */
const largeLines = () => [
  { text: gettext("Settings"), icon: "settings", go: openSettings },
  { text: gettext("The rules"), icon: "book", go: () => openRules() },
  { text: gettext("Score sheet"), icon: "sheet", go: openScore },
  { text: gettext("History"), icon: "history", go: openHistory },
];

/** @returns {(Line | false)[]} */
const helpLines = () => [
  { text: gettext("Tell me the table"), icon: "speaker", hint: gettext("Reads it aloud; the key is T"), go: tellTable },
  {
    text: gettext("First steps"),
    icon: "play",
    hint: gettext("Camera, play area, a practice turn"),
    go: () => location.assign("/first"),
  },
  { text: gettext("What the buttons do"), icon: "query", hint: gettext("Or press and hold a button"), go: listHints },
];

/** @returns {(Line | false)[]} */
function turnLines() {
  const judged = gameNight().wrong || may("cancel");
  return [
    maySteer() &&
      state().hall?.called === false && {
        text: gettext("Call the referee"),
        icon: "call",
        hint: gettext("The clock stops, and the referee sees the table before and after"),
        go: () => send("hall/call", {}),
      },
    may("table") && {
      text: gettext("This is the table now"),
      icon: "hand",
      hint: gettext("If something fell over, or the game has already begun"),
      go: takeTableNow,
    },
    may("overrule") && {
      text: judged ? gettext("Change decision") : gettext("Change the last decision"),
      icon: "scales",
      hint: gettext("The players decide; the reason is kept"),
      go: judged ? overrule : overruleLast,
    },
    may("turn") && {
      text: gettext("Whose turn it is"),
      icon: "person",
      hint: gettext("Give the turn to another player"),
      go: askTurn,
    },
    may("redeal") && {
      text: gettext("Ask for a new deal"),
      icon: "restart",
      hint: gettext("Three pairs among the first tiles"),
      go: askRedeal,
    },
  ];
}

/** @returns {(Line | false)[]} */
const roundLines = () => [
  may("begun") && {
    text: gettext("How the game stands"),
    icon: "pool",
    hint: gettext("Who has opened, and how many tiles everybody has, on one screen"),
    go: askStanding,
  },
  may("lost") && { text: gettext("A tile is lost"), icon: "query", go: askLostTile },
  may("returned") && { text: gettext("A lost tile is back"), icon: "tick", go: askReturnedTile },
];

/** @returns {(Line | false)[]} */
const eveningLines = () => [
  may("agreement") && {
    text: gettext("Names and rules"),
    icon: "pen",
    hint: gettext("The end, time for a turn, opening"),
    go: askAgreement,
  },
  may("settings") &&
    may("agreement") &&
    isTimed() && {
      text: gettext("Time per player"),
      icon: "clock",
      hint: gettext("More for a child, less for a champion"),
      go: changeOwnLimits,
    },
  may("joined") && { text: gettext("A player joins"), icon: "plus", go: askJoining },
  may("left") && { text: gettext("A player leaves"), icon: "pass", go: askLeaving },
  may("end") && { text: gettext("End the evening"), icon: "flag", hint: gettext("The scores stay"), go: confirmEnd },
  {
    text: gettext("Past evenings"),
    icon: "calendar",
    hint: gettext("Standings, and files to share"),
    go: () => location.assign("/evenings"),
  },
  maySteer() && {
    text: gettext("Leave this evening"),
    icon: "left",
    hint: gettext("It is saved, and you can open it again"),
    go: confirmLeave,
  },
];

/** @returns {(Line | false)[]} */
const tabletLines = () => [
  { text: gettext("Tablets and phones"), icon: "tablet", hint: gettext("Join code and QR code"), go: openTablets },
  maySteer() && {
    text: gettext("Touch anywhere"),
    icon: "finger",
    hint: gettext("The whole screen ends the turn, like a chess clock"),
    go: openTouch,
  },
  {
    text: gettext("Scoreboard"),
    icon: "screen",
    hint: gettext("For a second screen or a TV"),
    go: () => location.assign("/scoreboard"),
  },
  {
    text: gettext("Overlay for streams"),
    icon: "eye",
    hint: gettext("A transparent page for OBS and other programs"),
    go: () => window.open("/overlay"), // it has no way back, and an installed app shows none
  },
  maySteer() && { text: gettext("Camera and play area"), icon: "camera", go: () => location.assign("/setup#camera") },
];

const askRedeal = () => {
  /** @param {number} seat */
  const show = (seat) => {
    const open = onceLoaded(
      () => import("../entry/seat_rack.js"),
      ({ enterRack }) =>
        enterRack(seat, {
          title: gettext("{name}'s first tiles", { name: nameOf(seat) }),
          label: gettext("Show them"),
          send: (tiles) => act("redeal", { player: seat, tiles }),
        }),
    );
    return open();
  };
  choosePlayer(gettext("Who asks for it?"), show, { which: (player) => isPlaying(player) && player.turns === 0 });
};

const askTurn = () => choosePlayer(gettext("Whose turn is it?"), (seat) => act("turn", { player: seat }));
