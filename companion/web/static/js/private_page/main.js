// A player's private page: polls the app, counts the clock down, counts the rack, and gives advice about it.
import { abortAfter } from "../abort_after.js";
import { asRefusal, get } from "../api.js";
import { showTime } from "../clock_figures.js";
import { button } from "../dialog.js";
import { byId, fill, make, makeSvg } from "../dom.js";
import { gettext, ngettext } from "../language.js";
import { redraw } from "../redraw.js";
import { keepShell } from "../shell.js";
import { clockTime } from "../words.js";
import { askForHint, countNumber, countTiles } from "./own_rack.js";
import { postPicture } from "./requests.js";
import { drawVibration, vibrateOnce } from "./vibration.js";

/** @typedef {import("./own_rack.js").Mine} Mine */
/** @typedef {Posted<"me/can-open">} Advice */

const ASK_EVERY_MS = 1000;
const TICK_MS = 100;
// Without an answer after this time the network is down; the page reports it within two seconds.
const ANSWER_MS = 900;
// The answer disappears by itself, since other players may look.
const THUMB_MS = 10_000;
const THUMB =
  "M7 11v9H3v-9h4zm2 9V11l4-8c1.7 0 2.6 1.2 2.2 2.8L14.4 9H20a1.8 1.8 0 0 1 1.8 2.2l-1.7 7A2.3 2.3 0 0 1 17.9 20H9z";

/** @type {{ mine: Mine, atMs: number } | null} */
let known = null;
/** @type {Edition | null} */
let edition = null;
let thumbTimer = 0;

async function refresh() {
  if (document.visibilityState === "visible") {
    try {
      const response = await fetch("/api/me", { signal: abortAfter(ANSWER_MS) });
      if (response.status === 403) return location.reload();
      if (!response.ok) throw new Error(String(response.status));
      const mine = await response.json();
      // The keys with which tiles are entered; fetched before the page is drawn, so that nothing on it moves later.
      if ((mine.counting || mine.may_get_hint) && !edition) edition = await get("me/edition");
      show(mine);
    } catch {
      byId("whose").textContent = gettext("The app does not answer; trying again.");
    }
  }
  setTimeout(refresh, ASK_EVERY_MS);
}

/** @param {Mine} mine */
function show(mine) {
  known = { mine, atMs: performance.now() };
  draw(mine);
}

/** @param {Mine} mine */
function draw(mine) {
  const turn = !mine.playing ? "waiting" : mine.mine ? "mine" : "other";
  byId("mine").dataset.turn = turn;
  byId("name").textContent = mine.name;
  const line = whoseLine(mine);
  if (byId("whose").textContent !== line) byId("whose").textContent = line;
  byId("own-hint").hidden = !mine.counting?.done;
  const facts = factsOf(mine);
  redraw(byId("own-facts"), facts, () =>
    fill(
      byId("own-facts"),
      ...facts.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))),
    ),
  );
  byId("ask").hidden = !mine.may_ask;
  if (!mine.may_ask) byId("note").textContent = "";
  drawWays(mine);
  tick();
  if (mine.mine) vibrateOnce(mine.turn);
  if (!byId("vibration").hasChildNodes()) drawVibration(byId("vibration"));
}

/** @param {Mine} mine */
function whoseLine({ playing, mine, whose, counting }) {
  if (counting) {
    if (counting.again) return gettext("One tile was counted too often. Count your rack again.");
    return counting.done ? gettext("Your rack is counted.") : gettext("The round is over. Count your rack.");
  }
  if (!playing) return gettext("It is nobody's turn now.");
  return mine ? gettext("It is your turn!") : gettext("It is {name}'s turn.", { name: whose });
}

/**
 * @param {Mine} mine
 * @returns {[string, string][]}
 */
function factsOf({ points, rack, playing }) {
  return [
    ...(points
      ? /** @type {[string, string][]} */ ([
          [gettext("Total"), points.total],
          [gettext("Place"), String(points.place)],
          ...(playing ? [] : [[gettext("Last round"), points.last]]),
        ])
      : []),
    ...(rack === null ? [] : [/** @type {[string, string]} */ ([gettext("Tiles"), String(rack)])]),
  ];
}

/**
 * The ways to count the rack, or to ask for a hint.
 * @param {Mine} mine
 * @param {Edition} edition
 */
function ways(mine, edition) {
  const { counting, may_get_hint: hasHints } = mine;
  if (hasHints) return [button(gettext("What can I lay?"), () => askForHint(mine, edition), "main large")];
  if (!counting) return [];
  if (edition.stars) return [button(gettext("Count"), () => countNumber(mine, show), "main large")];
  if (counting.done) return [button(gettext("Change"), () => countTiles(mine, edition, show), "large")];
  return [
    button(gettext("Take a picture"), () => countTiles(mine, edition, show, "picture"), "main large"),
    button(gettext("Tap the tiles"), () => countTiles(mine, edition, show), "large"),
  ];
}

/** @param {Mine} mine */
function drawWays(mine) {
  const known = edition;
  const { counting, may_get_hint: hasHints, rack } = mine;
  redraw(byId("own-ways"), [counting, hasHints, rack, known !== null], () =>
    fill(byId("own-ways"), ...(known ? ways(mine, known) : [])),
  );
}

function tick() {
  const clock = known?.mine.clock;
  const left = byId("left");
  if (!known || !clock || clock.left_s === null) {
    left.textContent = "";
    return;
  }
  const leftS = clock.left_s - (clock.running ? (performance.now() - known.atMs) / 1000 : 0);
  const text = clockTime(leftS);
  showTime(left, text);
  left.dataset.kind = leftS <= 10 ? "last" : "well";
}

/** @param {File} picture */
async function ask(picture) {
  const note = byId("note");
  note.textContent = gettext("Looking at the rack.");
  try {
    const advice = await postPicture("can-open", picture);
    note.textContent = "";
    showThumb(advice);
  } catch (error) {
    note.textContent = asRefusal(error).message;
  }
}

/** @param {Advice} advice */
function showThumb({ answer, seen, tiles }) {
  const words = { yes: gettext("Yes, you can open."), no: gettext("Not yet."), unsure: unsureWords(seen, tiles) };
  const thumb = byId("thumb");
  thumb.dataset.answer = answer;
  const sign =
    answer === "unsure"
      ? make("b", { "aria-hidden": "true" }, "?")
      : makeSvg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, makeSvg("path", { d: THUMB }));
  fill(thumb, sign, make("span", {}, words[answer]), make("small", {}, gettext("Tap to go back")));
  thumb.hidden = false;
  thumb.focus();
  clearTimeout(thumbTimer);
  thumbTimer = window.setTimeout(hide, THUMB_MS);
}

/**
 * @param {number} seen how many tiles were read
 * @param {number} tiles how many tiles the rack has
 */
function unsureWords(seen, tiles) {
  const again = gettext("Take the picture again: the whole rack, straight from the front, in good light.");
  const why =
    tiles >= 0 && seen !== tiles
      ? ngettext("I see {seen} of {count} tile.", "I see {seen} of {count} tiles.", tiles, { seen })
      : gettext("I am not sure about some tiles.");
  return `${why} ${again}`;
}

function hide() {
  byId("thumb").hidden = true;
  fill(byId("thumb"));
}

const picture = byId("picture", HTMLInputElement);
picture.addEventListener("change", async () => {
  const file = picture.files?.[0];
  if (file) await ask(file);
  picture.value = "";
});
byId("thumb").addEventListener("click", hide);
document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && hide());
setInterval(tick, TICK_MS);
refresh();
keepShell();
