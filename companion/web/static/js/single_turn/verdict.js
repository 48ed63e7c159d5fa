// What stands on the card of a single turn: the verdict, or what to do next where there is none.

import { make } from "../dom.js";
import { gettext } from "../language.js";
import { choiceButton, tileElement } from "../tiles.js";
import { drawCard, faultLines, groupingLine, noteLines, notesOf, staleLine } from "../verdict_card.js";
import { aloud, sentence } from "../words.js";

/**
 * @param {State} state
 * @returns {import("../verdict_card.js").Card}
 */
export function cardOf(state) {
  const { reading, turn, verdict, source, picture } = state;
  const photos = source.kind === "photos";
  if (!picture && source.trouble) {
    return card("unread", photos ? gettext("Can't open this photo") : gettext("Can't see the table"), source.trouble);
  }
  if (!picture) return card("wait", gettext("Looking for the table"), gettext("The first picture comes soon."));
  if (photos && !verdict && reading?.tiles.length === 0) {
    return card("wait", gettext("No tiles here"), gettext("There is nothing to check on this photo."));
  }
  if (reading && !reading.judged) return card("unread", gettext("Can't read the table"), sentence(reading.status));
  if (!reading)
    return card("wait", gettext("Looking for the table"), gettext("The app reads it as soon as nothing moves."));
  // A photo is judged as it lies: nothing can be started from it.
  if (photos && !(verdict && state.settled)) return card("wait", gettext("Reading"), "");
  if (!turn.begun) {
    return card("wait", gettext("Ready when you are"), gettext("Start from the table before the first turn."));
  }
  if (!verdict || (verdict.kind === "legal" && !verdict.current)) {
    return card(
      "wait",
      gettext("Turn {number}", { number: turn.finished + 1 }),
      gettext("Lay your tiles, then press Done."),
    );
  }
  return verdict;
}

/**
 * @param {import("../verdict_card.js").CardKind} kind
 * @param {string} headline
 * @param {string} advice
 */
const card = (kind, headline, advice) => ({ kind, headline, advice });

/**
 * @typedef {object} Answers what can be pressed on the card
 * @property {(fault: import("../highlight.js").GatheredFault) => void} choose
 * @property {(tile: number, label: string) => void} answer
 * @property {(tile: number) => void} another asks which other tile it is
 * @property {(rows: number[][]) => void} group
 */

/**
 * @param {State} state
 * @param {Answers} answers
 */
export function drawVerdict(state, answers) {
  const shown = cardOf(state);
  const { verdict, turn, reading } = state;
  if (verdict && shown === verdict) drawCard(shown, verdictLines(verdict, reading, answers));
  else {
    const last = verdict?.kind === "legal" && shown.kind === "wait" && turn.begun && verdict.placed.length > 0;
    drawCard(shown, last ? [placedLine(gettext("Last turn:"), verdict)] : []);
  }
}

/**
 * @param {Verdict} verdict
 * @param {Reading | null} reading
 * @param {Answers} answers
 */
function verdictLines(verdict, reading, answers) {
  const { choose, group } = answers;
  return [
    verdict.placed.length > 0 && verdict.kind === "legal" && placedLine(gettext("Laid:"), verdict),
    ...faultLines(verdict, choose),
    ...verdict.questions.map((question) => questionLine(question, reading, answers)),
    ...verdict.groupings.map((question) => groupingLine(question, reading?.number ?? 0, group)),
    ...noteLines(verdict),
    !verdict.current && staleLine(),
  ];
}

/**
 * @param {string} title
 * @param {Verdict} verdict
 */
const placedLine = (title, { placed }) =>
  make("div", { class: "placed" }, make("span", {}, title), ...placed.map((tile) => tileElement(tile)));

/**
 * @param {Question} question
 * @param {Reading | null} reading
 * @param {Answers} answers
 */
function questionLine({ tile, why, choices }, reading, { answer, another }) {
  const meld = reading?.melds.findIndex((row) => row.includes(tile)) ?? -1;
  return make(
    "div",
    { class: "question" },
    make(
      "p",
      {},
      meld < 0 ? gettext("This tile is") : gettext("The marked tile in set {number} is", { number: meld + 1 }),
    ),
    ...choices.map((choice) => choiceButton(choice.tile, choice.name, () => answer(tile, choice.label))),
    choiceButton(null, gettext("Another tile"), () => another(tile)),
    why ? make("p", { class: "why" }, why) : null,
  );
}

/**
 * The verdict in one breath, for those who listen to the page.
 * @param {State} state
 */
export function spokenVerdict(state) {
  const { verdict } = state;
  const { kind, headline, advice } = cardOf(state);
  if (!verdict || cardOf(state) !== verdict) return kind === "unread" ? `${headline}. ${advice}` : "";
  return aloud([headline, advice, ...notesOf(verdict), ...verdict.faults.map((fault) => fault.text)]);
}
