// Corrects the label of a tile: one of the two likely labels, or any tile on the pad.

import { openDialog } from "../dialog.js";
import { make } from "../dom.js";
import { tileLabelled } from "../entry/notation.js";
import { tilePad } from "../entry/pad.js";
import { gettext } from "../language.js";
import { choiceButton, sureness, tileElement } from "../tiles.js";
import { gameNight, maySteer, state } from "./store.js";
import { labelTile } from "./training_examples.js";

/**
 * Asks what a tile is.
 * @param {number} index in the reading
 * @param {() => void} [then] called once a person has answered
 */
export function correctTile(index, then = () => {}) {
  const { reading } = state();
  if (!maySteer() || !reading) return;
  const tile = reading.tiles[index];
  const { edition } = gameNight();
  /** @param {string} label */
  const correct = async (label) => {
    dialog.close();
    if (await labelTile("correct", { reading: reading.number, tile: index, label })) then();
  };
  const labels = tile.doubtful ? [tile.label, tile.runner_up_label] : [];
  const likely = labels.map((label) => tileLabelled(edition, label)).filter((one) => one !== null);
  const crop = make("img", {
    class: "crop",
    src: `/crop/${reading.number}/${index}.jpg`,
    alt: gettext("The tile on the picture"),
  });
  crop.addEventListener("error", () => crop.remove());

  const readAs = make(
    "p",
    { class: "read-as" },
    tile.there ? tileElement(tile) : gettext("no tile"),
    make("span", {}, sureness(tile)),
  );
  const dialog = openDialog(
    gettext("What is this tile?"),
    [
      make("div", { class: "correct" }, crop, make("div", {}, make("p", {}, gettext("What the app read")), readAs)),
      make(
        "div",
        { class: "question" },
        ...likely.map((one) => choiceButton(one, one.name, () => correct(one.label))),
        make(
          "button",
          { type: "button", class: "choice", onclick: () => correct("no-tile") },
          gettext("It is not a tile"),
        ),
      ),
      tilePad(edition, (chosen) => correct(chosen.label), { ink: tile.ink }),
    ],
    { wide: true },
  );
}
