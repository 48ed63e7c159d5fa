// A toast: one line at the bottom of the page, which disappears by itself, or a question that waits for its answer.
// While a modal dialog is open, the toast is inside it, since nothing outside can be pressed.
import { asRefusal } from "./api.js";
import { byId, fill, icon, make } from "./dom.js";
import { gettext } from "./language.js";

/** @typedef {{ text: string, act: () => void }} Offer a button */

const SHOWN_MS = 4500;
let timer = 0;
/** @type {{ text: string, offer: Offer } | null} the question that nobody has answered yet */
let question = null;

/**
 * Shows a line for some seconds. A question stays until somebody answers it or sends it away.
 * @param {string} text
 * @param {Offer | null} offer the button that answers a question
 */
export function toast(text, offer = null) {
  if (offer) question = { text, offer };
  show(text, offer);
}

/**
 * @param {string} text
 * @param {Offer | null} offer
 */
function show(text, offer) {
  const line = byId("toast");
  stand(line);
  fill(line, make("span", {}, text), ...(offer ? answers(offer) : []));
  line.classList.add("up");
  clearTimeout(timer);
  if (!offer) timer = setTimeout(goOn, SHOWN_MS);
}

// After another line an open question comes back.
function goOn() {
  if (question) show(question.text, question.offer);
  else hide();
}

/** @param {Offer} offer */
function answers({ text, act }) {
  /** @param {() => void} then */
  const answered = (then) => () => {
    question = null;
    hide();
    then();
  };
  return [
    make("button", { type: "button", onclick: answered(act) }, text),
    make(
      "button",
      { type: "button", class: "later", "aria-label": gettext("Not now"), onclick: answered(() => {}) },
      icon("cross"),
    ),
  ];
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
