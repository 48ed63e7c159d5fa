// The page at the table: takes each state from the app and draws it.
import { drawActions, wireActions } from "./actions.js";
import { at } from "./dom.js";
import { listen, press } from "./link.js";
import { marksOf } from "./marks.js";
import { drawBefore, drawMelds } from "./melds.js";
import { drawOverlay } from "./overlay.js";
import { clearPicture, showPicture } from "./picture.js";
import { toast } from "./toast.js";
import { drawVerdict, slip, spoken } from "./verdict.js";

const slipParts = {
  card: at("verdict"),
  stamp: at("stamp"),
  headline: at("headline"),
  advice: at("advice"),
  more: at("more"),
};
const lit = { meld: null, tile: null, fault: null, code: null };
let current = null;
const drawn = { reading: "", verdict: "", spoken: "" };
let reachable = true;

function hear(state) {
  if (current && state.boot === current.boot && state.version <= current.version) return;
  if (state.evening) return location.reload(); // an evening has begun: its page is another
  const fresh = current?.reading?.number !== state.reading?.number || current?.boot !== state.boot;
  if (fresh || JSON.stringify(current?.verdict) !== JSON.stringify(state.verdict)) forget();
  current = state;
  drawAll();
}

function drawAll() {
  const state = current;
  drawTop(state);
  drawActions(state);
  drawPicture(state);
  // What has not changed is left as it is, so that a finger or a screen reader on it does not lose its place.
  const verdict = JSON.stringify([
    state.verdict,
    state.turn,
    state.reading?.number,
    state.reading?.tiles,
    state.settled,
    !state.picture,
    lit,
  ]);
  if (verdict !== drawn.verdict) {
    drawn.verdict = verdict;
    const marks = marksOf(state, lit);
    drawVerdict(slipParts, state, lit.fault, lightFault, answer, group);
    drawMelds(at("mat"), state, marks, (meld) => {
      choose(meld, null);
      scrollTo(lit.meld);
    });
    drawBefore(at("before"), at("mat-before"), state);
    const aloud = spoken(state);
    if (aloud !== drawn.spoken) {
      drawn.spoken = aloud;
      at("live").textContent = aloud;
      if (slip(state) === state.verdict) stampAnew();
    }
  }
  at("tile-told").textContent = told(state);
}

async function drawPicture(state) {
  at("blank").hidden = Boolean(state.picture);
  if (!state.picture) {
    at("blank").textContent = state.source.trouble ? "No picture" : "Waiting for the first picture";
    clearPicture(at("sheet"), at("overlay"));
    drawn.reading = "";
  }
  const overlay = at("overlay");
  overlay.classList.toggle("stale", !state.settled);
  at("caption").textContent = caption(state);
  if (!state.picture) return;
  at("frame").style.setProperty("--aspect", Math.max(1, state.picture.width / state.picture.height).toFixed(4));
  // The overlay waits for its picture: outlines of a new reading on an old picture would lie beside the tiles.
  if ((await showPicture(at("sheet"), state)) && current === state) {
    const reading = JSON.stringify([
      state.reading?.number,
      state.reading?.tiles,
      state.verdict,
      lit,
      overlay.getBoundingClientRect(),
    ]);
    if (reading === drawn.reading) return;
    drawn.reading = reading;
    drawOverlay(overlay, state, marksOf(state, lit), choose);
  }
}

function drawTop(state) {
  const { source, picture } = state;
  at("watched").textContent = source.watched;
  at("source").dataset.state = source.trouble || !reachable ? "trouble" : picture ? "well" : "waiting";
  const trouble = reachable ? source.trouble : "The app does not answer; trying again.";
  const notice = at("notice");
  notice.hidden = !(trouble || source.notice);
  notice.dataset.kind = trouble ? "trouble" : "notice";
  if (notice.textContent !== (trouble || source.notice)) notice.textContent = trouble || source.notice;
}

function caption(state) {
  const { reading, settled, picture, frame } = state;
  if (!picture) return "";
  if (!settled && frame === "lost") return "The camera or the table moved; all is found again when it lies still.";
  if (!settled) return reading ? "The table moves; it is read again when it lies still." : "Reading the table.";
  if (!reading.trusted) return `${reading.status.charAt(0).toUpperCase()}${reading.status.slice(1)}`;
  const doubtful = reading.tiles.filter((tile) => tile.there && tile.doubtful).length;
  const tiles = reading.tiles.filter((tile) => tile.there).length;
  const hidden = reading.tiles.filter((tile) => tile.there && tile.hidden).length;
  const found = `${count(tiles, "tile")} in ${count(reading.melds.length, "meld")}`;
  return `${found}${doubtful ? `, ${doubtful} doubtful` : ""}${hidden ? `, ${hidden} covered` : ""}`;
}

const count = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;

function told(state) {
  const tile = lit.tile === null ? null : state.reading?.tiles[lit.tile];
  if (!tile) return "";
  const sure = `${Math.floor(tile.confidence * 100)} % sure`;
  return `${tile.name}, ${sure}${tile.doubtful ? `; it may be ${tile.runner_up}` : ""}`;
}

function choose(meld, tile) {
  const again = lit.meld === meld && lit.tile === tile;
  forget();
  if (!again) Object.assign(lit, { meld, tile });
  drawAll();
}

// Enlarged, the picture shows a part of itself: what is pointed at in the list comes into its middle.
function scrollTo(meld) {
  const row = meld === null ? undefined : current.reading?.melds[meld];
  if (!row || !at("frame").classList.contains("zoomed")) return;
  const scroller = at("scroller");
  const spot = at("overlay").querySelectorAll(".hull")[meld]?.getBoundingClientRect();
  const seen = scroller.getBoundingClientRect();
  if (!spot) return;
  scroller.scrollBy({
    left: spot.x + spot.width / 2 - seen.x - seen.width / 2,
    top: spot.y + spot.height / 2 - seen.y - seen.height / 2,
    behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth",
  });
}

function lightFault(fault) {
  const again = lit.fault === fault.text;
  forget();
  if (!again) Object.assign(lit, { fault: fault.text, code: fault.others ? fault.code : null });
  drawAll();
  scrollTo(again ? null : (fault.melds[0] ?? null));
}

function forget() {
  Object.assign(lit, { meld: null, tile: null, fault: null, code: null });
}

function stampAnew() {
  slipParts.stamp.classList.remove("pressed");
  void slipParts.stamp.offsetWidth; // lets the animation start again
  slipParts.stamp.classList.add("pressed");
}

async function send(what, body) {
  try {
    hear(await press(what, body));
  } catch (error) {
    toast(error.message);
  }
}

const answer = (tile, label) => send("answer", { reading: current.reading.number, tile, label });
const group = (rows) => send("group", { reading: current.reading.number, rows });

wireActions(send, () => current);
at("larger").addEventListener("click", () => {
  const zoomed = at("frame").classList.toggle("zoomed");
  at("larger").setAttribute("aria-pressed", String(zoomed));
  at("larger").setAttribute("aria-label", zoomed ? "Show the whole picture" : "Enlarge the picture");
  drawn.reading = "";
  if (current) drawAll();
});
new ResizeObserver(() => current && drawPicture(current)).observe(at("frame"));
listen(hear, (there) => {
  if (there === reachable) return;
  reachable = there;
  if (current) drawTop(current);
});
