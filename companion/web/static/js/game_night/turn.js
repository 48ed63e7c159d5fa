// The turn: who plays, how far an opening has come, and the large buttons.
import { at, make } from "../dom.js";
import { redraw } from "../redraw.js";
import { count } from "../words.js";
import { drawClock, drawClockButtons } from "./clock.js";
import { confirmDialog } from "./dialog.js";
import { enterTable } from "./enter_table.js";
import { act, evening, hasCamera, may, nameOf, state } from "./store.js";

export function drawTurn() {
  const now = evening();
  const { player, pool, last_turns: lastTurns, round, rounds_agreed: agreed, opening, players } = now;
  redraw(at("whose"), [player, players[player]?.name, pool, lastTurns, round, agreed], () => {
    const facts = [
      make("span", {}, make("b", {}, pool === null ? "–" : String(pool)), " in the pool"),
      make("span", {}, `Round ${round}${agreed ? ` of ${agreed}` : ""}`),
      lastTurns === null ? null : make("span", { class: "last-turns" }, `${count(lastTurns, "turn")} left`),
    ];
    at("whose").replaceChildren(
      make("span", { class: "name" }, nameOf(player)),
      make("span", { class: "facts" }, ...facts.filter(Boolean)),
    );
    at("whose").classList.toggle("long", nameOf(player).length > 12);
  });
  drawOpening(opening, players[player]);
  drawClock();
  drawClockButtons();
}

// A player who has not opened sees how far the tiles on the table go towards it.
function drawOpening(opening, player) {
  const needed = evening().edition.opening_points;
  const shows = needed > 0 && player && !player.opened;
  at("opening").hidden = !shows;
  if (!shows) return;
  const points = opening?.points ?? null;
  redraw(at("opening"), [points, needed, opening?.enough], () => {
    const part = points === null ? 0 : Math.min(1, points / needed);
    at("opening").dataset.enough = Boolean(opening?.enough);
    at("opening").replaceChildren(
      make("p", {}, "Opening", make("b", {}, points === null ? `needs ${needed}` : `${points} of ${needed}`)),
      make("div", { class: "bar", role: "presentation" }, make("i", { style: `width: ${100 * part}%` })),
    );
  });
}

export function drawTurnButtons() {
  const waiting = state().turn.waiting_to !== null;
  at("done").disabled = !may("done") || waiting;
  at("draw").disabled = !may("draw") || waiting;
  at("pass").disabled = !may("pass") || waiting;
  at("by-hand").hidden = !hasCamera();
  at("by-hand").disabled = !may("done") || waiting;
  at("undo").disabled = !may("undo");
  const stars = evening().edition.stars;
  at("draw").querySelector("span").textContent = stars ? "Pay and draw" : "Draw";
}

export function done() {
  if (at("done").disabled || at("actions").hidden) return;
  if (!hasCamera()) return void enterTable("done");
  act("done", {}, offerHand("done"));
}

const draw = () => act("draw", {}, surely("draw", "Draw"));
const pass = () => act("pass", {}, surely("pass", "Pass"));

// Where the camera sees the table otherwise than it was, people may say that it is right.
function surely(what, says) {
  return (error) => {
    if (error.code !== "table-differs") return false;
    confirmDialog("Is the table right?", error.message, `It is right: ${says.toLowerCase()}`, () =>
      act(what, { sure: true }),
    );
    return true;
  };
}

// Where the camera can't tell, the tiles can be entered.
export function offerHand(purpose) {
  return (error) => {
    if (error.code !== "no-picture") return false;
    confirmDialog("The camera can't tell", error.message, "Enter the tiles", () => void enterTable(purpose));
    return true;
  };
}

export function wireTurn() {
  at("done").addEventListener("click", done);
  at("draw").addEventListener("click", draw);
  at("pass").addEventListener("click", pass);
  at("by-hand").addEventListener("click", () => enterTable("done"));
  at("undo").addEventListener("click", () => act("undo"));
  const toggle = () => act(may("pause") ? "pause" : "resume");
  at("pause").addEventListener("click", toggle);
  at("clock").addEventListener("click", toggle);
  at("more-time").addEventListener("click", () => act("more-time"));
  at("restart").addEventListener("click", () => act("restart"));
}
