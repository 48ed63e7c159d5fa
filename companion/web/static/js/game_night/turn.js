// The turn: the player, the opening points so far, the clock, and undo.

import { confirmDialog } from "../dialog.js";
import { buttonById, byId, fill, icon, make } from "../dom.js";
import { composed, gettext, ngettext } from "../language.js";
import { redraw } from "../redraw.js";
import { roundWords } from "../words.js";
import { drawClock, drawClockButtons } from "./clock.js";
import { isTimed } from "./clock_face.js";
import { enterTable } from "./enter_table.js";
import { act, gameNight, may, nameOf } from "./store.js";
import { closeWithTurn } from "./turn_dialogs.js";

export function drawTurn() {
  const { player, pool, last_turns: lastTurns, round, rounds_agreed: agreed } = gameNight();
  const name = nameOf(player);
  redraw(byId("whose"), [player, name, pool, lastTurns, round, agreed], () => {
    const facts = make(
      "span",
      { class: "facts" },
      make("span", {}, ...composed(gettext("{pool} in the pool"), { pool: make("b", {}, String(pool ?? "–")) })),
      make("span", {}, roundWords(round, agreed)),
      lastTurns === null
        ? null
        : make("span", { class: "last-turns" }, ngettext("{count} turn left", "{count} turns left", lastTurns)),
    );
    const letters = `--letters: ${Math.max(4, name.length)}`;
    fill(byId("whose"), make("span", { class: "name", style: letters }, name), facts);
  });
  drawOpening();
  drawStars();
  const timed = isTimed();
  byId("clock").hidden = !timed;
  byId("clock-tools").hidden = !timed;
  document.body.dataset.timed = String(timed);
  drawClock();
  drawClockButtons();
}

// Shows the stars of the player, in an edition that counts stars.
function drawStars() {
  const { player, players } = gameNight();
  const stars = player === null ? null : players[player].stars;
  const line = byId("own-stars");
  line.hidden = stars === null;
  if (stars === null) return;
  redraw(line, stars, () => {
    fill(line, icon("star"), make("b", {}, String(stars)), make("small", {}, ngettext("star", "stars", stars)));
  });
}

// Shows the opening points of the tiles on the table to a player who has not opened.
function drawOpening() {
  const { opening, player, players, edition, wrong } = gameNight();
  const needed = edition.opening_points;
  const box = byId("opening");
  box.hidden = needed === 0 || player === null || players[player].opened;
  if (box.hidden) return;
  const points = opening?.points ?? null;
  // A turn that is not allowed does not open, however many points it has.
  const enough = Boolean(opening?.enough) && !wrong;
  redraw(box, [points, needed, enough], () => {
    const part = points === null ? 0 : Math.min(1, points / needed);
    box.dataset.enough = String(enough);
    fill(
      box,
      make("span", {}, gettext("Opening")),
      make("div", { class: "bar-of-points", role: "presentation" }, make("i", { style: `width: ${100 * part}%` })),
      make(
        "b",
        {},
        points === null
          ? gettext("needs {needed}", { needed })
          : points > needed
            ? ngettext("{count} point", "{count} points", points)
            : gettext("{points} of {needed}", { points, needed }),
      ),
    );
  });
}

export function drawUndo() {
  buttonById("undo").disabled = !may("undo");
  byId("undoes").textContent = gameNight().undoes;
}

/** @typedef {import("./store.js").Refusal} Refusal */

/**
 * Posts an action; if the camera sees a changed table, asks whether the table is right.
 * @param {"draw" | "pass"} name
 * @param {string} label
 */
export const actSurely = (name, label) =>
  act(name, {}, ({ code, message }) => {
    if (code !== "table-differs") return false;
    closeWithTurn(confirmDialog(gettext("Is the table right?"), message, label, () => act(name, { sure: true })));
    return true;
  });

/**
 * Returns a handler of refusals that offers manual entry if the camera can't read the table.
 * @param {import("./enter_table.js").Purpose} purpose
 */
export function offerEntry(purpose) {
  /** @param {Refusal} refusal */
  return ({ code, message }) => {
    if (code !== "no-picture") return false;
    const enter = () => enterTable(purpose);
    closeWithTurn(confirmDialog(gettext("The camera is not sure"), message, gettext("Enter the tiles"), enter));
    return true;
  };
}

export function wireTurn() {
  /**
   * @param {string} id
   * @param {() => unknown} press
   */
  const onClick = (id, press) => byId(id).addEventListener("click", press);
  const startOrPause = () => act(may("pause") ? "pause" : "resume");
  onClick("undo", () => act("undo"));
  onClick("pause", startOrPause);
  onClick("clock", startOrPause);
  onClick("more-time", () => act("more-time"));
  onClick("restart", () => act("restart"));
}
