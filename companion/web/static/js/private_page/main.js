// A player's private page: polls the app, counts the clock down, and asks whether a rack can open.
import { abortAfter } from "../abort_after.js";
import { byId, fill, make, makeSvg } from "../dom.js";
import { gettext, ngettext } from "../language.js";
import { keepShell } from "../shell.js";
import { clockTime } from "../words.js";

/** @typedef {Fetched<"me">} Mine */
/** @typedef {Posted<"me/can-open">} Advice */

const ASK_EVERY_MS = 1000;
const TICK_MS = 100;
// Without an answer after this time the network is down; the page reports it within two seconds.
const ANSWER_MS = 900;
// The time to send a picture, wait for others, and read it.
const LOOKED_AT_WITHIN_MS = 60_000;
// The answer disappears by itself, since other players may look.
const THUMB_MS = 10_000;
const THUMB =
  "M7 11v9H3v-9h4zm2 9V11l4-8c1.7 0 2.6 1.2 2.2 2.8L14.4 9H20a1.8 1.8 0 0 1 1.8 2.2l-1.7 7A2.3 2.3 0 0 1 17.9 20H9z";

/** @type {{ mine: Mine, atMs: number } | null} */
let known = null;
let thumbTimer = 0;

async function refresh() {
  if (document.visibilityState === "visible") {
    try {
      const response = await fetch("/api/me", { signal: abortAfter(ANSWER_MS) });
      if (response.status === 403) return location.reload();
      if (!response.ok) throw new Error(String(response.status));
      known = { mine: await response.json(), atMs: performance.now() };
      draw(known.mine);
    } catch {
      byId("whose").textContent = gettext("The app does not answer; trying again.");
    }
  }
  setTimeout(refresh, ASK_EVERY_MS);
}

/** @param {Mine} mine */
function draw(mine) {
  const turn = !mine.playing ? "waiting" : mine.mine ? "mine" : "other";
  byId("mine").dataset.turn = turn;
  byId("name").textContent = mine.name;
  const whose = !mine.playing
    ? gettext("It is nobody's turn now.")
    : mine.mine
      ? gettext("It is your turn!")
      : gettext("It is {name}'s turn.", { name: mine.whose });
  if (byId("whose").textContent !== whose) byId("whose").textContent = whose;
  byId("ask").hidden = !mine.may_ask;
  if (!mine.may_ask) byId("note").textContent = "";
}

function tick() {
  const clock = known?.mine.clock;
  const left = byId("left");
  if (!known || !clock || clock.left_s === null) {
    left.textContent = "";
    return;
  }
  const leftS = clock.left_s - (clock.running ? (performance.now() - known.atMs) / 1000 : 0);
  left.textContent = clockTime(leftS);
  left.dataset.kind = leftS <= 10 ? "last" : "well";
}

/** @param {File} picture */
async function ask(picture) {
  const note = byId("note");
  note.textContent = gettext("Looking at the rack.");
  try {
    const response = await fetch("/api/me/can-open", {
      method: "POST",
      headers: { "Content-Type": picture.type || "image/jpeg", "X-CSRF-Token": byId("mine").dataset.csrf ?? "" },
      body: picture,
      signal: abortAfter(LOOKED_AT_WITHIN_MS),
    });
    const data = await response.json();
    note.textContent = response.ok ? "" : data.error;
    if (response.ok) show(data);
  } catch {
    note.textContent = gettext("The app does not answer.");
  }
}

/** @param {Advice} advice */
function show({ answer, seen, tiles }) {
  const words = { yes: gettext("Yes, you can open."), no: gettext("Not yet."), unsure: unsureWords(seen, tiles) };
  const thumb = byId("thumb");
  thumb.dataset.answer = answer;
  const sign =
    answer === "unsure"
      ? make("b", { "aria-hidden": "true" }, "?")
      : makeSvg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, makeSvg("path", { d: THUMB }));
  fill(thumb, sign, make("span", {}, words[answer]));
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
