// Shows a new verdict for two seconds, beside the table.
import { byId, fill, icon, make } from "../dom.js";
import { leaveOutWhatDoesNotFit } from "../fit.js";
import { isOn } from "./switches.js";

const SHOWN_MS = 2000;
const LEAVES_MS = 200;
/** @type {number | undefined} */
let timer;

/**
 * @param {"legal" | "illegal"} kind
 * @param {string} headline
 * @param {string} name whose turn it was
 * @param {Child[]} sentences the first fault, and how many others there are; null is left out
 */
export function splash(kind, headline, name, sentences) {
  if (!isOn("splash")) return;
  const screen = byId("splash");
  screen.dataset.kind = kind;
  screen.classList.remove("leaves");
  fill(
    screen,
    make("p", { class: "concerned" }, name),
    make("b", {}, headline),
    ...sentences.filter((sentence) => sentence !== null).map((sentence) => make("p", {}, sentence)),
    make("div", { class: "stamp" }, icon(kind === "legal" ? "tick" : "cross")),
  );
  screen.hidden = false;
  leaveOutWhatDoesNotFit(screen);
  clearTimeout(timer);
  timer = setTimeout(endSplash, SHOWN_MS);
}

export function endSplash() {
  const screen = byId("splash");
  clearTimeout(timer);
  screen.classList.add("leaves");
  timer = setTimeout(() => {
    screen.hidden = true;
  }, LEAVES_MS);
}

export function wireSplash() {
  byId("splash").addEventListener("click", endSplash);
  document.addEventListener("keydown", () => byId("splash").hidden || endSplash(), { capture: true });
}
