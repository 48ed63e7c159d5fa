// Form controls: one of several choices, a number with steps, a switch.

import { make } from "./dom.js";
import { gettext } from "./language.js";

/**
 * One of several values.
 * @template Value
 * @param {string} name
 * @param {[value: Value, text: string, hint?: string, picture?: Node][]} options
 * @param {Value} chosen
 * @param {(value: Value) => unknown} choose called with each new choice
 * @param {string} [label]
 */
export function segments(name, options, chosen, choose, label) {
  return make(
    "div",
    { class: "segments", role: "radiogroup", "aria-label": label },
    ...options.map(([value, text, hint, picture]) => {
      const input = make("input", { type: "radio", name, value: String(value), checked: value === chosen });
      input.addEventListener("change", () => choose(value));
      return make(
        "label",
        { class: "segment" },
        input,
        make("span", {}, picture, make("b", {}, text), hint ? make("small", {}, hint) : null),
      );
    }),
  );
}

/**
 * A number with buttons for less and more.
 * @param {string} text
 * @param {number | null} value null for no number
 * @param {object} limits
 * @param {number | null} [limits.least]
 * @param {number | null} [limits.most]
 * @param {number} [limits.by] the size of a step
 * @param {string | null} [limits.none] the text for no number; null if there must be one
 * @param {(number: number) => string} [limits.unit] formats the number with its unit
 * @param {(value: number | null) => void} choose
 */
export function stepper(text, value, { least, most, by = 1, none = null, unit = String }, choose) {
  const [lowest, highest] = [least ?? 0, most ?? 999];
  let now = value;
  const output = make("output", {}, "");
  const show = () => {
    output.textContent = now === null ? (none ?? gettext("none")) : unit(now);
  };
  /** @param {number} sign */
  const step = (sign) => () => {
    if (now === null) now = sign > 0 ? lowest : null;
    else if (now + sign * by < lowest) now = none === null ? lowest : null;
    else now = Math.min(highest, now + sign * by);
    show();
    choose(now);
  };
  show();
  const name = text.replace(/[?:]$/, "");
  return make(
    "div",
    { class: "stepper" },
    make("span", {}, text),
    make(
      "button",
      { type: "button", class: "button", "aria-label": gettext("{text}: less", { text: name }), onclick: step(-1) },
      "−",
    ),
    output,
    make(
      "button",
      { type: "button", class: "button", "aria-label": gettext("{text}: more", { text: name }), onclick: step(1) },
      "+",
    ),
  );
}

/** @param {Attributes} [attributes] */
export const switchBox = (attributes = {}) => make("input", { type: "checkbox", role: "switch", ...attributes });

/**
 * @param {HTMLInputElement} box
 * @param {string} text
 */
export const switchLine = (box, text) => make("label", { class: "check-line" }, box, make("span", {}, text));

/**
 * A switch with its text.
 * @param {string} text
 * @param {boolean} on
 * @param {(on: boolean) => unknown} change returns, or resolves to, false if refused; then the switch goes back
 * @param {boolean} [disabled]
 */
export function toggle(text, on, change, disabled = false) {
  const box = switchBox({ checked: on, disabled });
  box.addEventListener("change", async () => {
    if ((await change(box.checked)) === false) box.checked = !box.checked;
  });
  return switchLine(box, text);
}
