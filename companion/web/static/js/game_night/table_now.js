// Takes the present table as the new beginning: after a spill or a bump, or for a game that began without the app.
import { make } from "../dom.js";
import { askHowItStands, beganWithoutUs } from "./begun.js";
import { correctTile } from "./correct.js";
import { openDialog } from "./dialog.js";
import { enterTable } from "./enter_table.js";
import { act, hasCamera } from "./store.js";
import { offerHand } from "./turn.js";

export function tableNow() {
  if (!hasCamera()) return enterTable("table");
  const reason = make("input", {
    type: "text",
    class: "field",
    maxlength: 300,
    placeholder: "Why (if you like)",
    "aria-label": "Reason",
  });
  const send = async () => {
    const begun = beganWithoutUs();
    if (!(await act("table", { reason: reason.value }, unclear))) return;
    dialog.close();
    if (begun) askHowItStands();
  };
  // What lies alone and may be no tile is asked about first; then the table is taken.
  const unclear = (error) => {
    if (error.code !== "doubtful-tiles") return offerHand("table")(error);
    correctTile(error.details.tiles[0], send);
    return true;
  };
  const dialog = openDialog(
    "This is the table now",
    [make("p", {}, "The turn begins anew from the table as the camera sees it."), reason],
    {
      foot: [
        make(
          "button",
          {
            type: "button",
            class: "button",
            onclick: () => {
              dialog.close();
              enterTable("table");
            },
          },
          "Enter by hand",
        ),
        make("button", { type: "button", class: "button main", onclick: send }, "Take the table as it lies"),
      ],
    },
  );
}
