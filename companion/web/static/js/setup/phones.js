// The phone as the camera: the address to open on it, the phones that ask, and the button that allows one.
import { get, post } from "../api.js";
import { button } from "../dialog.js";
import { fill, make } from "../dom.js";
import { gettext } from "../language.js";
import { redraw } from "../redraw.js";
import { toastRefusal } from "../toast.js";

export const PHONE = "phone";

const LOOK_EVERY_MS = 1500;
let timer = 0;

/**
 * Shows the steps for a phone while it is the source; resolves once they are shown.
 * @param {HTMLElement} place
 * @param {boolean} watched
 * @param {() => void} onChosen called once another phone is the camera
 */
export async function drawPhones(place, watched, onChosen) {
  leavePhones();
  place.hidden = !watched;
  if (!watched) return;
  const look = async () => {
    try {
      draw(place, await get("phones"), onChosen);
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

/**
 * @param {HTMLElement} place
 * @param {Fetched<"phones">} phones
 * @param {() => void} onChosen
 */
function draw(place, phones, onChosen) {
  redraw(place, [phones], () => fill(place, ...lines(phones, onChosen)));
}

/**
 * @param {Fetched<"phones">} phones
 * @param {() => void} onChosen
 */
function lines({ chosen, asking, address, secure }, onChosen) {
  /** @param {string} device */
  const choose = async (device) => {
    try {
      await post("phone/choose", { device });
      onChosen();
    } catch (error) {
      toastRefusal(error);
    }
  };
  const nameless = gettext("this computer");
  const namelessFirst = gettext("This computer");
  return [
    make("h3", {}, gettext("The phone")),
    chosen && make("p", {}, gettext("The camera is {name}.", { name: chosen.name || nameless })),
    !secure && address
      ? make("p", {}, gettext("Phone cameras need a secure connection (https). The guide says how."))
      : null,
    address
      ? make(
          "p",
          {},
          gettext("Join the table with the phone, then open"),
          " ",
          make("b", { class: "address" }, address),
        )
      : make("p", {}, gettext("Phones can’t join yet. The guide says how to let them in.")),
    ...asking.map(({ id, name }) =>
      make(
        "div",
        { class: "asking" },
        make("span", {}, gettext("{name} wants to be the camera.", { name: name || namelessFirst })),
        button(gettext("Allow"), () => choose(id), "main"),
      ),
    ),
  ];
}
