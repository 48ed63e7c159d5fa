// The house rules of the chosen edition, and a control for any rule.

import { segments, stepper, toggle } from "../controls.js";
import { make } from "../dom.js";
import { gettext } from "../language.js";
import { capitalized } from "../words.js";
import { choices, storeChoices } from "./choices.js";

/**
 * @typedef {object} HouseRules
 * @property {(rule: Rule) => string} value the house rule's value, or else the edition's
 * @property {(rule: Rule, value: string) => void} put stores a value, except the edition's own
 * @property {() => void} reset removes all house rules
 */

/**
 * @param {() => void} changed called after each change
 * @returns {HouseRules}
 */
export function houseRules(changed) {
  const stored = () => {
    choices.house[choices.edition] ??= {};
    return choices.house[choices.edition];
  };
  const store = () => {
    storeChoices();
    changed();
  };
  return {
    value: (rule) => stored()[rule.name] ?? rule.value,
    put: (rule, value) => {
      if (value === rule.value) delete stored()[rule.name];
      else stored()[rule.name] = value;
      store();
    },
    reset: () => {
      delete choices.house[choices.edition];
      store();
    },
  };
}

/**
 * The number of a rule's value; null for "none".
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
      const options = allowed.choices.map((choice) => [choice.value, capitalized(choice.says)]);
      if (allowed.none) options.push(["none", gettext("none")]);
      return make("div", { class: "rule-choice" }, make("p", {}, text), segments(rule.name, options, value, put));
    }
  }
}
