// Corrects what a tile was read as: the two likely names first, or any tile on the pad.
import { openDialog } from "../dialog.js";
import { make } from "../dom.js";
import { tileNamed } from "../entry/notation.js";
import { tilePad } from "../entry/pad.js";
import { choiceButton, tileElement } from "../tiles.js";
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
  const names = tile.doubtful ? [tile.name, tile.runner_up] : [];
  const likely = names.map((name) => tileNamed(edition, name)).filter((one) => one !== null);
  const crop = make("img", {
    class: "crop",
    src: `/crop/${reading.number}/${index}.jpg`,
    alt: "The tile on the picture",
  });
  crop.addEventListener("error", () => crop.remove());
  // What lay here when the turn began and can't be made out any more was not read at all.
  const unread = tile.doubtful && tile.confidence === 0;
  const sure = `, ${Math.floor(tile.confidence * 100)} % sure${tile.doubtful ? `; it may be ${tile.runner_up}` : ""}`;
  const readAs = make(
    "p",
    { class: "read-as" },
    tile.there ? tileElement(tile) : "no tile",
    make("span", {}, `${tile.name}${unread ? "" : sure}`),
  );
  const title = unread ? "It lay here when the turn began, and can’t be made out now:" : "It was read as";
  const dialog = openDialog(
    "What is this tile?",
    [
      make("div", { class: "correct" }, crop, make("div", {}, make("p", {}, title), readAs)),
      make(
        "div",
        { class: "question" },
        ...likely.map((one) => choiceButton(one, one.name, () => correct(one.label))),
        make("button", { type: "button", class: "choice", onclick: () => correct("no-tile") }, "It is no tile"),
      ),
      tilePad(edition, (chosen) => correct(chosen.label), { ink: tile.ink }),
    ],
    { wide: true },
  );
}
