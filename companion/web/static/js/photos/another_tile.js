// Lets people choose any tile of the edition for a doubtful tile.

import { get } from "../api.js";
import { openDialog } from "../dialog.js";
import { tilePad } from "../entry/pad.js";
import { gettext } from "../language.js";
import { toastRefusal } from "../toast.js";

/**
 * @param {string} rules the edition in play
 * @param {(label: string) => void} choose
 */
export async function askAnotherTile(rules, choose) {
  try {
    const { editions } = await get("editions");
    const edition = editions.find((one) => one.edition.key === rules)?.edition ?? editions[0].edition;
    const dialog = openDialog(
      gettext("Which tile is it?"),
      [
        tilePad(edition, ({ label }) => {
          dialog.close();
          choose(label);
        }),
      ],
      { wide: true },
    );
  } catch (error) {
    toastRefusal(error);
  }
}
