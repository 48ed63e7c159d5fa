// The card with the verdict on the photo, or with the reason why there is none.

import { make } from "../dom.js";
import { gettext } from "../language.js";
import { choiceButton } from "../tiles.js";
import { drawCard, faultLines, groupingLine, noteLines, notesOf, staleLine } from "../verdict_card.js";
import { aloud, sentence } from "../words.js";

/**
 * @param {State} state
 * @returns {import("../verdict_card.js").Card}
 */
export function cardOf(state) {
  const { reading, verdict, source, picture } = state;
  if (!picture && source.trouble) return card("unread", gettext("Can't open this photo"), source.trouble);
  if (!picture) return card("wait", gettext("Looking for the table"), gettext("The first picture comes soon."));
  if (!verdict && reading?.tiles.length === 0) {
    return card("wait", gettext("No tiles here"), gettext("There is nothing to check on this photo."));
  }
  if (reading && !reading.judged) return card("unread", gettext("Can't read the table"), sentence(reading.status));
  if (!reading) {
    return card("wait", gettext("Looking for the table"), gettext("The app reads it as soon as nothing moves."));
  }
  if (!verdict || !state.settled) return card("wait", gettext("Reading"), "");
  return verdict;
}

/**
 * @param {import("../verdict_card.js").CardKind} kind
 * @param {string} headline
 * @param {string} advice
 */
const card = (kind, headline, advice) => ({ kind, headline, advice });

/**
 * @typedef {object} Answers the handlers of the card's buttons
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
  const { verdict, reading } = state;
  drawCard(shown, verdict && shown === verdict ? verdictLines(verdict, reading, answers) : []);
}

/**
 * @param {Verdict} verdict
 * @param {Reading | null} reading
 * @param {Answers} answers
 */
function verdictLines(verdict, reading, answers) {
  const { choose, group } = answers;
  return [
    ...faultLines(verdict, choose),
    ...verdict.questions.map((question) => questionLine(question, reading, answers)),
    ...verdict.groupings.map((question) => groupingLine(question, reading?.number ?? 0, group)),
    ...noteLines(verdict),
    !verdict.current && staleLine(),
  ];
}

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
 * The verdict as one text for screen readers.
 * @param {State} state
 */
export function spokenVerdict(state) {
  const { verdict } = state;
  const { kind, headline, advice } = cardOf(state);
  if (!verdict || cardOf(state) !== verdict) return kind === "unread" ? `${headline}. ${advice}` : "";
  return aloud([headline, advice, ...notesOf(verdict), ...verdict.faults.map((fault) => fault.text)]);
}
