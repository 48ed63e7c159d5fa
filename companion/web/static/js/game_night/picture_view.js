// The live picture of an evening, with what was read, what the verdict points to, and what is to be moved.
import { at } from "../dom.js";
import { marksOf } from "../marks.js";
import { drawOverlay } from "../overlay.js";
import { clearPicture, showPicture } from "../picture.js";
import { count, sentence } from "../words.js";
import { correctTile } from "./correct.js";
import { state } from "./store.js";

export const lit = { meld: null, fault: null, code: null };
let drawn = "";

export async function drawView() {
  const now = state();
  const overlay = at("overlay");
  at("blank").hidden = Boolean(now.picture);
  if (!now.picture) {
    at("blank").textContent = now.source.trouble || "Waiting for the first picture";
    clearPicture(at("sheet"), overlay);
    drawn = "";
    return;
  }
  at("frame").style.setProperty("--aspect", Math.max(1, now.picture.width / now.picture.height).toFixed(4));
  overlay.classList.toggle("stale", !now.settled);
  const caption = captionOf(now);
  if (at("caption").textContent !== caption) at("caption").textContent = caption;
  // The overlay waits for its picture: outlines of a new reading on an old picture would lie beside the tiles.
  if (!(await showPicture(at("sheet"), now)) || now !== state()) return;
  const shows = JSON.stringify([
    now.reading?.number,
    now.reading?.tiles,
    now.verdict,
    now.evening?.failing?.moves,
    lit,
    overlay.getBoundingClientRect(),
  ]);
  if (shows === drawn) return;
  drawn = shows;
  drawOverlay(overlay, now, marksOf(now, lit), (meld, tile) => (tile === null ? light(meld) : correctTile(tile)));
}

export function redrawView() {
  drawn = "";
  if (state()) drawView();
}

function light(meld) {
  lit.meld = lit.meld === meld ? null : meld;
  drawView();
}

export function wireView() {
  at("larger").addEventListener("click", () => {
    const zoomed = at("frame").classList.toggle("zoomed");
    at("larger").setAttribute("aria-pressed", String(zoomed));
    at("larger").setAttribute("aria-label", zoomed ? "Show the whole picture" : "Enlarge the picture");
    redrawView();
    if (zoomed) lookAtTiles();
  });
  new ResizeObserver(redrawView).observe(at("frame"));
}

// What is enlarged is what lies there, not the middle of the table.
function lookAtTiles() {
  const { left, top, width, height } = at("scroller").getBoundingClientRect();
  const boxes = [...at("overlay").querySelectorAll(".spot .edge")].map((edge) => edge.getBoundingClientRect());
  if (boxes.length === 0) return;
  const x = (Math.min(...boxes.map((box) => box.left)) + Math.max(...boxes.map((box) => box.right))) / 2;
  const y = (Math.min(...boxes.map((box) => box.top)) + Math.max(...boxes.map((box) => box.bottom))) / 2;
  at("scroller").scrollBy(x - left - width / 2, y - top - height / 2);
}

function captionOf({ reading, settled, frame }) {
  if (!settled && frame === "lost") return "The camera or the table moved; all is found again when it lies still.";
  if (!settled) return reading ? "The table moves; it is read again when it lies still." : "Reading the table.";
  if (!reading.trusted) return sentence(reading.status);
  const there = reading.tiles.filter((tile) => tile.there);
  const doubtful = there.filter((tile) => tile.doubtful).length;
  const found = `${count(there.length, "tile")} in ${count(reading.melds.length, "meld")}`;
  return `${found}${doubtful ? `, ${doubtful} doubtful` : ""}.${covered(there)} Tap a tile to correct it.`;
}

function covered(tiles) {
  const hidden = tiles.filter((tile) => tile.hidden).length;
  return hidden ? ` Something covers ${count(hidden, "tile")}, taken to lie as before.` : "";
}
