// The players in the order of their seats, with what everybody may know of them.
import { byId, fill, icon, make } from "../dom.js";
import { redraw } from "../redraw.js";
import { clockTime } from "../words.js";
import { gameNight, isPlaying } from "./store.js";

/** @param {(seat: number) => void} choose */
export function drawSeats(choose) {
  const { players, player: turn, clock, phase } = gameNight();
  const banks = clock.banks_s.map((bank) => clockTime(Math.ceil(bank)));
  const seats = byId("seats");
  redraw(seats, [players, turn, banks, phase], () => {
    fill(seats, ...players.map((player, seat) => seatItem(player, seat === turn, banks[seat], () => choose(seat))));
    // On a phone not all seats may fit; the one whose turn it is must be visible.
    const on = /** @type {HTMLElement | null} */ (seats.querySelector(".on"));
    if (on) seats.scrollTo({ left: on.offsetLeft - seats.clientWidth / 2 + on.clientWidth / 2 });
  });
}

/**
 * @param {Player} player
 * @param {boolean} on
 * @param {string | undefined} bank
 * @param {() => void} press
 */
function seatItem(player, on, bank, press) {
  const attributes = {
    type: "button",
    "aria-current": on ? "true" : null,
    "aria-label": labelOf(player, on),
    onclick: press,
  };
  return make(
    "li",
    { class: on ? "seat on" : isPlaying(player) ? "seat" : "seat away" },
    make("button", attributes, make("b", {}, player.name), make("span", { class: "facts" }, ...facts(player, bank))),
  );
}

/**
 * @param {Player} player
 * @param {string | undefined} bank
 * @returns {Child[]}
 */
function facts({ away, waits, rack, stars, opened }, bank) {
  if (away) return [make("small", {}, "left")];
  return [
    rack !== null && rackCount(rack),
    stars !== null && make("span", { class: "stars", title: "Stars" }, icon("star"), String(stars)),
    opened &&
      gameNight().edition.opening_points > 0 &&
      make("span", { class: "opened", title: "Has opened" }, icon("tick")),
    bank ? make("small", {}, bank) : null,
    waits && make("small", {}, "next round"),
  ];
}

/** @param {number} rack below 0 where more was laid than was counted: nobody knows then how many are left */
function rackCount(rack) {
  const miscounted = rack < 0;
  const title = miscounted ? "Miscounted: count the rack" : "Tiles on the rack";
  return make("span", { class: "rack-count", title }, miscounted ? "?" : String(rack));
}

/**
 * @param {Player} player
 * @param {boolean} on
 */
function labelOf({ name, rack, opened }, on) {
  const words = [
    name,
    on && "whose turn it is",
    rack !== null && (rack < 0 ? "tiles miscounted" : `${rack} tiles`),
    opened && "has opened",
  ];
  return words.filter(Boolean).join(", ");
}
