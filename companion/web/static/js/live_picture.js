// The newest picture of the table, with its reading and the marks of the verdict.

import { buttonById, byId } from "./dom.js";
import { highlight } from "./highlight.js";
import { gettext } from "./language.js";
import { listsMoves, marksOf } from "./marks.js";
import { drawOverlay } from "./overlay.js";
import { clearPicture, showPicture } from "./picture.js";

const FINGER_CSS_PX = 24;
const overlay = () => byId("overlay", SVGSVGElement);
let drawn = "";

/**
 * Draws the picture of a state.
 * @param {State} state
 * @param {object} options
 * @param {string} options.blank the text without a picture
 * @param {string} options.caption the text below a picture
 * @param {() => boolean} options.isCurrent whether there is no newer state
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
  crop(picture);
  // The overlay waits for its picture, since outlines of a new reading do not fit an old picture.
  if (!(await showPicture(picture.number, state.boot)) || !isCurrent()) return;
  const shows = JSON.stringify([
    state.reading?.number,
    state.reading?.tiles,
    state.verdict,
    state.evening?.failing?.moves,
    highlight,
    listsMoves(),
    picture.area,
    overlay().getBoundingClientRect(),
  ]);
  if (shows === drawn) return;
  drawn = shows;
  drawOverlay(overlay(), state, marksOf(state), choose);
}

/**
 * Crops a picture to the play area, outside which it is black.
 * @param {NonNullable<State["picture"]>} picture
 */
function crop({ area: [left, top, width, height], width: wide, height: high }) {
  const part = {
    "--aspect": (width / height).toFixed(4),
    "--left": `${(-100 * left) / width}%`,
    "--top": `${(-100 * top) / height}%`,
    "--wide": `${(100 * wide) / width}%`,
    "--high": `${(100 * high) / height}%`,
  };
  for (const [name, value] of Object.entries(part)) byId("frame").style.setProperty(name, value);
}

// Makes the next `drawLivePicture` draw the overlay even if nothing has changed.
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
 * Returns the caption of a picture without a reading; null if the picture has a reading.
 * @param {State} state
 */
export function captionWithoutReading({ reading, settled, frame }) {
  if (!settled && frame === "lost")
    return gettext("The camera or the table moved. The app finds everything again when nothing moves.");
  if (!settled)
    return reading
      ? gettext("Something on the table moves. The app reads it again when nothing moves.")
      : gettext("Reading the table.");
  return null;
}

/**
 * Wires the button that enlarges the picture, and taps that enlarge the tapped place.
 * @param {() => void} redraw
 */
export function wireZoom(redraw) {
  const button = buttonById("larger");
  const scroller = byId("scroller");
  /**
   * @param {boolean} zoomed
   * @param {number[]} middle the point to centre, as shares of the picture
   */
  const zoom = (zoomed, [x, y]) => {
    byId("frame").classList.toggle("zoomed", zoomed);
    button.setAttribute("aria-pressed", String(zoomed));
    button.setAttribute("aria-label", zoomed ? gettext("Show the whole picture") : gettext("Enlarge the picture"));
    forgetOverlay();
    redraw();
    scroller.scrollLeft = x * scroller.scrollWidth - scroller.clientWidth / 2;
    scroller.scrollTop = y * scroller.scrollHeight - scroller.clientHeight / 2;
  };
  button.addEventListener("click", () => zoom(!isZoomed(), middleOfTiles()));
  // A tile must be as large as a fingertip before it can be tapped.
  scroller.addEventListener(
    "click",
    (event) => {
      if (isZoomed() || (event.target instanceof Element && isLargeEnough(event.target))) return;
      event.stopPropagation();
      const box = byId("sheet").getBoundingClientRect();
      const turned = document.documentElement.classList.contains("turned");
      const at = [(event.clientX - box.x) / box.width, (event.clientY - box.y) / box.height];
      zoom(true, turned ? at.map((share) => 1 - share) : at);
    },
    { capture: true },
  );
}

const isZoomed = () => byId("frame").classList.contains("zoomed");

/** @param {Element} target whether this tile is large enough for a finger */
function isLargeEnough(target) {
  const tile = target.closest(".spot")?.getBoundingClientRect();
  return tile !== undefined && Math.min(tile.width, tile.height) >= FINGER_CSS_PX;
}

// The centre of all tiles, as shares of the picture.
function middleOfTiles() {
  const sheet = byId("sheet").getBoundingClientRect();
  const boxes = [...overlay().querySelectorAll(".spot .edge")].map((edge) => edge.getBoundingClientRect());
  if (boxes.length === 0) return [0.5, 0.5];
  const x = (Math.min(...boxes.map((box) => box.left)) + Math.max(...boxes.map((box) => box.right))) / 2;
  const y = (Math.min(...boxes.map((box) => box.top)) + Math.max(...boxes.map((box) => box.bottom))) / 2;
  return [(x - sheet.x) / sheet.width, (y - sheet.y) / sheet.height];
}
