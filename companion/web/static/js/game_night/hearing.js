// The sounds of this tablet: each kind can be turned on and off, which is stored in the browser.

/** @typedef {"bells" | "ticking" | "speech"} Hearing */

const KEY = "tilekeeper-hears-";
/** @type {Record<Hearing, boolean>} */
const AT_FIRST = { bells: true, ticking: true, speech: false };

/** @param {Hearing} kind */
export function hears(kind) {
  const kept = localStorage.getItem(KEY + kind);
  return kept === null ? AT_FIRST[kind] : kept === "yes";
}

/**
 * @param {Hearing} kind
 * @param {boolean} on
 */
export const setHearing = (kind, on) => localStorage.setItem(KEY + kind, on ? "yes" : "no");
