// The page of a folder of photos: draws each state.

import { listen, post } from "../api.js";
import { byId } from "../dom.js";
import { clearHighlight, highlight, toggleFault, toggleTile } from "../highlight.js";
import { wireHints } from "../hints.js";
import { gettext } from "../language.js";
import { captionWithoutReading, drawLivePicture, wireZoom } from "../live_picture.js";
import { marksOf } from "../marks.js";
import { openRules } from "../rulebook.js";
import { keepShell } from "../shell.js";
import { sureness } from "../tiles.js";
import { toastRefusal } from "../toast.js";
import { pressStamp } from "../verdict_card.js";
import { capitalized, readingCounts } from "../words.js";
import { drawActions, wireActions } from "./actions.js";
import { askAnotherTile } from "./another_tile.js";
import { drawMelds } from "./melds.js";
import { cardOf, drawVerdict, spokenVerdict } from "./verdict.js";

/** @type {State | null} */
let current = null;
const drawn = { verdict: "", spoken: "" };
let reachable = true;

/** @param {State} state */
function receive(state) {
  if (current && state.boot === current.boot && state.version <= current.version) return;
  if (state.evening || state.source.kind !== "photos") {
    location.reload(); // a game night or another source has another page
    return;
  }
  const fresh = current?.reading?.number !== state.reading?.number || current?.boot !== state.boot;
  if (fresh || JSON.stringify(current?.verdict) !== JSON.stringify(state.verdict)) clearHighlight();
  current = state;
  draw();
}

function draw() {
  if (!current) return;
  drawTop(current);
  drawActions(current);
  drawPicture(current);
  drawTurn(current);
  byId("tile-details").textContent = tileDetails(current);
}

/** @param {State} state */
function drawTurn(state) {
  const { verdict, reading, settled, picture } = state;
  // Unchanged parts are not redrawn, so that a finger or a screen reader keeps its place.
  const shows = JSON.stringify([verdict, reading?.number, reading?.tiles, settled, !picture, highlight]);
  if (shows === drawn.verdict) return;
  drawn.verdict = shows;
  drawVerdict(state, { choose: chooseFault, answer, another, group });
  drawMelds(state, marksOf(state), (meld) => {
    chooseTile(meld, null);
    scrollToMeld(highlight.meld);
  });
  const spoken = spokenVerdict(state);
  if (spoken === drawn.spoken) return;
  drawn.spoken = spoken;
  byId("live").textContent = spoken;
  if (cardOf(state) === verdict) pressStamp();
}

/** @param {State} state */
function drawPicture(state) {
  return drawLivePicture(state, {
    blank: state.source.trouble ? gettext("No picture") : gettext("Waiting for the first picture"),
    caption: caption(state),
    isCurrent: () => current === state,
    choose: chooseTile,
  });
}

/** @param {State} state */
function drawTop({ source, storage, picture }) {
  byId("watched").textContent = source.watched;
  byId("source").dataset.state = source.trouble || !reachable ? "trouble" : picture ? "well" : "waiting";
  const trouble = reachable ? source.trouble : gettext("The app does not answer; trying again.");
  const text = trouble || storage.notices.join(" ") || source.notice;
  const notice = byId("notice");
  notice.hidden = !text;
  notice.dataset.kind = trouble ? "trouble" : "notice";
  if (notice.textContent !== text) notice.textContent = text;
}

/** @param {State} state */
function caption(state) {
  const { reading } = state;
  const without = captionWithoutReading(state);
  if (without !== null || !reading) return without ?? "";
  if (!reading.trusted) return capitalized(reading.status);
  const { found, hidden } = readingCounts(reading);
  return hidden ? gettext("{found}, {hidden} covered", { found, hidden }) : found;
}

/**
 * The highlighted tile in words.
 * @param {State} state
 */
function tileDetails(state) {
  const tile = highlight.tile === null ? null : state.reading?.tiles[highlight.tile];
  if (!tile) return "";
  return sureness(tile);
}

/**
 * @param {number | null} meld
 * @param {number | null} tile
 */
function chooseTile(meld, tile) {
  toggleTile(meld, tile);
  draw();
}

/** @param {import("../highlight.js").GatheredFault} fault */
function chooseFault(fault) {
  toggleFault(fault);
  draw();
  scrollToMeld(highlight.fault === null ? null : (fault.melds[0] ?? null));
}

/**
 * Scrolls an enlarged picture to a meld.
 * @param {number | null} meld
 */
function scrollToMeld(meld) {
  if (meld === null || !current?.reading?.melds[meld] || !byId("frame").classList.contains("zoomed")) return;
  const scroller = byId("scroller");
  const hull = byId("overlay", SVGSVGElement).querySelectorAll(".hull")[meld]?.getBoundingClientRect();
  const view = scroller.getBoundingClientRect();
  if (!hull) return;
  scroller.scrollBy({
    left: hull.x + hull.width / 2 - view.x - view.width / 2,
    top: hull.y + hull.height / 2 - view.y - view.height / 2,
    behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth",
  });
}

/**
 * @template {PostName} Name of an action that answers with the state
 * @param {Name} name
 * @param {PostBody<Name>} [body]
 */
async function send(name, body) {
  try {
    receive(/** @type {State} */ (await post(name, body)));
  } catch (error) {
    toastRefusal(error);
  }
}

/**
 * @param {number} tile
 * @param {string} label
 */
const answer = (tile, label) => send("answer", { reading: current?.reading?.number ?? 0, tile, label });
/** @param {number} tile */
const another = (tile) => {
  const reading = current?.reading?.number ?? 0;
  return askAnotherTile(current?.rules ?? "", (label) => send("correct", { reading, tile, label }));
};
/** @param {number[][]} rows */
const group = (rows) => send("group", { reading: current?.reading?.number ?? 0, rows });

wireActions((by) => send("step", { by }));
wireZoom(draw);
wireHints();
byId("open-rules").addEventListener("click", () => openRules());
new ResizeObserver(() => current && drawPicture(current)).observe(byId("frame"));
listen(receive, (isReachable) => {
  if (isReachable === reachable) return;
  reachable = isReachable;
  if (current) drawTop(current);
});
keepShell();
