// Keeps the tablet's screen on while the page is visible (Screen Wake Lock API).
import { gettext } from "../language.js";

const ADVICE = gettext(
  "This device may go dark. In its settings, under Display, let the screen stay on while you play.",
);

// Browsers offer this only over https.
const canKeepAwake = () => Boolean(navigator.wakeLock);

// Advice for a browser that can't keep the screen on; else empty.
export const awakeAdvice = () => (canKeepAwake() ? "" : ADVICE);

/** @type {WakeLockSentinel | null} the browser releases it when the page is hidden */
let lock = null;

async function ask() {
  if (!canKeepAwake() || document.visibilityState !== "visible" || (lock && !lock.released)) return;
  try {
    lock = await navigator.wakeLock.request("screen");
  } catch {
    lock = null; // a tablet in power saving mode refuses; the next tap asks again
  }
}

// Requests the lock at once, whenever the page becomes visible, and at each tap until it is granted.
export function keepAwake() {
  document.addEventListener("visibilitychange", ask);
  document.addEventListener("pointerdown", ask);
  ask();
}
