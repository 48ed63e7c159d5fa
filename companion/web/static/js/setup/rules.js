// The edition, rounds, clock and the rules that people often change; all other rules are in a dialog.

import { segments, stepper, toggle } from "../controls.js";
import { byId, fill, make } from "../dom.js";
import { gettext } from "../language.js";
import { tileRow } from "../tiles.js";
import { openAllRules } from "./all_rules.js";
import { choices, seatedPeople, storeChoices } from "./choices.js";
import { drawEnding } from "./ending.js";
import { houseRules, numberOf, ruleLimits, unitOf } from "./house_rules.js";
import { drawOwnLimits } from "./own_limits.js";
import { seatsFor } from "./seats.js";

/** @typedef {{ by?: number, least?: number, none?: string }} StepOptions */

/** @type {[name: string, text: string, options: StepOptions][]} */
const COMMON = [
  ["opening.minimum_points", gettext("Opening"), { by: 5 }],
  ["turn.limit_s", gettext("Time for a turn"), { by: 15, least: 15, none: gettext("none") }],
  ["scoring.joker_points", gettext("Joker left on a rack"), { by: 5 }],
];
const PENALTIES = ["penalty.tiles_before_opening", "penalty.tiles"];
/** @type {["off" | "friendly" | "strict", string, string?][]} */
const TIMERS = [
  ["off", gettext("Off")],
  ["friendly", gettext("Friendly"), gettext("rings and waits")],
  ["strict", gettext("Strict"), gettext("the turn fails")],
];
/** @type {EditionChoice[]} */
let editions = [];

/** @param {EditionChoice[]} all */
export function drawRules(all) {
  editions = all;
  if (!editions.some((one) => one.edition.key === choices.edition)) choices.edition = editions[0].edition.key;
  const boxes = editions.map(
    ({ edition }) =>
      /** @type {[string, string, undefined, Node]} */ ([edition.key, edition.name, undefined, sampleRow(edition)]),
  );
  fill(byId("editions"), ...segments("edition", boxes, choices.edition, choose("edition", drawEdition)).children);
  drawEdition();
}

/**
 * Some tiles of a box and its sign, hidden from screen readers, which read its name.
 * @param {EditionChoice["edition"]} edition
 */
const sampleRow = ({ samples, sign }) =>
  make("span", { "aria-hidden": "true", class: "sample", "data-sign": sign }, tileRow(samples));

const chosenEdition = () => editions.find((one) => one.edition.key === choices.edition) ?? editions[0];

/**
 * Returns a function that stores a choice.
 * @template {keyof import("./choices.js").Choices} Field
 * @param {Field} field
 * @param {() => void} [then] called after it
 */
const choose =
  (field, then = () => {}) =>
  (/** @type {import("./choices.js").Choices[Field]} */ value) => {
    choices[field] = value;
    storeChoices();
    then();
  };

/** @param {"tournament" | "penalty_at_once" | "notices_done" | "hints"} name */
const chooseMore = (name) => (/** @type {boolean} */ on) => {
  choices.more[name] = on;
  storeChoices();
};

function drawEdition() {
  const { edition, rules } = chosenEdition();
  if (!edition.stars) choices.first = false;
  const house = houseRules(drawMore);
  byId("edition-text").textContent = edition.look;
  const totals = rules.find((rule) => rule.name === "scoring.totals");
  drawEnding(byId("rounds"), totals !== undefined && house.value(totals) === "highest-total");
  byId("timer-part").hidden = edition.limit_s === null;
  fill(byId("timer"), segments("timer", TIMERS, choices.timer, choose("timer", showOwnLimits)));
  showOwnLimits();
  fill(byId("first-game"), ...(edition.stars ? firstGame() : []));
  fill(
    byId("common"),
    ...COMMON.map(([name, text, options]) => {
      // An edition with stars counts no points for the tiles left on racks.
      const shown = rules.filter((rule) => rule.name === name && (!edition.stars || name.startsWith("turn")));
      return shown.length > 0 && ruleStepper(text, shown, house, options);
    }),
    ...(edition.stars ? [] : penalties(rules, house)),
    edition.limit_s === null && edition.stars
      ? null
      : toggle(
          gettext("After a wrong turn the penalty comes at once"),
          Boolean(choices.more.penalty_at_once),
          chooseMore("penalty_at_once"),
        ),
  );
  drawMore();
  const most = rules.find((rule) => rule.name === "setup.most_players");
  if (most) seatsFor(Number(house.value(most)));
}

/** Shows the button for time handicaps, where turns have a limit. */
export function showOwnLimits() {
  const isTimed = editions.length > 0 && choices.timer !== "off" && chosenEdition().edition.limit_s !== null;
  drawOwnLimits(byId("own-limits"), isTimed && seatedPeople().length > 0);
}

/**
 * A number of one rule, or of several that have the same one.
 * @param {string} text
 * @param {Rule[]} same
 * @param {import("./house_rules.js").HouseRules} house
 * @param {StepOptions} [options]
 */
function ruleStepper(text, same, house, options) {
  const [first] = same;
  const unit = unitOf(first.unit, chosenEdition().edition.cards);
  return stepper(text, numberOf(house.value(first)), { ...ruleLimits(first), unit, ...options }, (value) => {
    for (const rule of same) house.put(rule, String(value ?? "none"));
  });
}

/**
 * The penalty; two numbers in an edition with another one before the opening.
 * @param {Rule[]} rules
 * @param {import("./house_rules.js").HouseRules} house
 */
function penalties(rules, house) {
  const [before, after] = PENALTIES.map((name) => rules.filter((rule) => rule.name === name));
  if (before[0]?.value === after[0]?.value) {
    return [ruleStepper(gettext("Penalty"), [...after, ...before], house)];
  }
  return [
    ruleStepper(gettext("Penalty before the opening"), before, house),
    ruleStepper(gettext("Penalty after the opening"), after, house),
  ];
}

function firstGame() {
  const who = make("div", { class: "leader" });
  const show = () => {
    /** @type {[number | null, string][]} */
    const leaders = [
      [null, gettext("Somebody else")],
      ...seatedPeople().map((names, seat) => /** @type {[number, string]} */ ([seat, names.join(" & ")])),
    ];
    const hint = make("p", { class: "soft-paper" }, gettext("Who points at the tiles?"));
    fill(who, ...(choices.first ? [hint, segments("leader", leaders, choices.leader, choose("leader"))] : []));
  };
  show();
  return [
    toggle(
      gettext("The first game, for the youngest: no racks, one tile at a time"),
      choices.first,
      choose("first", show),
    ),
    who,
  ];
}

function drawMore() {
  const changed = Object.keys(choices.house[choices.edition] ?? {}).length;
  byId("more-rules").textContent = changed
    ? gettext("All house rules ({changed} changed)", { changed })
    : gettext("All house rules");
}

export function openHouseRules() {
  const { tournament, notices_done: noticesDone } = choices.more;
  const switches = [
    toggle(
      gettext("Tournament clocks: 10 minutes per player and 10 seconds per turn"),
      Boolean(tournament),
      chooseMore("tournament"),
    ),
    toggle(
      gettext("The camera notices by itself when a turn is done"),
      Boolean(noticesDone),
      chooseMore("notices_done"),
    ),
    toggle(gettext("Hints: a player's own phone shows what to lay"), Boolean(choices.more.hints), chooseMore("hints")),
  ];
  openAllRules(chosenEdition(), switches, drawMore, drawEdition);
}
