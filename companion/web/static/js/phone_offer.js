// While the source is a phone: tablets offer themselves as the camera, and the host accepts one of them on any page.

import { asRefusal, get, post } from "./api.js";
import { button } from "./dialog.js";
import { fill, make } from "./dom.js";
import { gettext } from "./language.js";
import { toastRefusal } from "./toast.js";

/** @typedef {{ text: string, way: () => HTMLElement }} PhoneOffer a sentence, and makes the button or link beside it */

const PHONE = "phone";
const LOOK_EVERY_MS = 2000;

/**
 * Calls `show` every two seconds with the current offer; null if there is none.
 * @param {() => State["source"] | null | Promise<State["source"] | null>} getSource
 * @param {(offer: PhoneOffer | null) => void} show
 */
export async function watchPhoneOffer(getSource, show) {
  const isHost = await get("access").then(
    ({ you }) => you.host,
    () => false,
  );
  const look = async () => {
    if (document.visibilityState === "visible") show(await offerOf(await getSource(), isHost));
    setTimeout(look, LOOK_EVERY_MS);
  };
  look();
}

/** Shows the offer in the places for it. */
export function showPhoneOffer() {
  const places = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".phone-offer"));
  const getSource = () =>
    get("state").then(
      ({ source }) => source,
      () => null,
    );
  let shown = "";
  watchPhoneOffer(getSource, (offer) => {
    const text = offer?.text ?? "";
    if (text === shown) return;
    shown = text;
    for (const place of places) {
      place.hidden = offer === null;
      fill(place, offer && make("span", {}, text), offer?.way());
    }
  });
}

/**
 * @param {State["source"] | null} source
 * @param {boolean} isHost
 * @returns {Promise<PhoneOffer | null>}
 */
async function offerOf(source, isHost) {
  if (source?.kind !== PHONE) return null;
  if (isHost) return askingPhone();
  if (!source.trouble || !navigator.mediaDevices) return null;
  return {
    text: gettext("This table needs a phone as its camera."),
    way: () => make("a", { class: "button main", href: "/camera" }, gettext("Use this phone as the camera")),
  };
}

/** @returns {Promise<PhoneOffer | null>} the question whether a phone may be the camera */
async function askingPhone() {
  try {
    const [phone] = (await get("phones")).asking;
    if (!phone) return null;
    const allow = () => post("phone/choose", { device: phone.id }).catch(toastRefusal);
    const nameless = gettext("This computer");
    return {
      text: gettext("{name} wants to be the camera.", { name: phone.name || nameless }),
      way: () => button(gettext("Allow"), allow, "main"),
    };
  } catch (error) {
    asRefusal(error);
    return null;
  }
}
