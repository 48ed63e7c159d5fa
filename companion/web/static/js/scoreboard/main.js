// The scoreboard and the overlay for streams, which differ in their styles: they draw each state, and nothing on them
// can be pressed.

import { badge } from "../badge.js";
import { showTime } from "../clock_figures.js";
import { byId, fill, icon, make } from "../dom.js";
import { leaveOutWhatDoesNotFit } from "../fit.js";
import { keepAwake } from "../game_night/awake.js";
import { clockFace, isTimed } from "../game_night/clock_face.js";
import { endWords } from "../game_night/end_words.js";
import {
  gameNight,
  hasGameNight,
  hasState,
  isPlaying,
  isReachable,
  nameOf,
  onChange,
  startStore,
  state,
} from "../game_night/store.js";
import { finalTitle, namesOf, roundTitle } from "../game_night/winners.js";
import { loadPlayers, profileOf } from "../known_players.js";
import { composed, gettext, ngettext } from "../language.js";
import { redraw } from "../redraw.js";
import { keepShell } from "../shell.js";
import { tileElement } from "../tiles.js";
import { roundWords } from "../words.js";

const TICK_MS = 200;
// The number of colours in the styles; more players repeat them.
const SEAT_COLORS = 8;
// More tiles of a verdict would be smaller than can be read from afar.
const MOST_TILES = 7;

function draw() {
  const notice = byId("notice");
  notice.hidden = isReachable();
  document.body.dataset.reachable = String(isReachable());
  notice.textContent = gettext("The app does not answer; trying again.");
  if (!hasState()) return;
  document.body.dataset.playing = String(hasGameNight());
  if (hasGameNight()) {
    const { player } = gameNight();
    document.body.style.setProperty("--turn-color", player === null ? "transparent" : colorOf(player));
    byId("who").textContent = who();
    fill(byId("facts"), ...facts());
    drawLast();
    drawTotals();
  } else {
    byId("who").textContent = gettext("No game is played now");
    for (const id of ["facts", "last", "totals"]) fill(byId(id));
  }
  drawTime();
  document.body.dataset.ready = "";
}

/** @param {number} seat */
const colorOf = (seat) => `var(--seat-bright-${seat % SEAT_COLORS})`;

// The name that the table looks for now.
function who() {
  const { phase, player, out, starting, sheet, result } = gameNight();
  if (phase === "over") return namesOf(sheet.leaders);
  if (result) return namesOf(sheet.rounds.at(-1)?.winners ?? []);
  if (phase === "starter") return gettext("Who begins?");
  return nameOf(player ?? out ?? starting?.starter ?? null);
}

/** @returns {Child[]} */
function facts() {
  const { phase, standing, sheet, result, round, rounds_agreed: agreed, pool, last_turns: lastTurns } = gameNight();
  if (phase === "over") return [make("span", {}, finalTitle(sheet))];
  if (result) return [make("span", {}, roundTitle(sheet))];
  if (phase !== "turns") return [make("span", {}, standing)];
  return [
    make("span", {}, roundWords(round, agreed)),
    endWords() && make("span", {}, endWords()),
    make("span", {}, ...composed(gettext("{pool} in the pool"), { pool: make("b", {}, String(pool ?? "–")) })),
    lastTurns !== null && make("span", {}, ngettext("{count} turn left", "{count} turns left", lastTurns)),
  ];
}

function drawTime() {
  const time = byId("time");
  time.hidden = !hasGameNight() || gameNight().phase !== "turns" || gameNight().result || !isTimed();
  if (time.hidden) return;
  const { text, kind } = clockFace();
  showTime(time, text);
  time.dataset.kind = kind;
}

function drawLast() {
  const { verdict } = state();
  const { judged, phase } = gameNight();
  const box = byId("last");
  const shown = phase === "turns" && judged !== null ? verdict : null;
  redraw(box, [shown, judged], () => {
    box.dataset.kind = shown?.kind ?? "";
    fill(box, ...(shown ? lastLines(shown) : []));
    leaveOutWhatDoesNotFit(box);
  });
}

/**
 * Whose turn it was, the decision, the tiles that it is about, and why.
 * @param {Verdict} verdict
 * @returns {Child[]}
 */
function lastLines({ headline, placed, faults, melds }) {
  const [fault] = faults;
  const tiles = fault && fault.melds.length > 0 ? melds[fault.melds[0]] : placed;
  const more = tiles.length - MOST_TILES;
  return [
    make("h2", {}, make("span", { class: "concerned" }, nameOf(gameNight().judged)), " ", make("b", {}, headline)),
    tiles.length > 0 &&
      make(
        "div",
        { class: "about" },
        ...tiles.slice(0, MOST_TILES).map((tile) => tileElement(tile)),
        more > 0 && make("b", { class: "others" }, `+${more}`),
      ),
    fault && make("p", {}, fault.text),
  ];
}

function drawTotals() {
  const { players, sheet, player: turn } = gameNight();
  const signs = players.map(({ name }) => profileOf(name));
  redraw(byId("totals"), [players, sheet.totals, turn, signs], () => {
    const items = players.map((player, seat) => {
      const state = seat === turn ? "on" : isPlaying(player) ? "" : "away";
      return make(
        "li",
        { class: state, style: `--seat-bright: ${colorOf(seat)}; --letters: ${player.name.length + 2}` },
        make("span", { class: "name" }, badge(profileOf(player.name)), player.name),
        make("b", {}, sheet.totals[seat]?.text ?? "0"),
        make("span", { class: "left" }, ...tilesLeft(player)),
      );
    });
    fill(byId("totals"), ...items);
  });
}

/**
 * @param {Player} player
 * @returns {Child[]}
 */
function tilesLeft({ rack, stars }) {
  if (stars !== null) return [icon("star"), String(stars)];
  if (rack === null || rack < 0) return [];
  return [ngettext("{count} tile", "{count} tiles", rack)];
}

new ResizeObserver(() => leaveOutWhatDoesNotFit(byId("last"))).observe(byId("last"));
onChange(draw);
setInterval(drawTime, TICK_MS);
startStore();
loadPlayers(() => hasState() && draw());
keepAwake();
keepShell();
