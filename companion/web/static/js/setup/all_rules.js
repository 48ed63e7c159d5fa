// The dialog of all house rules: first the answers that differ from the rulebook, then all questions in groups.

import { button, openDialog } from "../dialog.js";
import { fill, icon, make } from "../dom.js";
import { gettext } from "../language.js";
import { answerOf, houseRules, ruleControl } from "./house_rules.js";

/**
 * @param {EditionChoice} choice
 * @param {Child[]} switches other choices for the game
 * @param {() => void} changed called after each change
 * @param {() => void} onclose
 */
export function openAllRules({ edition, rules }, switches, changed, onclose) {
  const { cards } = edition;
  const house = houseRules(() => {
    changed();
    show();
  });
  const isChanged = (/** @type {Rule} */ rule) => house.value(rule) !== rule.value;
  const own = make("section", { class: "own-rules", "aria-label": gettext("Your house rules") });
  const groups = [...Map.groupBy(rules, (rule) => rule.group)].map(([title, some]) => ruleGroup(title, some));

  /**
   * @param {string} title
   * @param {Rule[]} some
   */
  function ruleGroup(title, some) {
    const count = make("small");
    const lines = some.map((rule) => ({ rule, element: make("div", { class: "rule-line" }) }));
    const element = make(
      "details",
      { class: "rule-part" },
      make("summary", {}, make("span", {}, title), count),
      ...lines.map((line) => line.element),
    );
    return { lines, element, count };
  }

  /** @param {Rule} rule */
  function reset(rule) {
    house.put(rule, rule.value);
    drawControl(rule);
    if (document.activeElement === document.body) dialog.body.focus();
  }

  /** @param {Rule} rule */
  function drawControl(rule) {
    const line = groups.flatMap(({ lines }) => lines).find((one) => one.rule === rule);
    if (line) fill(line.element, ruleControl(rule, house, cards));
  }

  /** @param {Rule} rule */
  const changedLine = (rule) =>
    make(
      "li",
      {},
      make(
        "div",
        {},
        make("span", {}, rule.asks),
        make("b", {}, answerOf(rule, house.value(rule), cards)),
        make("small", {}, gettext("In the rulebook: {answer}", { answer: answerOf(rule, rule.value, cards) })),
      ),
      make(
        "button",
        {
          type: "button",
          class: "button",
          "aria-label": gettext("{question} As in the rulebook", { question: rule.asks }),
          onclick: () => reset(rule),
        },
        icon("back"),
      ),
    );

  function show() {
    const changes = rules.filter(isChanged);
    const before = own.offsetHeight;
    fill(
      own,
      make("h3", {}, gettext("Your house rules")),
      changes.length > 0
        ? make("ul", {}, ...changes.map(changedLine))
        : make("p", { class: "soft-paper" }, gettext("Everything is as in the rulebook.")),
    );
    // The question that somebody has just answered stays where it is.
    if (dialog.body.scrollTop > 0) dialog.body.scrollTop += own.offsetHeight - before;
    for (const { lines, count } of groups) {
      const changed = lines.filter(({ rule }) => isChanged(rule)).length;
      count.textContent = changed ? gettext("{changed} changed", { changed }) : "";
      for (const { rule, element } of lines) element.classList.toggle("changed", isChanged(rule));
    }
    dialog.foot.hidden = changes.length === 0;
  }

  const dialog = openDialog(
    gettext("House rules: {name}", { name: edition.name }),
    [own, ...switches, make("h3", {}, gettext("All questions")), ...groups.map(({ element }) => element)],
    {
      wide: true,
      onclose,
      foot: [
        button(gettext("All as in the rulebook"), () => {
          house.reset();
          for (const rule of rules) drawControl(rule);
        }),
      ],
    },
  );
  dialog.body.classList.add("all-rules");
  for (const rule of rules) drawControl(rule);
  show();
}
