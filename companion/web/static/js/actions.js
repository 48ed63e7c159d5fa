// The buttons at the foot of the page, and their keys.
import { at } from "./dom.js";

const INTERACTIVE = "button, input, summary, a, select, textarea, [role=switch]";

// send(what, body) presses a button of the app; now() gives the present state.
export function wireActions(send, now) {
  const on = (id, act) => at(id)?.addEventListener("click", act);
  const step = (by) => send("step", { by });
  const done = () => {
    const turn = now()?.turn;
    if (!turn || at("done").disabled) return;
    send(turn.waiting_to ? "cancel" : turn.begun ? "done" : "begin");
  };
  on("previous", () => step(-1));
  on("next", () => step(1));
  on("done", done);
  on("begin", () => send("begin"));
  on("undo", () => send("undo"));
  at("opened")?.addEventListener("change", (event) => send("opened", { opened: event.target.checked }));

  const photos = document.body.dataset.mode === "photos";
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || (event.repeat && event.key === " ")) return;
    if (photos && event.key === "ArrowRight") step(1);
    else if (photos && event.key === "ArrowLeft") step(-1);
    else if (event.key === " " && !event.target.closest(INTERACTIVE)) photos ? step(1) : done();
    else return;
    event.preventDefault();
  });
  // A button that was pressed with a finger or mouse must not keep the space bar to itself.
  document.addEventListener("pointerup", () => setTimeout(() => document.activeElement?.blur?.()));
}

export function drawActions(state) {
  const { turn, reading, settled, picture, source } = state;
  if (source.kind === "photos") {
    at("photo-name").textContent = picture?.name || "\u00a0";
    at("photo-place").textContent = place(source);
    return;
  }
  const label = turn.waiting_to ? "Waiting until it lies still" : turn.begun ? "Done" : "Start from this table";
  at("done-text").textContent = label;
  at("done").classList.toggle("long", label !== "Done");
  at("done").disabled = !picture || (settled && reading !== null && !reading.judged);
  at("begin").disabled = !turn.begun || !picture;
  at("undo").disabled = !turn.can_undo;
  at("opened").checked = turn.opened;
}

const place = ({ index, count }) => (count ? `${index + 1} of ${count}` : `${index + 1}`);
