// The phone vibrates once when the player's turn begins; the player can switch it off.

import { toggle } from "../controls.js";
import { fill, make } from "../dom.js";
import { keepAwake } from "../game_night/awake.js";
import { gettext } from "../language.js";

const KEY = "tilekeeper-vibrates";
const LAST = "tilekeeper-vibrated";
const PATTERN_MS = [250, 120, 250];

const isOn = () => localStorage.getItem(KEY) !== "no";

// A browser lets a page vibrate once somebody has tapped on it.
const mayVibrate = () => navigator.userActivation?.hasBeenActive ?? true;

/**
 * Draws the switch; nothing on a phone that can't vibrate.
 * @param {HTMLElement} place
 */
export function drawVibration(place) {
  if (!navigator.vibrate) return;
  // A browser vibrates only while its page is visible.
  if (isOn()) keepAwake();
  const note = make("p", { class: "hint" }, gettext("Tap once, so that the phone may vibrate."));
  const showNote = () => {
    note.hidden = mayVibrate() || !isOn();
  };
  fill(
    place,
    toggle(gettext("Vibrate when it is my turn"), isOn(), (on) => {
      localStorage.setItem(KEY, on ? "yes" : "no");
      if (on) navigator.vibrate(PATTERN_MS);
    }),
    note,
  );
  showNote();
  document.addEventListener("click", showNote);
}

/**
 * Vibrates, if it has not done so in this turn.
 * @param {string} turn
 */
export function vibrateOnce(turn) {
  if (!navigator.vibrate || !isOn() || sessionStorage.getItem(LAST) === turn || !mayVibrate()) return;
  if (navigator.vibrate(PATTERN_MS)) sessionStorage.setItem(LAST, turn);
}
