// The edition, rounds, clock and house rules: the common ones at first, all of them in a dialog.
import { at, fill, make } from "../dom.js";
import { openDialog } from "../game_night/dialog.js";
import { choices, keep, people } from "./choices.js";
import { segments, stepper, toggle } from "./controls.js";
import { seatsFor } from "./seats.js";

// The rules that people change at the table; the others are in the dialog.
const COMMON = [
  ["opening.minimum_points", "Opening", { by: 5, unit: " points" }],
  ["turn.limit_s", "Time for a turn", { by: 15, least: 15, unit: " s", none: "none" }],
  ["penalty.tiles", "Penalty", { unit: " tiles" }],
  ["scoring.joker_points", "Joker left on a rack", { by: 5, unit: " points" }],
];
const PARTS = {
  stock: "The tiles",
  setup: "Before a round",
  melds: "Runs and groups",
  opening: "The opening",
  manipulation: "Changing what lies there",
  joker: "Jokers",
  turn: "A turn",
  penalty: "Penalties",
  ending: "The end of a round",
  scoring: "Scoring",
  stars: "Stars",
};
const ROUNDS = [
  [null, "Open end"],
  [1, "1"],
  [2, "2"],
  [3, "3"],
  [4, "4"],
  [5, "5"],
];
const TIMERS = [
  ["off", "Off"],
  ["friendly", "Friendly", "rings and waits"],
  ["strict", "Strict", "the turn fails"],
];
let editions = [];

export function drawRules(all) {
  editions = all;
  if (!editions.some((one) => one.edition.key === choices.edition)) choices.edition = editions[0].edition.key;
  const names = editions.map(({ edition }) => [edition.key, edition.name]);
  fill(at("editions"), ...segments("edition", names, choices.edition, choose("edition", drawEdition)).children);
  drawEdition();
}

const chosen = () => editions.find((one) => one.edition.key === choices.edition);

const choose =
  (field, then = () => {}) =>
  (value) => {
    choices[field] = value;
    keep();
    then();
  };

function keepMore(name, on) {
  choices.more[name] = on;
  keep();
}

function drawEdition() {
  const { edition, rules } = chosen();
  if (!edition.stars) choices.first = false;
  const set = houseRule();
  at("edition-says").textContent = `${edition.title.charAt(0).toUpperCase()}${edition.title.slice(1)}.`;
  fill(at("rounds"), segments("rounds", ROUNDS, choices.rounds, choose("rounds")));
  at("timer-part").hidden = edition.limit_s === null;
  fill(at("timer"), segments("timer", TIMERS, choices.timer, choose("timer")));
  fill(at("first-game"), ...(edition.stars ? firstGame() : []));
  const common = COMMON.map(([name, text, options]) => [
    rules.find((rule) => rule.name === name),
    text,
    options,
  ]).filter(([rule]) => rule && !(edition.stars && !rule.name.startsWith("turn")));
  fill(
    at("common"),
    ...common.map(([rule, text, options]) =>
      stepper(text, numberOf(set.value(rule)), { ...limits(rule), ...options }, (value) =>
        set.put(rule, value ?? "none"),
      ),
    ),
    edition.limit_s === null && edition.stars
      ? null
      : toggle("A wrong layout costs the penalty at once", Boolean(choices.more.penalty_at_once), (on) =>
          keepMore("penalty_at_once", on),
        ),
  );
  drawMore();
  const most = rules.find((rule) => rule.name === "setup.most_players");
  seatsFor(Number(set.value(most)));
}

function firstGame() {
  const leaders = () => [[null, "Somebody else"], ...people().map((names, seat) => [seat, names.join(" & ")])];
  const who = make("div", { class: "leader" });
  const show = () =>
    fill(
      who,
      ...(choices.first
        ? [
            make("p", { class: "soft-paper" }, "Who points at the tiles?"),
            segments("leader", leaders(), choices.leader, choose("leader")),
          ]
        : []),
    );
  show();
  return [
    toggle(
      "The first game, for the youngest: no racks, one tile after the other",
      choices.first,
      choose("first", show),
    ),
    who,
  ];
}

function drawMore() {
  const changed = Object.keys(choices.house[choices.edition] ?? {}).length;
  at("more-rules").textContent = changed ? `All house rules (${changed} changed)` : "All house rules";
}

// Reads and writes the house rules of the chosen edition; what is as printed is not kept.
function houseRule() {
  const mine = () => {
    choices.house[choices.edition] ??= {};
    return choices.house[choices.edition];
  };
  return {
    value: (rule) => mine()[rule.name] ?? rule.value,
    put: (rule, value) => {
      if (String(value) === rule.value) delete mine()[rule.name];
      else mine()[rule.name] = String(value);
      keep();
      drawMore();
    },
  };
}

const numberOf = (text) => (text === "none" ? null : Number(text));

const limits = ({ allowed: { least, most, none } }) => ({ least, most, none: none ? "none" : null });

export function openAllRules() {
  const { rules } = chosen();
  const set = houseRule();
  const parts = Map.groupBy(rules, (rule) => rule.name.split(".")[0]);
  const groups = [...parts].map(([part, some]) =>
    make(
      "details",
      { class: "rule-part" },
      make("summary", {}, PARTS[part] ?? part),
      ...some.map((rule) => control(rule, set)),
    ),
  );
  const reset = make(
    "button",
    {
      type: "button",
      class: "button",
      onclick: () => {
        delete choices.house[choices.edition];
        keep();
        dialog.close();
      },
    },
    "As printed",
  );
  const dialog = openDialog(
    `House rules: ${chosen().edition.name}`,
    [
      toggle("Tournament clocks: 10 minutes and 10 seconds a turn", Boolean(choices.more.tournament), (on) =>
        keepMore("tournament", on),
      ),
      toggle("The camera notices by itself that a turn is done", Boolean(choices.more.notices_done), (on) =>
        keepMore("notices_done", on),
      ),
      ...groups,
    ],
    { wide: true, onclose: drawEdition, foot: [reset] },
  );
}

function control(rule, set) {
  const value = set.value(rule);
  const says = rule.says.charAt(0).toUpperCase() + rule.says.slice(1);
  const { kind, text, most, none, choices: values } = rule.allowed;
  if (kind === "number") return stepper(says, numberOf(value), limits(rule), (next) => set.put(rule, next ?? "none"));
  if (kind === "truth") return toggle(says, value === "yes", (on) => set.put(rule, on ? "yes" : "no"));
  if (kind === "inks") {
    const field = make("input", { type: "text", class: "field short", value, maxlength: most, "aria-label": says });
    field.addEventListener("change", () => set.put(rule, field.value.trim().toUpperCase()));
    return make("label", { class: "stepper" }, make("span", {}, `${says} (${text})`), field);
  }
  return make(
    "div",
    { class: "rule-choice" },
    make("p", {}, says),
    segments(
      rule.name,
      [
        ...values.map((one) => [one.value, one.value.replaceAll("-", " "), one.says]),
        ...(none ? [["none", "none"]] : []),
      ],
      value,
      (next) => set.put(rule, next),
    ),
  );
}
