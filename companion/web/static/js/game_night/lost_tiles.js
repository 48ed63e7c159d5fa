// Lost tiles, and lost tiles that are found again.

import { button, openDialog } from "../dialog.js";
import { make } from "../dom.js";
import { tilePad } from "../entry/pad.js";
import { gettext } from "../language.js";
import { act, gameNight } from "./store.js";

export function askLostTile() {
  /** @param {string | null} tile */
  const lose = async (tile) => (await act("lost", { tile })) && dialog.close();
  const dialog = openDialog(
    gettext("Which tile is lost?"),
    [
      make("p", { class: "hint" }, gettext("From now on the app counts without it.")),
      tilePad(gameNight().edition, ({ text }) => lose(text)),
      button(gettext("Nobody knows which"), () => lose(null)),
    ],
    { wide: true },
  );
}

export function askReturnedTile() {
  const { lost, edition } = gameNight();
  /** @param {Tile} tile */
  const takeBack = async ({ text }) => (await act("returned", { tile: text })) && dialog.close();
  const known = lost.filter((tile) => tile !== null);
  const cards = known.map((tile) =>
    make("button", { type: "button", class: "seat-card", onclick: () => takeBack(tile) }, tile.name),
  );
  const dialog = openDialog(
    gettext("Which tile is back?"),
    [make("div", { class: "choose-seats" }, ...cards), tilePad(edition, takeBack)],
    { wide: true },
  );
}
