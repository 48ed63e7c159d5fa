// Shows a new verdict for two seconds, beside the table, and the winner of a round with the last tiles.
import { byId, fill, icon, make } from "../dom.js";
import { leaveOutWhatDoesNotFit } from "../fit.js";
import { tileElement } from "../tiles.js";
import { isOn } from "./switches.js";

const SHOWN_MS = 2000;
const WINNER_SHOWN_MS = 4000; // until the last tile has come to rest, and a moment more
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
  show(
    kind,
    [
      make("p", { class: "concerned" }, name),
      make("b", {}, headline),
      ...sentences.filter((sentence) => sentence !== null).map((sentence) => make("p", {}, sentence)),
      make("div", { class: "stamp" }, icon(kind === "legal" ? "tick" : "cross")),
    ],
    SHOWN_MS,
  );
}

/**
 * Shows who has won, while the tiles fly in; with reduced motion they stand there at once.
 * @param {string} headline
 * @param {string} name
 * @param {Tile[]} tiles the tiles of the last turn; empty if they are not known
 */
export function splashWinner(headline, name, tiles) {
  if (!isOn("splash")) return;
  const flying = tiles.map((tile, place) => {
    const element = tileElement(tile);
    element.style.setProperty("--place", String(place));
    return element;
  });
  show(
    "won",
    [
      make("p", { class: "concerned" }, name),
      make("b", {}, headline),
      flying.length > 0 && make("div", { class: "won-tiles" }, ...flying),
      make("div", { class: "stamp" }, icon("star")),
    ],
    matchMedia("(prefers-reduced-motion: reduce)").matches ? SHOWN_MS : WINNER_SHOWN_MS,
  );
}

/**
 * @param {"legal" | "illegal" | "won"} kind
 * @param {Child[]} lines
 * @param {number} shownMs
 */
function show(kind, lines, shownMs) {
  const screen = byId("splash");
  screen.dataset.kind = kind;
  screen.classList.remove("leaves", "flies");
  fill(screen, ...lines);
  screen.hidden = false;
  leaveOutWhatDoesNotFit(screen);
  screen.classList.add("flies"); // only now, since tiles that come from below have no room there
  clearTimeout(timer);
  timer = setTimeout(endSplash, shownMs);
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
