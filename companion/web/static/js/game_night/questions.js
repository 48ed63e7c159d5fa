// The questions on which a verdict depends, one after the other: about a doubtful tile, or about melds.

import { byId, fill, make } from "../dom.js";
import { gettext } from "../language.js";
import { choiceButton } from "../tiles.js";
import { groupingLine } from "../verdict_card.js";
import { correctTile } from "./correct_tile.js";
import { rackExceededLines } from "./rack_exceeded.js";
import { gameNight, maySteer, send } from "./store.js";
import { labelTile } from "./training_examples.js";

/**
 * Shows the first open question: about the count of a rack, a doubtful tile, or melds.
 * @param {Verdict | null} verdict
 * @returns {boolean} whether there is one
 */
export function drawQuestion(verdict) {
  const line = gameNight().exceeded ? rackExceededLines() : verdict && firstOf(verdict);
  if (!line) return false;
  fill(byId("asks"), line);
  byId("asks").hidden = false;
  return true;
}

/** @param {Verdict} verdict */
function firstOf(verdict) {
  const reading = verdict.reading_number;
  /** @param {number[][]} rows */
  const group = (rows) => send("group", { reading, rows });
  const [question] = verdict.questions;
  const [grouping] = verdict.groupings;
  const count = verdict.questions.length + verdict.groupings.length;
  if (question) return questionLine(question, reading, count);
  return grouping ? groupingLine(grouping, reading, group, !maySteer()) : null;
}

/**
 * @param {Question} question
 * @param {number} reading
 * @param {number} count of all open questions
 */
function questionLine({ tile, why, choices }, reading, count) {
  const buttons = choices.map((choice) =>
    choiceButton(
      choice.tile,
      choice.name,
      () => labelTile("answer", { reading, tile, label: choice.label }),
      !maySteer(),
    ),
  );
  buttons.push(choiceButton(null, gettext("Another tile"), () => correctTile(tile), !maySteer()));
  const countWords = count > 1 ? gettext("({count} questions)", { count }) : "";
  return make(
    "div",
    { class: "question" },
    make("img", { class: "crop", src: `/crop/${reading}/${tile}.jpg`, alt: gettext("A tile to check") }),
    make("p", {}, why || gettext("Which tile is this?"), " ", countWords),
    make("div", { class: "choices" }, ...buttons),
  );
}
