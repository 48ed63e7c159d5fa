// The players in the order of their seats, with public facts.

import { badge } from "../badge.js";
import { byId, fill, icon, make } from "../dom.js";
import { profileOf } from "../known_players.js";
import { gettext, pgettext } from "../language.js";
import { redraw } from "../redraw.js";
import { clockTime } from "../words.js";
import { gameNight, hasDealt, isPlaying } from "./store.js";

// The number of colours in the styles; more players repeat them.
const SEAT_COLORS = 8;

/** @param {(seat: number) => void} choose */
export function drawSeats(choose) {
  const { players, player: turn, clock, phase, sheet } = gameNight();
  const totals = sheet.rounds.length > 0 ? sheet.totals.map(({ text }) => text) : [];
  document.body.style.setProperty("--turn-color", turn === null ? "transparent" : colorOf(turn));
  const banks = clock.banks_s.map((bank) => clockTime(Math.ceil(bank)));
  const seats = byId("seats");
  const signs = players.map(({ name }) => profileOf(name));
  redraw(seats, [players, turn, banks, phase, totals, signs], () => {
    const items = players.map((player, seat) =>
      seatItem(player, seat, seat === turn, [banks[seat], totals[seat]], () => choose(seat)),
    );
    fill(seats, ...items);
  });
}

// The colour of a seat, for the edge of the page; the chips get it by their class.
/** @param {number} seat */
const colorOf = (seat) => `var(--seat-bright-${seat % SEAT_COLORS})`;

/**
 * @param {Player} player
 * @param {number} seat
 * @param {boolean} on
 * @param {(string | undefined)[]} counts the player's time bank, and the total so far
 * @param {() => void} press
 */
function seatItem(player, seat, on, [bank, total], press) {
  const state = on ? "on" : isPlaying(player) ? "" : "away";
  return make(
    "li",
    { class: `seat ${state}`, style: `--seat-bright: ${colorOf(seat)}` },
    make(
      "button",
      { type: "button", "aria-current": on ? "true" : null, title: player.name, onclick: press },
      make("b", {}, badge(profileOf(player.name)), player.name),
      on && unseen(gettext("whose turn it is")),
      make("span", { class: "facts" }, ...facts(player, bank, total)),
    ),
  );
}

/**
 * @param {Player} player
 * @param {string | undefined} bank
 * @param {string | undefined} total
 * @returns {Child[]}
 */
function facts({ away, waits, rack, stars, opened }, bank, total) {
  if (away) return [make("small", {}, pgettext("a player who went home", "left"))];
  const points = total !== undefined && [
    make("span", { class: "total", title: gettext("Points so far") }, total, unseen(gettext("points"))),
  ];
  if (!hasDealt()) return points || [];
  return [
    rack !== null && rackCount(rack),
    stars !== null && make("span", { class: "stars", title: gettext("Stars") }, icon("star"), String(stars)),
    stars !== null && unseen(gettext("stars")),
    opened &&
      gameNight().edition.opening_points > 0 &&
      make("span", { class: "opened", title: gettext("Has opened") }, icon("tick"), unseen(gettext("has opened"))),
    bank ? make("small", {}, bank) : null,
    waits && make("small", {}, gettext("next round")),
    ...(points || []),
  ];
}

/** @param {number} rack below 0 if more tiles were laid than counted, so that the number is unknown */
function rackCount(rack) {
  const miscounted = rack < 0;
  const title = miscounted ? gettext("Miscounted: count the rack") : gettext("Tiles on the rack");
  return make("span", { class: "rack-count", title }, miscounted ? "?" : String(rack), unseen(title));
}

/**
 * Words for screen readers in place of a drawing.
 * @param {string} text
 */
const unseen = (text) => make("span", { class: "visually-hidden" }, ` ${text}, `);
