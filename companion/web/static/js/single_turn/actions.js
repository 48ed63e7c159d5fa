// The buttons at the foot of the page, and their keys.

import { buttonById, byId } from "../dom.js";
import { hasModifier, isOnControl, releaseFocus } from "../keys.js";
import { gettext } from "../language.js";

const showsPhotos = () => document.body.dataset.mode === "photos";

/**
 * @param {<Name extends PostName>(name: Name, body?: PostBody<Name>) => void} send
 * @param {() => State | null} current the state on the page
 */
export function wireActions(send, current) {
  /**
   * @param {string} id
   * @param {() => void} act
   */
  const onClick = (id, act) => byId(id).addEventListener("click", act);
  /** @param {number} by */
  const step = (by) => send("step", { by });
  const done = () => {
    const turn = current()?.turn;
    if (!turn || buttonById("done").disabled) return;
    send(turn.waiting_to ? "cancel" : turn.begun ? "done" : "begin");
  };
  if (showsPhotos()) {
    onClick("previous", () => step(-1));
    onClick("next", () => step(1));
  } else {
    const opened = byId("opened", HTMLInputElement);
    opened.addEventListener("change", () => send("opened", { opened: opened.checked }));
    onClick("done", done);
    onClick("begin", () => send("begin"));
    onClick("undo", () => send("undo"));
  }
  document.addEventListener("keydown", (event) => {
    if (hasModifier(event) || (event.repeat && event.key === " ")) return;
    if (showsPhotos() && event.key === "ArrowRight") step(1);
    else if (showsPhotos() && event.key === "ArrowLeft") step(-1);
    else if (event.key === " " && !isOnControl(event)) showsPhotos() ? step(1) : done();
    else return;
    event.preventDefault();
  });
  document.addEventListener("pointerup", () => setTimeout(releaseFocus));
}

/** @param {State} state */
export function drawActions({ turn, reading, settled, picture, source }) {
  if (source.kind === "photos") {
    byId("photo-name").textContent = picture?.name || "\u00a0";
    byId("photo-place").textContent = placeOf(source);
    return;
  }
  const label = turn.waiting_to
    ? gettext("Waiting until nothing moves")
    : turn.begun
      ? gettext("Done")
      : gettext("Start from this table");
  byId("done-text").textContent = label;
  byId("done").classList.toggle("long", Boolean(turn.waiting_to) || !turn.begun);
  buttonById("done").disabled = !picture || (settled && reading !== null && !reading.judged);
  buttonById("begin").disabled = !turn.begun || !picture;
  buttonById("undo").disabled = !turn.can_undo;
  byId("opened", HTMLInputElement).checked = turn.opened;
}

/**
 * Which photo of how many.
 * @param {State["source"]} source
 */
const placeOf = ({ index, count }) =>
  count ? gettext("{number} of {count}", { number: (index ?? 0) + 1, count }) : String((index ?? 0) + 1);
