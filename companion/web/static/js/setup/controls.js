// Plain choices: one of several, a number with steps, a switch.
import { make } from "../dom.js";

// options is a list of [value, text]; choose(value) hears of a change.
export function segments(name, options, chosen, choose) {
  return make(
    "div",
    { class: "segments", role: "radiogroup" },
    ...options.map(([value, text, hint]) => {
      const input = make("input", { type: "radio", name, value: String(value), checked: value === chosen });
      input.addEventListener("change", () => choose(value));
      return make(
        "label",
        { class: "segment" },
        input,
        make("span", {}, make("b", {}, text), hint ? make("small", {}, hint) : null),
      );
    }),
  );
}

export function stepper(text, value, { least = 0, most = 999, by = 1, none = null, unit = "" }, choose) {
  let now = value;
  const shown = make("output", {}, "");
  const show = () => (shown.textContent = now === null ? (none ?? "none") : `${now}${unit}`);
  const step = (sign) => () => {
    if (now === null) now = sign > 0 ? least : null;
    else if (now + sign * by < least) now = none === null ? least : null;
    else now = Math.min(most, now + sign * by);
    show();
    choose(now);
  };
  show();
  return make(
    "div",
    { class: "stepper" },
    make("span", {}, text),
    make("button", { type: "button", class: "button", "aria-label": `${text}: less`, onclick: step(-1) }, "−"),
    shown,
    make("button", { type: "button", class: "button", "aria-label": `${text}: more`, onclick: step(1) }, "+"),
  );
}

export function toggle(text, on, choose) {
  const box = make("input", { type: "checkbox", role: "switch", checked: on });
  box.addEventListener("change", () => choose(box.checked));
  return make("label", { class: "check-line" }, box, make("span", {}, text));
}
