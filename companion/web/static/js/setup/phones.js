// A phone as the camera: which phone it is, and the QR code to scan with another phone.
import { get } from "../api.js";
import { fill, make } from "../dom.js";
import { composed, gettext } from "../language.js";
import { redraw } from "../redraw.js";

export const PHONE = "phone";
// Browsers give no camera without a secure connection.
const COMMAND = "tilekeeper run --source phone --lan --https";

const LOOK_EVERY_MS = 1500;
let timer = 0;

/**
 * Shows the steps for a phone while it is the source; resolves once they are shown.
 * @param {HTMLElement} place
 * @param {boolean} watched
 */
export async function drawPhones(place, watched) {
  leavePhones();
  place.hidden = !watched;
  if (!watched) return;
  const look = async () => {
    try {
      const phones = await get("phones");
      redraw(place, [phones], () => fill(place, ...lines(phones)));
    } catch {
      // Only the host gets an answer, and the app may be unreachable for a moment.
    }
    timer = window.setTimeout(look, LOOK_EVERY_MS);
  };
  await look();
}

export function leavePhones() {
  clearTimeout(timer);
}

/** @param {Fetched<"phones">} phones */
function lines({ chosen, address, secure }) {
  const nameless = gettext("this computer");
  return [
    make("h3", {}, gettext("The phone")),
    chosen && make("p", {}, gettext("The camera is {name}.", { name: chosen.name || nameless })),
    address && secure
      ? make(
          "p",
          {},
          gettext("Scan this with the phone and join, then press “Use this phone as the camera”. Or open"),
          " ",
          make("b", { class: "address" }, address),
        )
      : !chosen &&
        make(
          "p",
          {},
          ...composed(gettext("Phones can't be cameras yet. End the app and start it with {command}."), {
            command: make("code", {}, COMMAND),
          }),
        ),
    address &&
      secure &&
      make("img", { class: "qr", src: "/api/access/qr.svg", alt: gettext("QR code with the address") }),
  ];
}
