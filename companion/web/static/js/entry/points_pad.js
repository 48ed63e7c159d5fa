// A number pad with large keys, which also accepts a keyboard.

import { button, openDialog } from "../dialog.js";
import { icon, make } from "../dom.js";
import { gettext } from "../language.js";

const MOST_DIGITS = 3;

/**
 * @param {string} title
 * @param {object} options
 * @param {string} options.unit the text after the number
 * @param {string} options.label of the button that sends it
 * @param {(number: number) => Promise<boolean>} options.send resolves to whether it was sent, which closes the dialog
 * @param {() => void} [options.after] called after success, if the dialog was still open
 */
export function askNumber(title, { unit, label, send, after = () => {} }) {
  let digits = "";
  const output = make("output", { class: "counted", "aria-live": "polite" });
  const done = button(label, finish, "main");
  const show = () => {
    output.textContent = `${digits || "–"} ${unit}`;
    done.disabled = digits === "";
  };
  /** @param {string} digit */
  const add = (digit) => {
    if (digits.length < MOST_DIGITS) digits = String(Number(`${digits}${digit}`));
    show();
  };
  const remove = () => {
    digits = digits.slice(0, -1);
    show();
  };
  async function finish() {
    if (digits === "" || !(await send(Number(digits)))) return;
    const wasOpen = dialog.isOpen(); // if a person has closed it meanwhile, no other dialog opens
    dialog.close();
    if (wasOpen) after();
  }
  /** @param {string} digit */
  const key = (digit) => make("button", { type: "button", class: "button digit", onclick: () => add(digit) }, digit);
  const pad = make(
    "div",
    { class: "digits", role: "group", "aria-label": gettext("Digits") },
    ...Array.from("123456789", key),
    make("span"),
    key("0"),
    make(
      "button",
      { type: "button", class: "button digit", "aria-label": gettext("Delete a digit"), onclick: remove },
      icon("back"),
    ),
  );
  show();
  const dialog = openDialog(title, [output, pad], { foot: [done] });
  pad.closest("dialog")?.addEventListener("keydown", ({ key: pressed, target }) => {
    if (pad.closest("[inert]")) return;
    if (/^\d$/.test(pressed)) add(pressed);
    else if (pressed === "Backspace") remove();
    else if (pressed === "Enter" && !(target instanceof HTMLButtonElement)) done.click();
  });
  return dialog;
}
