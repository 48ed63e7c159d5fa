// The settings of a game night that may change while it is played, and those of this tablet alone.
import { segments, toggle } from "../controls.js";
import { openDialog } from "../dialog.js";
import { make } from "../dom.js";
import { isQuiet, ring, setQuiet } from "./sound.js";
import { act, gameNight, isHost, may } from "./store.js";
import { trainingExamplesSetting } from "./training_examples.js";

/** @typedef {"off" | "friendly" | "strict"} Timer */

/** @type {[Timer, string][]} */
const TIMERS = [
  ["off", "Off"],
  ["friendly", "Friendly: rings and waits"],
  ["strict", "Strict: the turn fails"],
];

export async function openSettings() {
  const { settings } = gameNight();
  const sounds = toggle("Sounds", !isQuiet(), (on) => {
    setQuiet(!on);
    if (on) ring("legal");
  });
  if (!may("settings")) {
    openDialog("Settings", [sounds]);
    return;
  }
  openDialog("Settings", [
    make("h3", {}, "Clock"),
    segments("timer", TIMERS, /** @type {Timer} */ (settings.timer), (timer) => act("settings", { timer }), "Clock"),
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
    ...(isHost() ? [make("h3", {}, "Corrected tiles"), await trainingExamplesSetting()] : []),
  ]);
}
