// The sign of a player: an animal on a disc in the player's colour, beside the name.

import { make, makeSvg } from "./dom.js";
import { gettext } from "./language.js";

/** @typedef {import("../../tooling/api.js").components["schemas"]["ProfileJson"]} Profile */
/** @typedef {NonNullable<Profile["animal"]>} Animal */

// Drawn as lines in a square of 24, since many computers have no font with animals; `h.01` is a dot.
/** @type {Record<Animal, string>} */
const LINES = {
  fox: "M3.5 4 8 7.5h8L20.5 4 19 13.5 12 20.5 5 13.5ZM8.8 12.5h.01M15.2 12.5h.01M12 17.5h.01",
  bear:
    "M6.6 9.5a3 3 0 1 1 3-4.3M17.4 9.5a3 3 0 1 0-3-4.3M4.8 13.5a7.2 7 0 0 1 14.4 0 7.2 7 0 0 1-14.4 0Z" +
    "M9.3 12.3h.01M14.7 12.3h.01M10.8 16.2h2.4",
  cat: "M5 4.5 9 7.5h6l4-3V13a7 7 0 0 1-14 0ZM9.3 12h.01M14.7 12h.01M12 15.5h.01M1.8 13.5l3 .6M22.2 13.5l-3 .6",
  dog:
    "M7 6.5h10V14a5 5.5 0 0 1-10 0ZM7 6.5C3.5 5.5 2.5 9 3.5 13.5L7 12M17 6.5c3.5-1 4.5 2.5 3.5 7L17 12" +
    "M10 11h.01M14 11h.01M11.2 15h1.6",
  rabbit:
    "M9.5 10.5C7 7 6.8 2.5 8.6 2.5S11 6 11 9.7M14.5 10.5C17 7 17.2 2.5 15.4 2.5S13 6 13 9.7" +
    "M6 15.5a6 5.8 0 0 1 12 0 6 5.8 0 0 1-12 0ZM9.8 14.5h.01M14.2 14.5h.01M12 17.5h.01",
  owl:
    "M5 4.5 8.5 6.5h7L19 4.5V14a7 7 0 0 1-14 0ZM6.8 11a2.4 2.4 0 1 1 4.8 0 2.4 2.4 0 0 1-4.8 0Z" +
    "M12.4 11a2.4 2.4 0 1 1 4.8 0 2.4 2.4 0 0 1-4.8 0ZM9.2 11h.01M14.8 11h.01M12 14.5l-.8 1.6h1.6Z",
  penguin:
    "M12 2.5c5 0 7 4.5 7 10s-3 9-7 9-7-3.5-7-9 2-10 7-10Z" +
    "M8 21c-1.5-4-1-9 1.5-10.5 1-.6 1.8-.2 2.5.6.7-.8 1.5-1.2 2.5-.6C17 12 17.5 17 16 21M9.6 7.5h.01" +
    "M14.4 7.5h.01M11.2 9.5h1.6",
  lion:
    "M12 2l2.4 2.2 3.2-.8.9 3.2 3.2.9-.8 3.2L23 13l-2.2 2.4.8 3.2-3.2.9-.9 " +
    "3.2H6.5l-.9-3.2-3.2-.9.8-3.2L1 13l2.1-2.3-.8-3.2 3.2-.9.9-3.2 3.2.8Z" +
    "M6.8 13a5.2 5.2 0 0 1 10.4 0v1.5a5.2 5 0 0 1-10.4 0ZM10 12.5h.01M14 12.5h.01M12 15.8h.01",
  frog:
    "M5 9.5a3.2 3.2 0 1 1 6-1.7h2a3.2 3.2 0 1 1 6 1.7c1.5 1 2.5 2.4 2.5 4 0 4-4.2 6.5-9.5 " +
    "6.5s-9.5-2.5-9.5-6.5c0-1.6 1-3 2.5-4ZM7.9 7.5h.01M16.1 7.5h.01M7 14c3 2.3 7 2.3 10 0",
  turtle:
    "M2.5 16a7.5 7.5 0 0 1 15 0ZM17.5 14c1-2 4.5-2 4.5.5 0 1.5-1.5 2-4.5 1.5M5.5 16v3.5M14.5 16v3.5M20 14h.01" +
    "M10 8.5V16M6.3 10.2 8 12.5h4l1.7-2.3",
  panda:
    "M6.6 9.5a3 3 0 1 1 3-4.3M17.4 9.5a3 3 0 1 0-3-4.3M4.8 13.5a7.2 7 0 0 1 14.4 0 7.2 7 0 0 1-14.4 0Z" +
    "M8.6 13.4l1-1.8M15.4 13.4l-1-1.8M8.9 13.2l.9-1.7M15.1 13.2l-.9-1.7M12 16h.01M5.5 6h1M17.5 6h1",
  octopus:
    "M5.5 14v-3a6.5 6.5 0 0 1 13 0v3M5.5 13c0 4-3.5 3-3 6M18.5 13c0 4 3.5 3 3 6M9 14c0 4-3 4-2.5 7" +
    "M15 14c0 4 3 4 2.5 7M12 14.5V21M9.8 10.5h.01M14.2 10.5h.01",
};

/** @type {[Animal, string][]} */
export const ANIMALS = [
  ["fox", gettext("Fox")],
  ["bear", gettext("Bear")],
  ["cat", gettext("Cat")],
  ["dog", gettext("Dog")],
  ["rabbit", gettext("Rabbit")],
  ["owl", gettext("Owl")],
  ["penguin", gettext("Penguin")],
  ["lion", gettext("Lion")],
  ["frog", gettext("Frog")],
  ["turtle", gettext("Turtle")],
  ["panda", gettext("Panda")],
  ["octopus", gettext("Octopus")],
];

/** @type {string[]} */
export const COLOURS = [
  gettext("Orange"),
  gettext("Blue"),
  gettext("Green"),
  gettext("Violet"),
  gettext("Brown"),
  gettext("Turquoise"),
  gettext("Red"),
  gettext("Grey"),
];

/**
 * Screen readers pass over it, since the name is beside it.
 * @param {{ name: string, colour: number | null, animal: Animal | null } | undefined} player
 * @returns {HTMLElement | null} null for a player without colour and animal
 */
export function badge(player) {
  if (!player || (player.colour === null && player.animal === null)) return null;
  const { name, colour, animal } = player;
  const sign = animal === null ? ([...name][0] ?? "") : drawing(animal);
  const classes = colour === null ? "badge" : `badge coloured seat-${colour}`;
  return make("span", { class: classes, "aria-hidden": "true" }, sign);
}

/** @param {Animal} animal */
const drawing = (animal) => makeSvg("svg", { viewBox: "0 0 24 24" }, makeSvg("path", { d: LINES[animal] }));
