// The tile pad: every tile of the edition as a key; on a phone one colour at a time.
import { draw, make } from "../dom.js";

// choose(text, tile) hears of each key that is pressed; jokers are there unless told otherwise; ink is shown first.
export function tilePad(edition, choose, { joker = true, ink = null } = {}) {
  const key = (tile) =>
    make(
      "button",
      {
        type: "button",
        class: `key ink-${tile.ink ?? "joker"}`,
        "aria-label": tile.name,
        onclick: () => choose(tile.text, tile),
      },
      face(tile),
    );
  const pad = make("div", { class: "pad", role: "group", "aria-label": "Tiles" });
  const rows = edition.inks.map(({ letter, ink }) =>
    make(
      "div",
      { class: "pad-row", "data-ink": ink, style: `--numbers: ${edition.numbers}` },
      ...range(edition.numbers).map((number) => key(tileOf(letter, ink, number))),
    ),
  );
  const show = (shown) => {
    pad.dataset.ink = shown;
    for (const row of rows) row.classList.toggle("on", row.dataset.ink === shown);
    for (const tab of tabs) tab.setAttribute("aria-pressed", String(tab.dataset.ink === shown));
  };
  const tabs = edition.inks.map(({ ink }) =>
    make("button", { type: "button", class: `pad-tab ink-${ink}`, "data-ink": ink, onclick: () => show(ink) }, ink),
  );
  const jokers =
    joker && edition.jokers > 0 ? [key({ text: "J", name: "joker", ink: null, number: null, label: "joker" })] : [];
  pad.append(make("div", { class: "pad-tabs" }, ...tabs), ...rows, make("div", { class: "pad-jokers" }, ...jokers));
  show(edition.inks.some((one) => one.ink === ink) ? ink : edition.inks[0].ink);
  return pad;
}

const face = (tile) =>
  tile.number === null
    ? draw("svg", { viewBox: "0 0 48 48", "aria-hidden": "true" }, draw("use", { href: "#icon-joker" }))
    : make("b", { "aria-hidden": "true" }, String(tile.number));

const range = (numbers) => Array.from({ length: numbers }, (_, index) => index + 1);

const tileOf = (letter, ink, number) => ({
  text: `${letter}${number}`,
  name: `${ink} ${number}`,
  ink,
  number,
  label: `${ink}-${number}`,
});

// The tile of a name in words, `red 7` or `joker`; none for one that is not of the edition.
export function tileNamed(edition, name) {
  if (name === "joker") return { text: "J", name, ink: null, number: null, label: "joker" };
  const found = edition.inks.find(({ ink }) => name.startsWith(`${ink} `));
  return found ? tileOf(found.letter, found.ink, Number(name.split(" ")[1])) : null;
}

// The tile of a word in the notation, for drawing.
export function tileFrom(edition, text) {
  if (text === "J") return { text, name: "joker", ink: null, number: null };
  const found = edition.inks.find(({ letter }) => text.startsWith(letter));
  return found
    ? tileOf(found.letter, found.ink, Number(text.slice(1)))
    : { text, name: text, ink: "black", number: text };
}
