// The podium and the highlights of a game night that is over.

import { make } from "../dom.js";
import { gettext } from "../language.js";
import { tileRow } from "../tiles.js";
import { lettersOf } from "../words.js";
import { gameNight } from "./store.js";

const STEPS = 3;

/** The three best places, with the winner in the middle, and the other places below; equal totals share a place. */
export function podium() {
  const { sheet, players } = gameNight();
  if (sheet.rounds.length === 0) return null;
  const ranked = sheet.totals
    .map(({ value, text }, seat) => ({
      seat,
      text,
      place: 1 + sheet.totals.filter((other) => other.value > value).length,
    }))
    .sort((one, other) => one.place - other.place);
  const steps = Array.from({ length: STEPS }, (_, index) => ranked.filter(({ place }) => place === index + 1));
  const others = ranked.filter(({ place }) => place > STEPS);
  const best = make(
    "ol",
    { class: "podium", "aria-label": gettext("The podium") },
    ...steps.flatMap((step, index) =>
      step.length === 0
        ? []
        : [
            make(
              "li",
              {
                class: `place-${index + 1}`,
                value: index + 1,
                style: lettersOf(...step.map(({ seat }) => players[seat].name)),
              },
              ...step.map(({ seat, text }) => make("b", { class: `seat-${seat}` }, players[seat].name, " ", text)),
              make("i", { "aria-hidden": "true" }, String(index + 1)),
            ),
          ],
    ),
  );
  const rest = others.map(({ seat, text, place }) =>
    make("li", { class: `seat-${seat}`, value: place }, make("b", {}, players[seat].name, " ", text)),
  );
  return make("div", { class: "places" }, best, others.length > 0 && make("ol", { class: "other-places" }, ...rest));
}

/** The best turn, the longest run and the longest think. */
export function highlightList() {
  const { highlights } = gameNight();
  if (highlights.length === 0) return null;
  return make(
    "dl",
    { class: "highlights" },
    ...highlights.map(({ title, text, tiles }) =>
      make("div", {}, make("dt", {}, title), make("dd", {}, text, tiles.length > 0 ? tileRow(tiles) : null)),
    ),
  );
}
