// A game that began without the app: who has opened, and how many tiles each rack and the pool hold. Asked once, on one
// screen, after the table was taken; whoever skips it can say it later from the menu.
import { make } from "../dom.js";
import { count } from "../words.js";
import { button, openDialog } from "./dialog.js";
import { act, evening, may } from "./store.js";

// An opening takes three tiles at least: where so many lie there, most likely everybody has opened.
const OPENING_TILES = 3;

// Whether nobody has played yet in this round, by what the app knows: then what lies there was laid without it.
export const beganWithoutUs = () => evening().players.every((player) => player.turns === 0);

export function askHowItStands() {
  const { edition, table, lost, pool: ledger } = evening();
  const seats = evening()
    .players.map((player, seat) => ({ ...player, seat }))
    .filter((player) => !player.away && !player.waits);
  if (!may("begun") || seats.length === 0) return;
  const lie = table.flat().length;
  const box = edition.tiles - lost.length;
  const all = beganWithoutUs() && lie >= OPENING_TILES * seats.length;
  // What lies there and was counted nowhere came from the racks, as far as anybody knows.
  const unseen = Math.max(0, lie + seats.reduce((sum, { rack }) => sum + rack, 0) + ledger - box);
  const rows = seats.map((player) =>
    row(player, edition, all || player.opened, Math.max(1, Math.round(player.rack - unseen / seats.length)), fill),
  );
  const pool = number("Tiles in the pool", ledger);
  const left = make("p", { class: "hint" });
  let counted = false; // whether somebody counted the pool; until then it is what is left of the box
  pool.field.addEventListener("input", () => {
    counted = true;
    fill();
  });
  fill();

  function fill() {
    const racks = rows.reduce((sum, { rack }) => sum + rack.value(), 0);
    if (!counted) pool.field.value = Math.max(0, box - lie - racks);
    const more = lie + racks + pool.value() - box;
    left.textContent =
      more === 0
        ? `Of ${count(box, "tile")} ${lie} lie on the table. Count the racks: the pool holds the rest.`
        : more > 0
          ? `That makes ${count(more, "tile")} more than the ${box} of the box.`
          : `${count(-more, "tile")} of the ${box} of the box would be nowhere.`;
    left.classList.toggle("strong", more !== 0);
  }

  const send = async () => {
    const stands = {
      opened: rows.filter(({ box: on }) => on?.checked).map(({ seat }) => seat),
      racks: rows.map(({ seat, rack }) => ({ player: seat, tiles: rack.value() })),
      pool: pool.value(),
    };
    if (edition.opening_points === 0) stands.opened = null;
    if (await act("begun", stands)) dialog.close();
  };
  const dialog = openDialog(
    "How does the game stand?",
    [
      make(
        "p",
        {},
        edition.opening_points > 0
          ? "Whoever has opened may add to the melds that lie there; the others must open first."
          : "So that the app knows how many tiles everybody has.",
      ),
      ...rows.map(({ element }) => element),
      pool.element,
      left,
    ],
    { wide: true, foot: [button("Skip", () => dialog.close()), button("So it stands", send, "main")] },
  );
}

function row({ seat, name }, edition, opened, tiles, changed) {
  const rack = number(`Tiles on ${name}’s rack`, tiles);
  rack.field.addEventListener("input", changed);
  const box =
    edition.opening_points > 0
      ? make("input", { type: "checkbox", role: "switch", checked: opened, "aria-label": `${name} has opened` })
      : null;
  const element = make(
    "div",
    { class: "stands-line" },
    make("b", {}, name),
    box && make("label", { class: "check-line" }, box, make("span", {}, "Has opened")),
    make("label", { class: "count-field" }, make("span", {}, "Tiles"), rack.field),
  );
  return { seat, rack, box, element };
}

function number(says, start) {
  const field = make("input", {
    type: "number",
    min: 0,
    max: 199,
    inputmode: "numeric",
    class: "field",
    value: start,
    "aria-label": says,
  });
  const element = make("label", { class: "count-field stands-line" }, make("b", {}, says), field);
  return { field, element, value: () => Math.max(0, Math.round(Number(field.value)) || 0) };
}
