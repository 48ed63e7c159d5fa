// Dialogs: one at a time over the page, closed by their button, by Escape, or once what they were for is done.
import { icon, make } from "../dom.js";

// children are put below the title; wide dialogs hold work that a tap beside them must not lose, roomy ones only take
// more room where there is some. Gives { element, body, foot, close }.
export function openDialog(title, children = [], { wide = false, roomy = false, onclose = () => {}, foot = [] } = {}) {
  const close = () => element.close();
  // It takes the focus itself, so that no button looks chosen before anybody chose.
  const body = make("div", { class: "dialog-body", tabindex: "-1", autofocus: true }, ...children);
  const footer = make("div", { class: "dialog-foot" }, ...foot);
  const element = make(
    "dialog",
    { class: wide ? "dialog wide" : roomy ? "dialog roomy" : "dialog", "aria-label": title },
    make(
      "header",
      { class: "dialog-head" },
      make("h2", {}, title),
      make("button", { type: "button", class: "close", "aria-label": "Close", onclick: close }, icon("cross")),
    ),
    body,
    footer,
  );
  element.addEventListener("close", () => {
    element.remove();
    onclose();
  });
  // A tap beside the dialog closes it, as people expect of menus; a large one is closed by its button alone.
  if (!wide) element.addEventListener("click", (event) => event.target === element && close());
  document.body.append(element);
  element.showModal();
  return { element, body, foot: footer, close };
}

export const button = (text, act, kind = "") =>
  make("button", { type: "button", class: `button ${kind}`, onclick: act }, text);

export const isOpen = () => document.querySelector("dialog[open]") !== null;

// Asks for a reason; tell(reason) gives whether it was taken.
export function askReason(title, about, says, tell) {
  const field = make("input", {
    type: "text",
    maxlength: 300,
    class: "field",
    placeholder: "In a few words",
    "aria-label": "Reason",
    autocomplete: "off",
  });
  const done = async () => (await tell(field.value)) && dialog.close();
  field.addEventListener("keydown", (event) => event.key === "Enter" && done());
  const dialog = openDialog(title, [make("p", {}, about), field], { foot: [button(says, done, "main")] });
  field.focus();
  return dialog;
}

// Asks yes or no.
export function confirmDialog(title, text, says, act) {
  const dialog = openDialog(title, [make("p", {}, text)], {
    foot: [
      button("Cancel", () => dialog.close()),
      button(says, async () => (await act()) !== false && dialog.close(), "main"),
    ],
  });
  return dialog;
}
