// The seats around the table: a name at each, clockwise.
import { at, icon, make } from "../dom.js";
import { choices, keep } from "./choices.js";

const SIDES = ["north", "east", "south", "west"];

export function drawSeats(changed) {
  const seats = SIDES.map((side, seat) => {
    const field = make("input", { type: "text", class: "seat-name", value: choices.seats[seat] ?? "", placeholder: seat < 2 ? "Name" : "Nobody", "aria-label": `Seat ${seat + 1}`, maxlength: 120, autocomplete: "off", autocapitalize: "words", spellcheck: "false" });
    field.addEventListener("input", () => {
      choices.seats[seat] = field.value;
      box.classList.toggle("taken", Boolean(field.value.trim()));
      keep();
      changed();
    });
    field.addEventListener("keydown", (event) => event.key === "Enter" && at("seats").querySelectorAll("input")[(seat + 1) % SIDES.length].focus());
    const box = make("div", { class: `place ${side} ${choices.seats[seat]?.trim() ? "taken" : ""}` }, make("span", { class: "place-number", "aria-hidden": "true" }, String(seat + 1)), field);
    return box;
  });
  const turn = make("button", { type: "button", class: "turn-table", "aria-label": "Everybody moves one seat on", title: "Everybody moves one seat on", onclick: () => rotate(changed) }, icon("restart"));
  at("seats").replaceChildren(make("div", { class: "felt", "aria-hidden": "true" }), ...seats, turn);
}

function rotate(changed) {
  choices.seats = [choices.seats.at(-1), ...choices.seats.slice(0, -1)];
  keep();
  drawSeats(changed);
  changed();
}
