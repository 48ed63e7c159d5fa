// The seats around the table: a name at each, clockwise; more than four if a house rule allows it.

import { byId, icon, make } from "../dom.js";
import { gettext } from "../language.js";
import { choices, storeChoices } from "./choices.js";

const FEWEST_SHOWN = 4;
let seatCount = FEWEST_SHOWN;
let onChange = () => {};

/** @param {() => void} changed called after each change */
export function drawSeats(changed) {
  onChange = changed;
  const turn = make(
    "button",
    {
      type: "button",
      class: "turn-table",
      "aria-label": gettext("Everybody moves one seat on"),
      title: gettext("Everybody moves one seat on"),
      onclick: rotate,
    },
    icon("restart"),
  );
  const felt = make("div", { class: "felt", "aria-hidden": "true" });
  byId("seats").replaceChildren(felt, ...placesAround(seatCount).map(placeElement), turn);
}

/** @typedef {{ side: "north" | "east" | "south" | "west", topPercent: number | null }} SeatPosition */

/**
 * @param {SeatPosition} place
 * @param {number} seat
 */
function placeElement({ side, topPercent }, seat) {
  const name = choices.seats[seat] ?? "";
  const field = make("input", {
    type: "text",
    class: "seat-name",
    value: name,
    placeholder: seat < 2 ? gettext("Name") : gettext("Nobody"),
    "aria-label": gettext("Seat {number}", { number: seat + 1 }),
    maxlength: 120,
    autocomplete: "off",
    list: "known-names",
    autocapitalize: "words",
    spellcheck: "false",
  });
  field.addEventListener("input", () => {
    choices.seats[seat] = field.value;
    place.classList.toggle("taken", Boolean(field.value.trim()));
    storeChoices();
    onChange();
  });
  field.addEventListener("keydown", ({ key }) => {
    if (key === "Enter") byId("seats").querySelectorAll("input")[(seat + 1) % seatCount].focus();
  });
  const place = make(
    "div",
    {
      class: `place ${side} ${name.trim() ? "taken" : ""}`,
      style: topPercent === null ? null : `top: ${topPercent}%`,
    },
    make("span", { class: "place-number", "aria-hidden": "true" }, String(seat + 1)),
    field,
  );
  return place;
}

/**
 * Sets the number of seats by the rules; players who have a name already keep their seat.
 * @param {number} mostPlayers
 */
export function seatsFor(mostPlayers) {
  const named = choices.seats.findLastIndex((name) => name?.trim()) + 1;
  const wanted = Math.max(FEWEST_SHOWN, mostPlayers, named);
  if (wanted === seatCount) return;
  seatCount = wanted;
  drawSeats(onChange);
  onChange();
}

/**
 * Returns the seats clockwise from the far end: one at each end, the others along the sides.
 * @param {number} count
 * @returns {SeatPosition[]}
 */
function placesAround(count) {
  const right = Math.ceil((count - 2) / 2);
  const left = count - 2 - right;
  /**
   * @param {"east" | "west"} side
   * @param {number} many
   * @returns {SeatPosition[]}
   */
  const along = (side, many) =>
    Array.from({ length: many }, (_, place) => ({ side, topPercent: (100 * (place + 1)) / (many + 1) }));
  return [
    { side: "north", topPercent: null },
    ...along("east", right),
    { side: "south", topPercent: null },
    ...along("west", left).reverse(),
  ];
}

function rotate() {
  const seats = Array.from({ length: seatCount }, (_, seat) => choices.seats[seat] ?? "");
  choices.seats = [seats[seatCount - 1], ...seats.slice(0, -1)];
  storeChoices();
  drawSeats(onChange);
  onChange();
}
