// The house rules of the chosen edition, and a control for the question of any rule.

import { segments, stepper } from "../controls.js";
import { make } from "../dom.js";
import { gettext, ngettext } from "../language.js";
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
export const ruleLimits = ({ allowed: { least, most, none }, none: without }) => ({
  least,
  most,
  none: none ? without : null,
});

/**
 * The text of a number with its unit.
 * @param {Rule["unit"]} unit
 * @param {boolean} cards whether the edition is played with cards
 * @returns {(number: number) => string}
 */
export function unitOf(unit, cards) {
  switch (unit) {
    case "tiles":
      return cards
        ? (count) => ngettext("{count} card", "{count} cards", count)
        : (count) => ngettext("{count} tile", "{count} tiles", count);
    case "points":
      return (count) => ngettext("{count} point", "{count} points", count);
    case "seconds":
      return (count) => gettext("{count} s", { count });
    case "stars":
      return (count) => ngettext("{count} star", "{count} stars", count);
    case "players":
      return (count) => ngettext("{count} player", "{count} players", count);
    case "none":
      return String;
  }
}

/** @returns {[string, string][]} */
const truths = () => [
  ["yes", gettext("Yes")],
  ["no", gettext("No")],
];

/**
 * @param {Rule} rule
 * @returns {[value: string, text: string][]} the answers of a rule that has no number
 */
function answers({ allowed, none }) {
  if (allowed.kind === "truth") return truths();
  /** @type {[string, string][]} */
  const options = allowed.choices.map(({ value, says }) => [value, capitalized(says)]);
  return allowed.none ? [...options, ["none", capitalized(none)]] : options;
}

/**
 * A value of a rule in words.
 * @param {Rule} rule
 * @param {string} value
 * @param {boolean} cards
 */
export function answerOf(rule, value, cards) {
  if (rule.allowed.kind !== "number") return answers(rule).find(([one]) => one === value)?.[1] ?? value;
  const number = numberOf(value);
  return number === null ? capitalized(rule.none) : unitOf(rule.unit, cards)(number);
}

/**
 * The question of a rule, with a control for its answer.
 * @param {Rule} rule
 * @param {HouseRules} house
 * @param {boolean} cards
 */
export function ruleControl(rule, house, cards) {
  const value = house.value(rule);
  /** @param {string} next */
  const put = (next) => house.put(rule, next);
  if (rule.allowed.kind === "number") {
    const limits = { ...ruleLimits(rule), unit: unitOf(rule.unit, cards) };
    return stepper(rule.asks, numberOf(value), limits, (next) => put(String(next ?? "none")));
  }
  const kind = rule.allowed.kind === "truth" ? "rule-choice truth" : "rule-choice";
  const options = segments(rule.name, answers(rule), value, put, rule.asks);
  return make("div", { class: kind }, make("p", { "aria-hidden": "true" }, rule.asks), options);
}
