// One line at the foot of the page, which goes by itself; it may offer a way on. While a dialog is open it stands in
// that: whatever is outside of a modal dialog lies behind it, and can't be pressed.
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
 * Shows why the app refused; throws what is no refusal.
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
 * Lets the line stay on the page when the dialog in which it stands is taken away.
 * @param {HTMLDialogElement} dialog that has just been closed
 */
export function leaveDialog(dialog) {
  const line = byId("toast");
  if (dialog.contains(line)) stand(line);
}

function hide() {
  byId("toast").classList.remove("up");
}
