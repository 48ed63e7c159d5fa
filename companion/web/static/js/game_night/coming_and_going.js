// People who sit down late or go home, and the end of the evening.
import { switchBox, switchLine } from "../controls.js";
import { button, confirmDialog, openDialog } from "../dialog.js";
import { make } from "../dom.js";
import { choosePlayer } from "./choose_player.js";
import { act, nameOf, send } from "./store.js";

export function askJoining() {
  const name = make("input", {
    type: "text",
    class: "field",
    maxlength: 120,
    placeholder: "Name",
    "aria-label": "Name",
    autocomplete: "off",
  });
  const atOnce = switchBox({ checked: true });
  const send = async () => (await act("joined", { name: name.value, deals: atOnce.checked })) && dialog.close();
  const dialog = openDialog("Somebody joins", [name, switchLine(atOnce, "Takes tiles at once")], {
    foot: [button("Sit down", send, "main")],
  });
  name.focus();
}

export function askLeaving() {
  /** @param {number} seat */
  const confirm = (seat) =>
    confirmDialog(
      `${nameOf(seat)} leaves?`,
      "The tiles go into the pool, and what was noted stays on the sheet.",
      "Leave",
      () => act("left", { player: seat }),
    );
  choosePlayer("Who leaves?", confirm, { which: (player) => !player.away });
}

export const confirmEnd = () =>
  confirmDialog("End the evening?", "A round that is not scored yet counts for nothing.", "End it", () => act("end"));

export const confirmLeave = () =>
  confirmDialog(
    "Leave this evening?",
    "Every tablet leaves it. It is kept as it stands, and can be opened again under “Earlier evenings”.",
    "Leave the evening",
    () => send("evenings/leave"), // the page goes by itself where no game night is played any more
  );
