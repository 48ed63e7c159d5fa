// The link to a player's private page, to open on the player's phone.
import { post } from "../api.js";
import { button, openDialog } from "../dialog.js";
import { fill, make } from "../dom.js";
import { gettext, ngettext } from "../language.js";
import { nameOf, showRefusal } from "./store.js";

/** @param {number} seat */
export async function openPrivatePage(seat) {
  try {
    const { address, qr, phones } = await post("private-page/show", { player: seat });
    const shown = make("p", { class: "hint" }, phonesWords(phones));
    const end = async () => {
      const { phones: remaining } = await post("private-page/end", { player: seat });
      fill(shown, phonesWords(remaining));
      dialog.close();
    };
    const dialog = openDialog(
      gettext("{name}'s private page", { name: nameOf(seat) }),
      [
        make(
          "div",
          { class: "join" },
          make("img", { class: "qr", src: qr, alt: gettext("QR code with the address") }),
          make(
            "div",
            {},
            make("p", {}, gettext("Scan this with your own phone, within 15 minutes.")),
            make(
              "p",
              {},
              gettext(
                "It shows when it is your turn, your clock, and whether your rack is enough to open. Nobody else " +
                  "sees your rack.",
              ),
            ),
            make("details", {}, make("summary", {}, gettext("Address")), make("p", { class: "address" }, address)),
          ),
        ),
        shown,
      ],
      { foot: [button(gettext("End it on all phones"), end)] },
    );
  } catch (error) {
    showRefusal(error);
  }
}

/** @param {number} phones */
const phonesWords = (phones) =>
  phones === 0
    ? gettext("No phone shows this page yet.")
    : ngettext("{count} phone shows this page.", "{count} phones show this page.", phones);
