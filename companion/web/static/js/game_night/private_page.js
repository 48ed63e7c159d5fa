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
                "It tells you when it is your turn, shows your points and counts your rack. Nobody else sees your " +
                  "rack.",
              ),
            ),
            make("details", {}, make("summary", {}, gettext("Address")), make("p", { class: "address" }, address)),
          ),
        ),
        shown,
      ],
      {
        foot: [
          button(gettext("End it on all phones"), end),
          button(gettext("I am {name}: open it here", { name: nameOf(seat) }), () => openHere(address ?? ""), "main"),
        ],
      },
    );
  } catch (error) {
    showRefusal(error);
  }
}

/**
 * Opens the page in this browser, which may know the app by another host name.
 * @param {string} address
 */
const openHere = (address) => location.assign(new URL(address, location.href).pathname);

/** @param {number} phones */
const phonesWords = (phones) =>
  phones === 0
    ? gettext("No phone shows this page yet.")
    : ngettext("{count} phone shows this page.", "{count} phones show this page.", phones);
