// The newest picture of the table, with what was read on it and what the verdict points to.
import { buttonById, byId } from "./dom.js";
import { highlight } from "./highlight.js";
import { marksOf } from "./marks.js";
import { drawOverlay } from "./overlay.js";
import { clearPicture, showPicture } from "./picture.js";
import { count } from "./words.js";

const overlay = () => byId("overlay", SVGSVGElement);
let drawn = "";

/**
 * Draws the picture of a state.
 * @param {State} state
 * @param {object} options
 * @param {string} options.blank what stands there without a picture
 * @param {string} options.caption what stands below a picture
 * @param {() => boolean} options.isCurrent whether no newer state has come
 * @param {import("./overlay.js").Choose} options.choose called when a meld or a tile is pressed
 */
export async function drawLivePicture(state, { blank, caption, isCurrent, choose }) {
  const { picture } = state;
  byId("blank").hidden = picture !== null;
  overlay().classList.toggle("stale", !state.settled);
  setText("caption", picture ? caption : "");
  if (!picture) {
    byId("blank").textContent = blank;
    clearPicture();
    overlay().replaceChildren();
    drawn = "";
    return;
  }
  byId("frame").style.setProperty("--aspect", Math.max(1, picture.width / picture.height).toFixed(4));
  // The overlay waits for its picture: outlines of a new reading on an old picture would lie beside the tiles.
  if (!(await showPicture(picture.number, state.boot)) || !isCurrent()) return;
  const shows = JSON.stringify([
    state.reading?.number,
    state.reading?.tiles,
    state.verdict,
    state.evening?.failing?.moves,
    highlight,
    overlay().getBoundingClientRect(),
  ]);
  if (shows === drawn) return;
  drawn = shows;
  drawOverlay(overlay(), state, marksOf(state), choose);
}

/**
 * What was read, in words: `20 tiles in 6 melds, 1 doubtful`; and how many of the tiles something covers.
 * @param {Reading} reading
 */
export function readingCounts({ tiles, melds }) {
  const there = tiles.filter((tile) => tile.there);
  const doubtful = there.filter((tile) => tile.doubtful).length;
  const found = `${count(there.length, "tile")} in ${count(melds.length, "meld")}`;
  return {
    found: doubtful ? `${found}, ${doubtful} doubtful` : found,
    hidden: there.filter((tile) => tile.hidden).length,
  };
}

// Draws the overlay anew at the next call, changed or not.
export function forgetOverlay() {
  drawn = "";
}

/**
 * @param {string} id
 * @param {string} text
 */
function setText(id, text) {
  if (byId(id).textContent !== text) byId(id).textContent = text;
}

/**
 * What stands below a picture of which there is no reading that can be trusted; null where there is one.
 * @param {State} state
 */
export function captionWithoutReading({ reading, settled, frame }) {
  if (!settled && frame === "lost") return "The camera or the table moved; all is found again when it lies still.";
  if (!settled) return reading ? "The table moves; it is read again when it lies still." : "Reading the table.";
  return null;
}

/**
 * Wires the button that enlarges the picture.
 * @param {(zoomed: boolean) => void} redraw
 */
export function wireZoom(redraw) {
  const button = buttonById("larger");
  button.addEventListener("click", () => {
    const zoomed = byId("frame").classList.toggle("zoomed");
    button.setAttribute("aria-pressed", String(zoomed));
    button.setAttribute("aria-label", zoomed ? "Show the whole picture" : "Enlarge the picture");
    forgetOverlay();
    redraw(zoomed);
  });
}
