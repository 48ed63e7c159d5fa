// The card of a verdict: its stamp, headline and advice, and the lines below.

import { byId, fill, icon, make } from "./dom.js";
import { highlight } from "./highlight.js";
import { gettext, ngettext } from "./language.js";
import { tileElement } from "./tiles.js";

/** @typedef {import("./highlight.js").GatheredFault} GatheredFault */
/** @typedef {"legal" | "illegal" | "unsure" | "unread" | "wait"} CardKind */
/** @typedef {{ kind: string, headline: string, advice: string }} Card */

/** @type {Record<string, string>} the icon on the stamp */
const STAMPS = { legal: "tick", illegal: "cross", unsure: "query", unread: "eye", wait: "eye" };
// From this many faults with the same code, such as single tiles, one line stands for all of them.
const MANY = 4;
const MOST_NUMBERS = 3;

/**
 * @param {Card} card
 * @param {Child[]} lines
 */
export function drawCard({ kind, headline, advice }, lines) {
  byId("verdict").dataset.kind = kind;
  const stamp = byId("stamp");
  if (stamp.dataset.icon !== STAMPS[kind]) {
    stamp.dataset.icon = STAMPS[kind];
    stamp.replaceChildren(icon(STAMPS[kind]));
  }
  byId("headline").textContent = headline;
  byId("advice").textContent = advice;
  fill(byId("more"), ...lines);
}

// Starts the stamp animation of a new verdict.
export function pressStamp() {
  const stamp = byId("stamp");
  stamp.classList.remove("pressed");
  void stamp.offsetWidth; // forces a reflow, so that the animation restarts
  stamp.classList.add("pressed");
}

/**
 * The notes to a verdict: what the judge could not check, and faults from before the turn.
 * @param {Verdict | null} verdict
 */
export const notesOf = (verdict) => [verdict?.caveat, ...(verdict?.standing ?? [])].filter((note) => note);

/** @param {Verdict | null} verdict */
export const noteLines = (verdict) => notesOf(verdict).map((note) => make("p", { class: "caveat" }, note));

export const staleLine = () =>
  make("p", { class: "since" }, gettext("The table has changed. Press Done to check it again."));

/**
 * Gathers many faults with the same code into one.
 * @param {Fault[]} faults
 * @returns {GatheredFault[]}
 */
export function gathered(faults) {
  const byCode = Map.groupBy(faults, (fault) => fault.code);
  return [...byCode.values()].flatMap((same) =>
    same.length < MANY
      ? same
      : [
          {
            ...same[0],
            melds: same.flatMap((fault) => fault.melds),
            tiles: same.flatMap((fault) => fault.tiles),
            gone: same.flatMap((fault) => fault.gone),
            others: same.length - 1,
          },
        ],
  );
}

/**
 * A line with drawn tiles for each fault; a press highlights the fault in the picture.
 * @param {Verdict} verdict
 * @param {(fault: GatheredFault) => void} choose
 */
export const faultLines = (verdict, choose) =>
  gathered(verdict.faults).map((fault) => faultLine(fault, () => choose(fault)));

/**
 * A fault in a sentence with drawn tiles.
 * @param {Fault} fault
 */
export const faultSaid = ({ parts }) =>
  make(
    "span",
    { class: "said" },
    ...parts.flatMap(({ text, tiles }) => [text, ...tiles.map((tile) => tileElement(tile))]),
  );

/**
 * @param {GatheredFault} fault
 * @param {() => void} press
 */
function faultLine(fault, press) {
  const lit = highlight.fault === fault.text;
  const others = fault.others
    ? make("small", {}, gettext("and {others} more like this", { others: fault.others }))
    : null;
  const melds = [...new Set(fault.melds)]
    .slice(0, MOST_NUMBERS)
    .map((meld) => make("span", { class: "number" }, String(meld + 1)));
  return make(
    "button",
    {
      type: "button",
      class: lit ? "fault lit" : "fault",
      "aria-pressed": String(lit),
      "data-count": 1 + (fault.others ?? 0),
      onclick: press,
    },
    melds.length > 0 && !byId("view").hidden
      ? make("span", { class: "numbers", "aria-hidden": "true" }, ...melds)
      : null,
    make("span", {}, faultSaid(fault), others),
  );
}

/** @param {number} count */
export const moreProblems = (count) => ngettext("{count} more problem", "{count} more problems", count);

/**
 * A question about melds: pictures of the same tiles with the outlines of each grouping; one tap answers it.
 * @param {Grouping} question
 * @param {number} reading
 * @param {(rows: number[][]) => unknown} answer
 * @param {boolean} [disabled]
 */
export function groupingLine(question, reading, answer, disabled = false) {
  const ways = question.choices.map((way) => {
    const rows = way.rows.map((row) => row.join(".")).join("-");
    const picture = make("img", {
      src: `/crop/${reading}/rows/${rows}.jpg`,
      alt: way.melds.map((meld) => meld.map((tile) => tile.name).join(", ")).join("; "),
    });
    return make(
      "button",
      { type: "button", class: "choice way", disabled, onclick: () => answer(way.rows) },
      picture,
      make("span", {}, way.name),
    );
  });
  return make("div", { class: "question grouping" }, make("p", {}, gettext("These tiles make")), ...ways);
}
