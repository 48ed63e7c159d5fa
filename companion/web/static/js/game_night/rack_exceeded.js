// More tiles were laid than the player can have had: people say what is wrong, the tiles or the count of the rack.
import { button } from "../dialog.js";
import { make } from "../dom.js";
import { textOf } from "../entry/notation.js";
import { enterTable } from "./enter_table.js";
import { askCount } from "./racks.js";
import { askStanding } from "./standing.js";
import { act, gameNight, hasCamera, may, nameOf, state } from "./store.js";

// The question, with what can be done about it.
export function rackExceededLines() {
  const looks = hasCamera() ? " Was a tile misread? Tap it in the picture." : "";
  return make(
    "div",
    { class: "question exceeded" },
    make("p", {}, `${gameNight().exceeded?.text ?? ""}${looks}`),
    make(
      "div",
      { class: "choices" },
      button("Correct the tiles", () => enterTable("done")),
      button("Count the rack", countRackLeft),
      may("table") && button("Start from the table as it lies", startFromHere),
      may("cancel") && button("Play on", () => act("cancel")),
    ),
  );
}

// The table that waits: as it was entered, or as the camera sees it.
const tableNow = () => {
  const { verdict } = state();
  return hasCamera() || !verdict ? {} : { table: textOf(verdict.melds) };
};

function countRackLeft() {
  askCount(`How many tiles has ${nameOf(gameNight().player)} left?`, 0, "That many are left", (left) =>
    act("done", { ...tableNow(), left }),
  );
}

async function startFromHere() {
  if (await act("table", tableNow())) askStanding();
}
