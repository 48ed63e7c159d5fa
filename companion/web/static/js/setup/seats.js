// The seats around the table: a name at each, clockwise; more than four where a house rule lets more play.
import { at, icon, make } from "../dom.js";
import { choices, keep } from "./choices.js";

const FEWEST_SHOWN = 4;
let seatCount = FEWEST_SHOWN;
let hear = () => {};

export function drawSeats(changed) {
  hear = changed;
  const fields = places(seatCount).map(([side, top], seat) => {
    const field = make("input", {
      type: "text",
      class: "seat-name",
      value: choices.seats[seat] ?? "",
      placeholder: seat < 2 ? "Name" : "Nobody",
      "aria-label": `Seat ${seat + 1}`,
      maxlength: 120,
      autocomplete: "off",
      autocapitalize: "words",
      spellcheck: "false",
    });
    field.addEventListener("input", () => {
      choices.seats[seat] = field.value;
      box.classList.toggle("taken", Boolean(field.value.trim()));
      keep();
      changed();
    });
    field.addEventListener(
      "keydown",
      (event) => event.key === "Enter" && at("seats").querySelectorAll("input")[(seat + 1) % seatCount].focus(),
    );
    const box = make(
      "div",
      {
        class: `place ${side} ${choices.seats[seat]?.trim() ? "taken" : ""}`,
        style: top === null ? null : `top: ${top}%`,
      },
      make("span", { class: "place-number", "aria-hidden": "true" }, String(seat + 1)),
      field,
    );
    return box;
  });
  const turn = make(
    "button",
    {
      type: "button",
      class: "turn-table",
      "aria-label": "Everybody moves one seat on",
      title: "Everybody moves one seat on",
      onclick: rotate,
    },
    icon("restart"),
  );
  at("seats").replaceChildren(make("div", { class: "felt", "aria-hidden": "true" }), ...fields, turn);
}

// Lets so many sit down as the rules have places, and everybody who has been named already keeps a seat.
export function seatsFor(mostPlayers) {
  const named = choices.seats.findLastIndex((name) => name?.trim()) + 1;
  const wanted = Math.max(FEWEST_SHOWN, mostPlayers, named);
  if (wanted === seatCount) return;
  seatCount = wanted;
  drawSeats(hear);
  hear();
}

// Clockwise from the far end: one at either end, the others along the sides.
function places(count) {
  const right = Math.ceil((count - 2) / 2);
  const left = count - 2 - right;
  const along = (side, many) => Array.from({ length: many }, (_, place) => [side, (100 * (place + 1)) / (many + 1)]);
  return [["north", null], ...along("east", right), ["south", null], ...along("west", left).reverse()];
}

function rotate() {
  const seats = Array.from({ length: seatCount }, (_, seat) => choices.seats[seat] ?? "");
  choices.seats = [seats.at(-1), ...seats.slice(0, -1)];
  keep();
  drawSeats(hear);
  hear();
}
