// The part of a player's page in which the profile is changed: colour, animal, and other names of the same person.

import { ANIMALS, badge, COLOURS } from "../badge.js";
import { button, confirmDialog } from "../dialog.js";
import { make } from "../dom.js";
import { gettext } from "../language.js";

/** @typedef {import("./main.js").PlayerRecord} PlayerRecord */
/** @typedef {import("./main.js").Profile} Profile */
/** @typedef {import("./main.js").Change} Change */

/**
 * @param {PlayerRecord} record
 * @param {Change} change
 */
export function profilePart({ profile, strangers }, change) {
  return make(
    "section",
    { class: "paper profile", "aria-labelledby": "profile-title" },
    make("h2", { id: "profile-title" }, gettext("Profile")),
    make("h3", { id: "colour-title" }, gettext("Colour")),
    choice(
      "colour",
      COLOURS.map((text, colour) => ({ value: colour, text, sign: badge({ ...profile, colour, animal: null }) })),
      profile.colour,
      (colour) => change(() => ({ colour })),
    ),
    make("h3", { id: "animal-title" }, gettext("Animal")),
    choice(
      "animal",
      ANIMALS.map(([animal, text]) => ({ value: animal, text, sign: badge({ ...profile, colour: null, animal }) })),
      profile.animal,
      (animal) => change(() => ({ animal })),
    ),
    ...namesPart(profile, strangers, change),
  );
}

/**
 * Signs of which at most one is chosen; a tap on the chosen one takes it away.
 * @template {string | number} Value
 * @param {"colour" | "animal"} name
 * @param {{ value: Value, text: string, sign: HTMLElement | null }[]} options
 * @param {Value | null} chosen
 * @param {(value: Value | null) => unknown} choose
 */
const choice = (name, options, chosen, choose) =>
  make(
    "div",
    { class: "signs", role: "group", "aria-labelledby": `${name}-title` },
    ...options.map(({ value, text, sign }) =>
      make(
        "button",
        {
          type: "button",
          class: "sign",
          "aria-pressed": String(value === chosen),
          onclick: () => choose(value === chosen ? null : value),
        },
        sign,
        make("span", {}, text),
      ),
    ),
  );

/**
 * @param {Profile} profile
 * @param {string[]} strangers
 * @param {Change} change
 * @returns {Child[]}
 */
function namesPart(profile, strangers, change) {
  const { name, others } = profile;
  const lines = others.map((other) =>
    make(
      "li",
      { class: "own-line" },
      make("span", {}, other),
      button(gettext("Not the same"), () => change((now) => ({ others: now.others.filter((one) => one !== other) }))),
    ),
  );
  return [
    make("h3", {}, gettext("Other names of {name}", { name })),
    others.length > 0 ? make("ul", { class: "other-names" }, ...lines) : null,
    strangers.length > 0
      ? mergeLine(profile, strangers, change)
      : make(
          "p",
          { class: "hint" },
          gettext("Everybody else has played in the same evening, so nobody can be joined."),
        ),
  ];
}

/**
 * @param {Profile} profile
 * @param {string[]} strangers
 * @param {Change} change
 */
function mergeLine({ name }, strangers, change) {
  const field = make(
    "select",
    { class: "field", "aria-label": gettext("Another name of the same person") },
    ...strangers.map((stranger) => make("option", { value: stranger }, stranger)),
  );
  const ask = () =>
    confirmDialog(
      gettext("The same person?"),
      gettext("All evenings of {other} then count for {name}. You can take it back.", { other: field.value, name }),
      gettext("Join them"),
      () => change((now) => ({ others: [...now.others, field.value] })),
    );
  return make("div", { class: "merge" }, field, button(gettext("Is the same person"), ask));
}
