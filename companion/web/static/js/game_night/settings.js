// The settings of a game night that may change while it is played, and those of this tablet alone.
import { segments, toggle } from "../controls.js";
import { openDialog } from "../dialog.js";
import { make } from "../dom.js";
import { hears, setHearing } from "./hearing.js";
import { ring } from "./sound.js";
import { canSpeak, hush, say } from "./speech.js";
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
  if (!may("settings")) {
    openDialog("Settings", hearingSettings());
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
    ...hearingSettings(),
    ...(isHost() ? [make("h3", {}, "Corrected tiles"), await trainingExamplesSetting()] : []),
  ]);
}

// What is heard at this tablet; each is tried out as it is turned on.
function hearingSettings() {
  /**
   * @param {import("./hearing.js").Hearing} kind
   * @param {string} text
   * @param {() => void} tryOut
   */
  const line = (kind, text, tryOut) =>
    toggle(
      text,
      hears(kind),
      (on) => {
        setHearing(kind, on);
        if (on) tryOut();
        else if (kind === "speech") hush();
      },
      kind === "speech" && !canSpeak(),
    );
  return [
    line("bells", "Ring when the time is up, and at verdicts", () => ring("legal")),
    line("ticking", "Tick in the last ten seconds", () => ring("tick")),
    line("speech", "Say names and verdicts aloud", () => say("Names and verdicts are said aloud.")),
    canSpeak() ? null : make("p", { class: "hint" }, "This browser has no voice."),
  ];
}
