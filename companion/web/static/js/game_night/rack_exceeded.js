// More tiles were laid than the player had: people correct the tiles or the count of the rack.

import { button } from "../dialog.js";
import { make } from "../dom.js";
import { textOf } from "../entry/notation.js";
import { gettext } from "../language.js";
import { enterTable } from "./enter_table.js";
import { askCount } from "./racks.js";
import { askStanding } from "./standing.js";
import { act, gameNight, hasCamera, may, nameOf, state } from "./store.js";
import { closeWithTurn } from "./turn_dialogs.js";

// The question and its possible answers.
export function rackExceededLines() {
  const looks = hasCamera() ? ` ${gettext("Did the app misread a tile? Tap it in the picture.")}` : "";
  return make(
    "div",
    { class: "question exceeded" },
    make("p", {}, `${gameNight().exceeded?.text ?? ""}${looks}`),
    make(
      "div",
      { class: "choices" },
      button(gettext("Correct the tiles"), () => enterTable("done")),
      button(gettext("Count the rack"), countRackLeft),
      may("table") && button(gettext("Start from the table as it is now"), startFromHere),
      may("cancel") && button(gettext("Play on"), () => act("cancel")),
    ),
  );
}

// The table of the waiting turn if it was entered by hand; else nothing, since the camera sees it.
const tableNow = () => {
  const { verdict } = state();
  return hasCamera() || !verdict ? {} : { table: textOf(verdict.melds) };
};

function countRackLeft() {
  closeWithTurn(
    askCount(
      gettext("How many tiles does {name} have left?", { name: nameOf(gameNight().player) }),
      0,
      gettext("Save"),
      (left) => act("done", { ...tableNow(), left }),
    ),
  );
}

async function startFromHere() {
  if (await act("table", tableNow())) askStanding();
}
