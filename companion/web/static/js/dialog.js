// Modal dialogs: closed by their button, by Escape, by the browser's Back, or once their purpose is fulfilled.

import { icon, make } from "./dom.js";
import { gettext } from "./language.js";
import { leaveDialog } from "./toast.js";

/**
 * @typedef {object} Dialog
 * @property {HTMLElement} body
 * @property {HTMLElement} foot
 * @property {() => void} close
 * @property {() => boolean} isOpen
 * @property {() => boolean} isHeld whether a request of the dialog is running
 */

/**
 * Opens a dialog. A `wide` dialog is for longer work, so a tap beside it does not close it; a `roomy` dialog only takes
 * more room if there is some.
 * @param {string} title
 * @param {Child[]} [children]
 * @param {object} [options]
 * @param {boolean} [options.wide]
 * @param {boolean} [options.roomy]
 * @param {() => void} [options.onclose]
 * @param {Child[]} [options.foot] the buttons below
 * @returns {Dialog}
 */
export function openDialog(title, children = [], { wide = false, roomy = false, onclose, foot = [] } = {}) {
  const close = () => {
    element.close();
  };
  // The body takes the focus, so that no button looks chosen.
  const body = make("div", { class: "dialog-body", tabindex: "-1", autofocus: true }, ...children);
  const footer = make("div", { class: "dialog-foot" }, ...foot);
  const element = make(
    "dialog",
    { class: wide ? "dialog wide" : roomy ? "dialog roomy" : "dialog", "aria-label": title },
    make(
      "header",
      { class: "dialog-head" },
      make("h2", {}, title),
      make("button", { type: "button", class: "close", "aria-label": gettext("Close"), onclick: close }, icon("cross")),
    ),
    body,
    footer,
  );
  element.addEventListener("close", () => {
    leaveDialog(element);
    element.remove();
    onclose?.();
  });
  // A tap beside the dialog closes it, as people expect of menus.
  if (!wide) element.addEventListener("click", (event) => event.target === element && close());
  document.body.append(element);
  element.showModal();
  giveBackAnEntry();
  return { body, foot: footer, close, isOpen: () => element.open, isHeld: () => footer.inert };
}

let addressOfEntry = "";

// On a phone, Back closes the top dialog. For this, dialogs add an entry to the browser's history; else Back would
// leave the page. The entry of a dialog that was closed in another way stays for the next dialog, since going back at
// once could stop a page that is loading.
function giveBackAnEntry() {
  if (!history.state?.ofDialog) history.pushState({ ofDialog: true }, "");
  addressOfEntry = location.href;
}

window.addEventListener("popstate", () => {
  const open = /** @type {HTMLDialogElement[]} */ ([...document.querySelectorAll("dialog[open]")]);
  open.at(-1)?.close();
  if (open.length > 1) giveBackAnEntry();
  // The entry was left over from a closed dialog, so this step back has not left the page yet.
  else if (open.length === 0 && addressOfEntry === location.href && !history.state?.ofDialog) history.back();
  if (!history.state?.ofDialog) addressOfEntry = "";
});

/**
 * @param {string} text
 * @param {() => unknown} act
 * @param {string} [classes]
 */
export function button(text, act, classes = "") {
  const element = make("button", { type: "button", class: `button ${classes}`, onclick: press }, text);
  function press() {
    const done = act();
    const foot = element.closest(".dialog-foot");
    if (foot && done instanceof Promise) holdWhile(foot, done);
  }
  return element;
}

/**
 * Makes a dialog inert while its request is running, since further taps would be lost with the dialog.
 * @param {Element} foot
 * @param {Promise<unknown>} done
 */
async function holdWhile(foot, done) {
  const focused = document.activeElement;
  const parts = /** @type {HTMLElement[]} */ ([foot, foot.previousElementSibling]);
  const hold = (/** @type {boolean} */ held) => {
    for (const part of parts) part.inert = held;
  };
  hold(true);
  try {
    await done;
  } finally {
    hold(false);
    if (focused instanceof HTMLElement && foot.contains(focused)) focused.focus();
  }
}

export const isDialogOpen = () => document.querySelector("dialog[open]") !== null;

/**
 * Asks for a reason: a tap on a usual reason sends it at once, and another reason can be typed.
 * @param {string} title
 * @param {string} about
 * @param {string} label of the button for a typed reason
 * @param {string[]} usual
 * @param {(reason: string) => Promise<boolean>} send resolves to whether the action was done; then the dialog closes
 * @returns {Dialog}
 */
export function askReason(title, about, label, usual, send) {
  const field = make("input", {
    type: "text",
    maxlength: 300,
    class: "field",
    placeholder: gettext("Another reason, in a few words"),
    "aria-label": gettext("Reason"),
    autocomplete: "off",
  });
  /** @param {string} reason */
  const done = async (reason) => (await send(reason)) && dialog.close();
  const sendTyped = () => done(field.value);
  field.addEventListener("keydown", (event) => event.key === "Enter" && sendTyped());
  const reasons = usual.map((reason) =>
    make("button", { type: "button", class: "choice", onclick: () => done(reason) }, reason),
  );
  const dialog = openDialog(
    title,
    [
      make("p", {}, about),
      make("div", { class: "question reasons", role: "group", "aria-label": title }, ...reasons),
      field,
    ],
    { foot: [button(label, sendTyped)] },
  );
  return dialog;
}

/**
 * Asks for confirmation.
 * @param {string} title
 * @param {string} text
 * @param {string} label of the button that confirms
 * @param {() => unknown} act returns, or resolves to, false to keep the dialog open
 * @returns {Dialog}
 */
export function confirmDialog(title, text, label, act) {
  const dialog = openDialog(title, [make("p", {}, text)], {
    foot: [
      button(gettext("Cancel"), () => dialog.close()),
      button(label, async () => (await act()) !== false && dialog.close(), "main"),
    ],
  });
  return dialog;
}
