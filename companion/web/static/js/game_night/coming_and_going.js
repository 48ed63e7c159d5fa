// Players who join late or leave, and the end of the game night.

import { switchBox, switchLine } from "../controls.js";
import { button, confirmDialog, openDialog } from "../dialog.js";
import { make } from "../dom.js";
import { gettext } from "../language.js";
import { choosePlayer } from "./choose_player.js";
import { act, nameOf, send } from "./store.js";

export function askJoining() {
  const name = make("input", {
    type: "text",
    class: "field",
    maxlength: 120,
    placeholder: gettext("Name"),
    "aria-label": gettext("Name"),
    autocomplete: "off",
  });
  const atOnce = switchBox({ checked: true });
  const send = async () => (await act("joined", { name: name.value, deals: atOnce.checked })) && dialog.close();
  const dialog = openDialog(gettext("A player joins"), [name, switchLine(atOnce, gettext("Gets tiles now"))], {
    foot: [button(gettext("Sit down"), send, "main")],
  });
  name.focus();
}

export function askLeaving() {
  /** @param {number} seat */
  const confirm = (seat) =>
    confirmDialog(
      gettext("Does {name} leave?", { name: nameOf(seat) }),
      gettext("The player's tiles go into the pool. The points stay on the sheet."),
      gettext("Leave"),
      () => act("left", { player: seat }),
    );
  choosePlayer(gettext("Who leaves?"), confirm, { which: (player) => !player.away });
}

export const confirmEnd = () =>
  confirmDialog(
    gettext("End the evening?"),
    gettext("A round without a score does not count."),
    gettext("End it"),
    () => act("end"),
  );

export const confirmLeave = () =>
  confirmDialog(
    gettext("Leave this evening?"),
    gettext("All devices leave it. It is saved as it is, and you can open it again under “Past evenings”."),
    gettext("Leave the evening"),
    () => send("evenings/leave"), // without a game night the page leads to the setup by itself
  );
