// Keeps the screen of the tablet awake while the page is looked at, where the browser can.
import { gettext } from "../language.js";

const ADVICE = gettext(
  "This tablet may go dark. In its settings, under Display, let the screen stay on while you play.",
);

// Whether the browser has what it takes; on plain http it hides it.
const canKeepAwake = () => Boolean(navigator.wakeLock);

// What people must do themselves; empty where the page does it.
export const awakeAdvice = () => (canKeepAwake() ? "" : ADVICE);

/** @type {WakeLockSentinel | null} what keeps the screen awake; the browser takes it back when the page is left */
let lock = null;

async function ask() {
  if (!canKeepAwake() || document.visibilityState !== "visible" || (lock && !lock.released)) return;
  try {
    lock = await navigator.wakeLock.request("screen");
  } catch {
    lock = null; // a tablet that saves power says no: it is asked again with the next tap
  }
}

// Asks at once, whenever the page comes back, and with a tap where the answer was no.
export function keepAwake() {
  document.addEventListener("visibilitychange", ask);
  document.addEventListener("pointerdown", ask);
  ask();
}
