// The switches of this tablet: its sounds, its voice, the large verdict and the view for a touch anywhere. Each is
// stored in the browser.

/** @typedef {"bells" | "ticking" | "speech" | "splash" | "touch"} Switch */

const KEY = "tilekeeper-hears-";
/** @type {Record<Switch, boolean>} */
const AT_FIRST = { bells: true, ticking: true, speech: false, splash: true, touch: false };

/** @param {Switch} name */
export function isOn(name) {
  const kept = localStorage.getItem(KEY + name);
  return kept === null ? AT_FIRST[name] : kept === "yes";
}

/**
 * @param {Switch} name
 * @param {boolean} on
 */
export const setSwitch = (name, on) => localStorage.setItem(KEY + name, on ? "yes" : "no");
