// The settings of the game night, and those of this tablet.

import { segments, toggle } from "../controls.js";
import { openDialog } from "../dialog.js";
import { make } from "../dom.js";
import { areInksApart, setInksApart } from "../inks.js";
import { gettext } from "../language.js";
import { setTextSize, textSize } from "../text_size.js";
import { ring } from "./sound.js";
import { canSpeak, hush, say } from "./speech.js";
import { act, gameNight, isHost, may } from "./store.js";
import { isOn, setSwitch } from "./switches.js";
import { DETAILS, detail, setDetail } from "./tell_table.js";
import { trainingExamplesSetting } from "./training_examples.js";

/** @typedef {"off" | "friendly" | "strict"} Timer */

/** @type {[Timer, string][]} */
const TIMERS = [
  ["off", gettext("Off")],
  ["friendly", gettext("Friendly: rings and waits")],
  ["strict", gettext("Strict: the turn fails")],
];

export async function openSettings() {
  const { settings } = gameNight();
  if (!may("settings")) {
    openDialog(gettext("Settings"), tabletSettings());
    return;
  }
  openDialog(gettext("Settings"), [
    make("h3", {}, gettext("Clock")),
    segments(
      "timer",
      TIMERS,
      /** @type {Timer} */ (settings.timer),
      (timer) => act("settings", { timer }),
      gettext("Clock"),
    ),
    toggle(gettext("A clock for each player too, from the next deal"), settings.tournament, (on) =>
      act("settings", { tournament: on }),
    ),
    toggle(gettext("After a wrong turn the penalty comes at once"), settings.penalty_at_once, (on) =>
      act("settings", { penalty_at_once: on }),
    ),
    toggle(gettext("Notice automatically when a turn is done"), settings.notices_done, (on) =>
      act("settings", { notices_done: on }),
    ),
    toggle(gettext("Hints: a player's own phone shows what to lay"), settings.hints, (on) =>
      act("settings", { hints: on }),
    ),
    make("h3", {}, gettext("This device")),
    ...tabletSettings(),
    ...(isHost() ? [make("h3", {}, gettext("Corrected tiles")), await trainingExamplesSetting()] : []),
  ]);
}

/** @type {[import("../text_size.js").TextSize, string][]} */
const TEXT_SIZES = [
  ["normal", gettext("Normal")],
  ["large", gettext("Large")],
  ["largest", gettext("Very large")],
];

// The settings of this tablet; each sound is played once when it is turned on.
function tabletSettings() {
  /**
   * @param {import("./switches.js").Switch} name
   * @param {string} text
   * @param {() => void} tryOut
   */
  const line = (name, text, tryOut) =>
    toggle(
      text,
      isOn(name),
      (on) => {
        setSwitch(name, on);
        if (on) tryOut();
        else if (name === "speech") hush();
      },
      name === "speech" && !canSpeak(),
    );
  return [
    line("bells", gettext("Ring when the time is up, and at each decision"), () => ring("legal")),
    line("ticking", gettext("Play a ticking sound in the last ten seconds"), () => ring("tick")),
    line("speech", gettext("Read names and decisions aloud"), () =>
      say(gettext("The app reads names and decisions aloud.")),
    ),
    canSpeak() ? null : make("p", { class: "hint" }, gettext("This browser can't speak.")),
    line("splash", gettext("Show each decision in large letters for two seconds"), () => {}),
    toggle(gettext("Tile colours for colour-blind eyes"), areInksApart(), setInksApart),
    make("h3", {}, gettext("Tell me the table")),
    segments("tells", DETAILS, detail(), setDetail, gettext("Tell me the table")),
    make("h3", {}, gettext("Text size")),
    segments("text-size", TEXT_SIZES, textSize(), setTextSize, gettext("Text size")),
  ];
}
