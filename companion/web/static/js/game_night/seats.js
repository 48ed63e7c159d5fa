// The players in the order of their seats, with what everybody may know of them.
import { at, icon, make } from "../dom.js";
import { redraw } from "../redraw.js";
import { clockTime } from "../words.js";
import { evening } from "./store.js";

export function drawSeats(choose) {
  const { players, player, clock, phase } = evening();
  const banks = clock.banks_s.map((bank) => clockTime(Math.ceil(bank)));
  redraw(at("seats"), [players, player, banks, phase], () => {
    at("seats").replaceChildren(
      ...players.map((seat, index) =>
        make(
          "li",
          { class: index === player ? "seat on" : seat.away || seat.waits ? "seat away" : "seat" },
          make(
            "button",
            {
              type: "button",
              "aria-current": index === player ? "true" : null,
              "aria-label": told(seat, index === player),
              onclick: () => choose(index),
            },
            make("b", {}, seat.name),
            make("span", { class: "facts" }, ...facts(seat, banks[index])),
          ),
        ),
      ),
    );
    // On a phone not all seats may fit; the one whose turn it is must be seen.
    const on = at("seats").querySelector(".on");
    if (on) at("seats").scrollTo({ left: on.offsetLeft - at("seats").clientWidth / 2 + on.clientWidth / 2 });
  });
}

// More was laid than was counted: nobody knows then how many are left.
const rackWords = (rack) => (rack < 0 ? "?" : String(rack));

function facts(seat, bank) {
  if (seat.away) return [make("small", {}, "left")];
  const shown = [];
  if (seat.rack !== null)
    shown.push(
      make(
        "span",
        { class: "rack-count", title: seat.rack < 0 ? "Miscounted: count the rack" : "Tiles on the rack" },
        rackWords(seat.rack),
      ),
    );
  if (seat.stars !== null)
    shown.push(make("span", { class: "stars", title: "Stars" }, icon("star"), String(seat.stars)));
  if (seat.opened && evening().edition.opening_points > 0)
    shown.push(make("span", { class: "opened", title: "Has opened" }, icon("tick")));
  if (bank) shown.push(make("small", {}, bank));
  if (seat.waits) shown.push(make("small", {}, "next round"));
  return shown;
}

function told(seat, on) {
  const words = [
    seat.name,
    on && "whose turn it is",
    seat.rack !== null && (seat.rack < 0 ? "tiles miscounted" : `${seat.rack} tiles`),
    seat.opened && "has opened",
  ];
  return words.filter(Boolean).join(", ");
}
