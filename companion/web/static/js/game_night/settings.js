// The settings of an evening that may change while it is played, and those of this tablet alone.
import { make } from "../dom.js";
import { openDialog } from "./dialog.js";
import { beQuiet, isQuiet, ring } from "./sound.js";
import { act, evening, isHost, may } from "./store.js";
import { teachingLines } from "./teach.js";

const TIMERS = [
  ["off", "Off"],
  ["friendly", "Friendly: rings and waits"],
  ["strict", "Strict: the turn fails"],
];

export async function openSettings() {
  const { settings } = evening();
  const sounds = toggle("Sounds", !isQuiet(), (on) => {
    beQuiet(!on);
    if (on) ring("legal");
    return true;
  });
  if (!may("settings")) return void openDialog("Settings", [sounds]);
  const timer = make(
    "div",
    { class: "segments", role: "radiogroup", "aria-label": "Clock" },
    ...TIMERS.map(([value, text]) => segment("timer", value, text, settings.timer === value)),
  );
  openDialog("Settings", [
    make("h3", {}, "Clock"),
    timer,
    toggle("Tournament clocks (10 minutes and 10 seconds a turn), from the next deal", settings.tournament, (on) =>
      act("settings", { tournament: on }),
    ),
    toggle("A wrong layout costs the penalty at once", settings.penalty_at_once, (on) =>
      act("settings", { penalty_at_once: on }),
    ),
    toggle("Notice by itself that a turn is done", settings.notices_done, (on) =>
      act("settings", { notices_done: on }),
    ),
    make("h3", {}, "This tablet"),
    sounds,
    ...(isHost() ? [make("h3", {}, "Corrected tiles"), await teachingLines()] : []),
  ]);
}

function segment(name, value, text, on) {
  const input = make("input", { type: "radio", name, value, checked: on });
  input.addEventListener("change", () => act("settings", { [name]: value }));
  return make("label", { class: "segment" }, input, make("span", {}, text));
}

function toggle(text, on, change) {
  const box = make("input", { type: "checkbox", role: "switch", checked: on });
  box.addEventListener("change", async () => {
    if (!(await change(box.checked))) box.checked = !box.checked;
  });
  return make("label", { class: "check-line" }, box, make("span", {}, text));
}
