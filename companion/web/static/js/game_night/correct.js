// Corrects what a tile was read as: the two likely names first, or any tile on the pad.
import { make } from "../dom.js";
import { tileNamed, tilePad } from "../entry/pad.js";
import { tileElement } from "../tiles.js";
import { openDialog } from "./dialog.js";
import { evening, maySteer, state } from "./store.js";
import { teach } from "./teach.js";

// then() is called once a person has said what it is.
export function correctTile(index, then = () => {}) {
  if (!maySteer()) return;
  const { reading } = state();
  const tile = reading.tiles[index];
  const edition = evening().edition;
  const correct = async (label) => {
    dialog.close();
    if (await teach("correct", { reading: reading.number, tile: index, label })) then();
  };
  const likely = tile.doubtful
    ? [tile.name, tile.runner_up].map((name) => tileNamed(edition, name)).filter(Boolean)
    : [];
  const crop = make("img", {
    class: "crop",
    src: `/crop/${reading.number}/${index}.jpg`,
    alt: "The tile on the picture",
  });
  crop.addEventListener("error", () => crop.remove());
  // What lay here when the turn began and can't be made out any more was not read at all.
  const unseen = tile.doubtful && tile.confidence === 0;
  const sure = unseen
    ? ""
    : `, ${Math.floor(tile.confidence * 100)} % sure${tile.doubtful ? `; it may be ${tile.runner_up}` : ""}`;
  const dialog = openDialog(
    "What is this tile?",
    [
      make(
        "div",
        { class: "correct" },
        crop,
        make(
          "div",
          {},
          make("p", {}, unseen ? "It lay here when the turn began, and can’t be made out now:" : "It was read as"),
          make(
            "p",
            { class: "read-as" },
            tile.there ? tileElement(tile) : "no tile",
            make("span", {}, `${tile.name}${sure}`),
          ),
        ),
      ),
      make(
        "div",
        { class: "question" },
        ...likely.map((one) =>
          make(
            "button",
            { type: "button", class: "choice", onclick: () => correct(one.label) },
            tileElement(one),
            make("span", {}, one.name),
          ),
        ),
        make("button", { type: "button", class: "choice", onclick: () => correct("no-tile") }, "It is no tile"),
      ),
      tilePad(edition, (_, chosen) => correct(chosen.label), { ink: tile.ink }),
    ],
    { wide: true },
  );
}
