// The buttons of a turn: at most three large ones, for what the rules allow now, and the rest behind "More".

import { openDialog } from "../dialog.js";
import { byId, icon, make } from "../dom.js";
import { hinted } from "../hints.js";
import { gettext, ngettext, pgettext } from "../language.js";
import { askWhoIsOut, mayEndRound } from "./end_round.js";
import { enterTable } from "./enter_table.js";
import { acceptUndecided, overrule } from "./overrule.js";
import { act, gameNight, hasCamera, may, state } from "./store.js";
import { takeTableNow } from "./table_now.js";
import { actSurely, offerEntry } from "./turn.js";
import { turnCase } from "./turn_case.js";
import { closeWithTurn, hasJustBegun } from "./turn_dialogs.js";

/**
 * @typedef {object} Way
 * @property {string} id of its element
 * @property {string} text
 * @property {string} hint one sentence
 * @property {string} icon
 * @property {() => unknown} go
 * @property {boolean} [open] whether it can be pressed now
 * @property {boolean} [main]
 */
/** @typedef {{ large: Way[], more?: (Way | false)[] }} Ways */

const MOST_LARGE = 3;
// Elements are reused, so that the focused button keeps the focus.
/** @type {Map<string, { button: HTMLButtonElement, text: HTMLElement, way: Way }>} */
const elements = new Map();

export function drawTurnButtons() {
  const { large, more = [] } = waysNow();
  const rest = more.filter((way) => way !== false);
  if (large.length > MOST_LARGE) throw new Error("too many large buttons");
  // One way alone needs no list.
  const seldom = rest.length > 1 ? [moreOf(rest)] : rest;
  const shown = [...large.map((way) => elementOf(way, false)), ...seldom.map((way) => elementOf(way, true))];
  const actions = byId("actions");
  if (shown.length !== actions.children.length || shown.some((button, at) => button !== actions.children[at])) {
    actions.replaceChildren(...shown);
  }
}

/** @returns {Ways} */
function waysNow() {
  const byHandIfSeen = hasCamera() && byHand();
  switch (turnCase()) {
    case "reading":
      return { large: [done(), playOn()].filter(isOpen) };
    case "exceeded":
      return { large: [done()], more: [byHandIfSeen] };
    case "wrong":
      return {
        large: [done(), ...(may("stand") ? [takeBack()] : [])],
        more: [may("overrule") && change(), byHandIfSeen],
      };
    case "unsure":
      return { large: [done(), playOn()], more: [may("overrule") && change(), byHandIfSeen] };
    case "undecided":
      return { large: [counts(), countsNot(), playOn()].filter(isOpen) };
    case "begun":
      return { large: [done(), goOn(), layNothing()], more: [rummikub(), byHandIfSeen] };
    default:
      // Where passing is allowed, drawing stays possible too: then the pool was not empty, and a count was wrong.
      return { large: [done(), layNothing(), rummikub()], more: [may("pass") && may("draw") && draw(), byHandIfSeen] };
  }
}

/** @param {Way} way */
const isOpen = ({ open = true }) => open;

/** Whether the turn can be ended: not while the table is read, and not by the second half of a double tap. */
const mayEnd = () => state().turn.waiting_to === null && !hasJustBegun(drawTurnButtons);

const done = () => ({
  id: "done",
  text: gettext("Done"),
  hint: gettext("Ends the turn: the app checks the table, and if all is right, the next player plays."),
  icon: "tick",
  go: pressDone,
  open: mayPressDone(),
  main: true,
});
const mayPressDone = () => may("done") && mayEnd() && turnCase() !== "undecided";

export function pressDone() {
  if (!mayPressDone() || byId("actions").hidden) return;
  if (hasCamera()) act("done", {}, offerEntry("done"));
  else enterTable("done");
}

const layNothing = () => (may("pass") ? pass() : draw());
const draw = () => {
  const { stars } = gameNight().edition;
  return {
    id: "draw",
    text: stars ? gettext("Pay and draw") : gettext("Draw"),
    hint: stars
      ? gettext("Pays a star, takes a tile from the pool and ends the turn.")
      : gettext("Takes a tile from the pool and ends the turn."),
    icon: "pool",
    go: () => actSurely("draw", gettext("It is right: draw")),
    open: may("draw") && mayEnd(),
  };
};
const mustLayIfPossible = () => gameNight().edition.must_lay && (gameNight().pool ?? 1) <= 0;
const pass = () => ({
  id: "pass",
  text: mustLayIfPossible() ? gettext("Pass: nothing fits") : gettext("Pass"),
  hint: mustLayIfPossible()
    ? gettext("The pool is empty: if you can lay a tile, you must lay. Ends the turn if you can't.")
    : gettext("Ends the turn. You lay nothing and draw nothing."),
  icon: "pass",
  go: () => actSurely("pass", gettext("It is right: pass")),
  open: mayEnd(),
});
const rummikub = () => ({
  id: "rummikub",
  text: gettext("Rummikub!"),
  hint: gettext("Says that a rack is empty: the round ends, and you count the other racks."),
  icon: "star",
  go: askWhoIsOut,
  open: mayEndRound() && state().turn.waiting_to === null,
});
const byHand = () => ({
  id: "by-hand",
  text: gettext("By hand"),
  hint: gettext("Ends the turn with tiles that you enter, if the camera can't see them."),
  icon: "hand",
  go: () => enterTable("done"),
  open: may("done") && mayEnd(),
});
const playOn = () => ({
  id: "play-on",
  text: gettext("Play on"),
  hint: gettext("Takes back Done: the turn goes on."),
  icon: "play",
  go: () => act("cancel"),
  open: may("cancel"),
});
const takeBack = () => {
  const count = gameNight().taking_back_draws ?? 0;
  return {
    id: "take-back",
    text: count > 0 ? gettext("Take it back, draw {count}", { count }) : gettext("Take it back"),
    hint:
      count > 0
        ? ngettext(
            "Ends the turn: you put everything back and draw {count} tile.",
            "Ends the turn: you put everything back and draw {count} tiles.",
            count,
          )
        : gettext("Ends the turn: you put everything back."),
    icon: "back",
    go: () => act("stand"),
  };
};
const change = () => ({
  id: "change",
  text: gettext("Change decision"),
  hint: gettext("Lets the turn count, because all of you say so. The reason is kept."),
  icon: "hand",
  go: overrule,
});
const goOn = () => ({
  id: "go-on",
  text: gettext("Go on from this table"),
  hint: gettext("The turn starts again from the table that the camera sees."),
  icon: "play",
  go: takeTableNow,
});
const counts = () => ({
  id: "counts",
  text: gettext("It counts"),
  hint: gettext("Lets the turn count: the next player plays."),
  icon: "tick",
  go: acceptUndecided,
  open: may("overrule"),
  main: true,
});
const countsNot = () => ({
  id: "counts-not",
  text: gettext("It does not count"),
  hint: gettext("Ends the turn: you put everything back."),
  icon: "back",
  go: () => act("stand"),
  open: may("stand"),
});

/**
 * @param {Way[]} ways
 * @returns {Way}
 */
const moreOf = (ways) => ({
  id: "more-ways",
  text: pgettext("the button for what is needed more seldom", "More"),
  hint: gettext("Shows what else you can do in this turn."),
  icon: "menu",
  go: () => openMore(ways),
});

/** @param {Way[]} ways */
function openMore(ways) {
  const lines = ways.map(({ text, hint, icon: picture, go, open = true }) => {
    const press = () => {
      dialog.close();
      go();
    };
    return make(
      "button",
      { type: "button", class: "menu-line", disabled: !open, onclick: press },
      icon(picture),
      make("b", {}, text),
      make("small", {}, hint),
    );
  });
  const title = pgettext("the button for what is needed more seldom", "More");
  const dialog = openDialog(title, [make("div", { class: "menu-group" }, ...lines)]);
  closeWithTurn(dialog);
}

/**
 * @param {Way} way
 * @param {boolean} isSeldom whether it is a small button, for what is needed more seldom
 */
function elementOf(way, isSeldom) {
  const { button, text } = elements.get(way.id) ?? makeElement(way);
  elements.set(way.id, { button, text, way });
  text.textContent = way.text;
  button.classList.toggle("seldom", isSeldom);
  button.disabled = way.open === false;
  return hinted(button, way.hint);
}

/** @param {Way} way */
function makeElement({ id, icon: drawn, main = false }) {
  const text = make("span", {});
  const button = make(
    "button",
    { type: "button", id, class: main ? "press main" : "press", onclick: () => elements.get(id)?.way.go() },
    icon(drawn),
    text,
    id === "done" && make("kbd", { "aria-hidden": "true" }, gettext("Space")),
  );
  return { button, text };
}
