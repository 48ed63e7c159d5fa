// Corrects what a tile was read as: the two likely names first, or any tile on the pad.
import { make } from "../dom.js";
import { tilePad } from "../entry/pad.js";
import { tileElement } from "../tiles.js";
import { openDialog } from "./dialog.js";
import { evening, maySteer, state } from "./store.js";
import { teach } from "./teach.js";

export function correctTile(index) {
  if (!maySteer()) return;
  const { reading } = state();
  const tile = reading.tiles[index];
  const edition = evening().edition;
  const correct = async (label) => {
    dialog.close();
    await teach("correct", { reading: reading.number, tile: index, label });
  };
  const crop = make("img", { class: "crop", src: `/crop/${reading.number}/${index}.jpg`, alt: "The tile on the picture" });
  crop.addEventListener("error", () => crop.remove());
  const sure = `${Math.floor(tile.confidence * 100)} % sure`;
  const dialog = openDialog("What is this tile?", [
    make(
      "div",
      { class: "correct" },
      crop,
      make("div", {}, make("p", {}, "It was read as"), make("p", { class: "read-as" }, tile.there ? tileElement(tile) : "no tile", make("span", {}, `${tile.name}, ${sure}${tile.doubtful ? `; it may be ${tile.runner_up}` : ""}`))),
    ),
    tilePad(edition, (text, chosen) => correct(chosen.label), { ink: tile.ink }),
    make("button", { type: "button", class: "button", onclick: () => correct("no-tile") }, "It is no tile"),
  ], { wide: true });
}
