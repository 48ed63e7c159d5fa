// The house rules of the chosen edition, and a control for any rule.

import { segments, stepper, toggle } from "../controls.js";
import { make } from "../dom.js";
import { gettext } from "../language.js";
import { capitalized } from "../words.js";
import { choices, storeChoices } from "./choices.js";

/**
 * @typedef {object} HouseRules
 * @property {(rule: Rule) => string} value as people have it, or as the edition has it
 * @property {(rule: Rule, value: string) => void} put what is as printed is not stored
 * @property {() => void} reset all as printed
 */

/**
 * @param {() => void} changed called after each change
 * @returns {HouseRules}
 */
export function houseRules(changed) {
  const own = () => {
    choices.house[choices.edition] ??= {};
    return choices.house[choices.edition];
  };
  const store = () => {
    storeChoices();
    changed();
  };
  return {
    value: (rule) => own()[rule.name] ?? rule.value,
    put: (rule, value) => {
      if (value === rule.value) delete own()[rule.name];
      else own()[rule.name] = value;
      store();
    },
    reset: () => {
      delete choices.house[choices.edition];
      store();
    },
  };
}

/**
 * The number of a rule's value; null for none.
 * @param {string} text
 */
export const numberOf = (text) => (text === "none" ? null : Number(text));

/** @param {Rule} rule */
export const ruleLimits = ({ allowed: { least, most, none } }) => ({
  least,
  most,
  none: none ? gettext("none") : null,
});

/**
 * @param {Rule} rule
 * @param {HouseRules} house
 */
export function ruleControl(rule, house) {
  const value = house.value(rule);
  const text = capitalized(rule.says);
  /** @param {string} next */
  const put = (next) => house.put(rule, next);
  const { allowed } = rule;
  switch (allowed.kind) {
    case "number":
      return stepper(text, numberOf(value), ruleLimits(rule), (next) => put(String(next ?? "none")));
    case "truth":
      return toggle(text, value === "yes", (on) => put(on ? "yes" : "no"));
    case "inks": {
      const attributes = { class: "field short", value, maxlength: allowed.most, "aria-label": text };
      const field = make("input", { type: "text", ...attributes });
      field.addEventListener("change", () => put(field.value.trim().toUpperCase()));
      return make("label", { class: "stepper" }, make("span", {}, `${text} (${allowed.text})`), field);
    }
    case "choice": {
      /** @type {[string, string, string?][]} */
      const options = allowed.choices.map((one) => [one.value, capitalized(one.says)]);
      if (allowed.none) options.push(["none", gettext("none")]);
      return make("div", { class: "rule-choice" }, make("p", {}, text), segments(rule.name, options, value, put));
    }
  }
}
