// A toast: one line at the bottom of the page, which disappears by itself and may have a button. While a modal dialog
// is open, the toast is inside it, since nothing outside can be pressed.
import { asRefusal } from "./api.js";
import { byId, fill, make } from "./dom.js";

const SHOWN_MS = 4500;
const WITH_BUTTON_MS = 9000;
let timer = 0;

/**
 * @param {string} text
 * @param {{ text: string, act: () => void } | null} [offer] a button beside the line
 */
export function toast(text, offer = null) {
  const line = byId("toast");
  stand(line);
  const accept = () => {
    hide();
    offer?.act();
  };
  fill(line, make("span", {}, text), offer && make("button", { type: "button", onclick: accept }, offer.text));
  line.classList.add("up");
  clearTimeout(timer);
  timer = setTimeout(hide, offer ? WITH_BUTTON_MS : SHOWN_MS);
}

/**
 * Shows a refusal of the app; throws any other error.
 * @param {unknown} error
 */
export function toastRefusal(error) {
  toast(asRefusal(error).message);
}

/** @param {HTMLElement} line */
function stand(line) {
  const place = [...document.querySelectorAll("dialog[open]")].at(-1) ?? document.body;
  if (line.parentElement !== place) place.append(line);
}

/**
 * Moves the toast from a closed dialog to the page.
 * @param {HTMLDialogElement} dialog that has just been closed
 */
export function leaveDialog(dialog) {
  const line = byId("toast");
  if (dialog.contains(line)) stand(line);
}

function hide() {
  byId("toast").classList.remove("up");
}
