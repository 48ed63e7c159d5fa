// Takes the current table as the start of the turn, after a spill or a bump, or in a round begun without the app.

import { button, openDialog } from "../dialog.js";
import { make } from "../dom.js";
import { gettext } from "../language.js";
import { correctTile } from "./correct_tile.js";
import { enterTable } from "./enter_table.js";
import { askStanding, nobodyHasPlayed } from "./standing.js";
import { act, hasCamera } from "./store.js";
import { offerEntry } from "./turn.js";

export function takeTableNow() {
  if (!hasCamera()) {
    enterTable("table");
    return;
  }
  const reason = make("input", {
    type: "text",
    class: "field",
    maxlength: 300,
    placeholder: gettext("Why (if you like)"),
    "aria-label": gettext("Reason"),
  });
  const send = async () => {
    const begun = nobodyHasPlayed();
    if (!(await act("table", { reason: reason.value }, askDoubtful))) return;
    dialog.close();
    if (begun) askStanding();
  };
  /**
   * Asks about an isolated tile that may be a false detection; then takes the table.
   * @param {import("./store.js").Refusal} refusal
   */
  const askDoubtful = (refusal) => {
    if (refusal.code !== "doubtful-tiles") return offerEntry("table")(refusal);
    const [tile] = /** @type {number[]} */ (refusal.details.tiles);
    correctTile(tile, send);
    return true;
  };
  const byHand = () => {
    dialog.close();
    enterTable("table");
  };
  const dialog = openDialog(
    gettext("This is the table now"),
    [make("p", {}, gettext("The turn starts again from the table that the camera sees.")), reason],
    { foot: [button(gettext("Enter by hand"), byHand), button(gettext("Use the table as it is now"), send, "main")] },
  );
}
