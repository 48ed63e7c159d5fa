// A possible turn, drawn step by step: the table, the rack below it, and the tiles of each step.

import { button, openDialog } from "./dialog.js";
import { fill, make } from "./dom.js";
import { fitSize, letKeysScroll } from "./fit.js";
import { gettext } from "./language.js";
import { tileElement, tileRow } from "./tiles.js";

/** @typedef {{ table: Tile[][], rack: Tile[], steps: PlayStep[] }} Steps */

const [SMALLEST_PX, LARGEST_PX] = [14, 64];

/**
 * Opens a dialog with possible turns, one after another.
 * @param {string} title
 * @param {PossibleTurn[]} turns
 * @param {object} [options]
 * @param {boolean} [options.puzzle] whether the steps are a solution that a person wants to find first
 */
export function openTurns(title, turns, { puzzle = false } = {}) {
  const body = make("div", { class: "play" });
  const dialog = openDialog(title, [body], { wide: true });
  /** @param {number} number */
  const show = (number) => {
    const turn = turns[number];
    const isLast = number + 1 === turns.length;
    const next = isLast ? null : button(gettext("Next one"), () => show(number + 1));
    const { element, buttons } = stepper(turn, puzzle ? gettext("Show the solution") : gettext("Show how"));
    const count = turns.length > 1 ? make("b", { class: "play-count" }, `${number + 1} / ${turns.length} `) : null;
    fill(
      body,
      make("p", { class: "play-text" }, count, turn.text),
      turn.note && make("p", { class: "hint" }, turn.note),
      element,
    );
    fill(dialog.foot, ...buttons, next);
  };
  show(0);
}

/**
 * The drawn table and rack, and the buttons that lead through the steps.
 * @param {Steps} turn
 * @param {string} label of the button for the first step
 */
export function stepper({ table, rack, steps }, label) {
  const mat = make("div", { class: "mat", role: "group", "aria-label": gettext("The table") });
  const held = make("div", { class: "play-rack", role: "group", "aria-label": gettext("The rack") });
  const says = make("p", { class: "play-step", "aria-live": "polite" });
  const back = button(gettext("Step back"), () => show(at - 1));
  const forward = button("", () => show(at + 1), "main");
  let at = 0;
  new ResizeObserver(fit).observe(mat);
  function fit() {
    if (mat.clientHeight === 0) return;
    fitSize(mat, "--tile", SMALLEST_PX, LARGEST_PX);
    letKeysScroll(mat);
  }
  /** @param {number} number how many steps are done */
  function show(number) {
    at = number;
    const step = at > 0 ? steps[at - 1] : null;
    const moved = new Set((step?.moved ?? []).map(([meld, place]) => `${meld} ${place}`));
    fill(mat, ...(step?.melds ?? table).map((meld, row) => meldElement(meld, (place) => moved.has(`${row} ${place}`))));
    fill(held, ...remaining(rack, steps.slice(0, at)).map((tile) => tileElement(tile)));
    fill(says, ...(step ? stepWords(step) : []));
    back.disabled = at === 0;
    forward.hidden = at === steps.length;
    if (forward.hidden) back.focus();
    forward.textContent =
      at === 0 ? label : gettext("Step {number} of {count}", { number: at + 1, count: steps.length });
    fit();
    mat.querySelector(".coming")?.scrollIntoView({ block: "nearest" });
  }
  show(0);
  return { element: make("div", { class: "play-drawn" }, says, mat, held), buttons: [back, forward] };
}

/**
 * @param {Tile[]} meld
 * @param {(place: number) => boolean} isMoved
 */
const meldElement = (meld, isMoved) =>
  make(
    "span",
    { class: "meld" },
    tileRow(meld, (_, place) => (isMoved(place) ? "coming" : "")),
  );

/**
 * The tiles of the rack that no step has laid.
 * @param {Tile[]} rack
 * @param {PlayStep[]} done
 */
function remaining(rack, done) {
  const left = [...rack];
  for (const tile of done.flatMap((step) => step.from_rack)) {
    left.splice(
      left.findIndex(({ text }) => text === tile.text),
      1,
    );
  }
  return left;
}

/** @param {PlayStep} step */
function stepWords({ from_rack: own, from_table: taken }) {
  return [
    own.length > 0 && make("span", {}, gettext("From the rack:"), " ", tileRow(own)),
    taken.length > 0 && make("span", {}, gettext("From the table:"), " ", tileRow(taken)),
  ];
}
