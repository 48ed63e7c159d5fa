// The score sheet: rounds, totals, whether they add up, the chart, and the next steps.

import { button, openDialog } from "../dialog.js";
import { fill, icon, make } from "../dom.js";
import { gettext } from "../language.js";
import { puzzleButton } from "../review.js";
import { sheetElement } from "../sheet_table.js";
import { chart } from "./chart.js";
import { endWords } from "./end_words.js";
import { askLostTile } from "./lost_tiles.js";
import { highlightList, podium } from "./podium.js";
import { missedTurns } from "./review.js";
import { act, gameNight, hasCamera, may, send } from "./store.js";
import { finalTitle, roundTitle } from "./winners.js";

/** @typedef {GameNight["sheet"]} Sheet */

const scoreShows = () => {
  const { sheet, players, phase, first_acquaintance: firstGame, alarms, highlights, may: actions } = gameNight();
  return [
    sheet,
    alarms,
    players.map((player) => [player.name, player.away, player.stars]),
    phase,
    firstGame,
    highlights,
    actions,
  ];
};

/**
 * The sheet, its checks and its chart.
 * @param {boolean} inColumn whether something is beside the chart on a wide page
 */
function sheetElements(inColumn) {
  const { sheet, players, edition, phase } = gameNight();
  const over = phase === "over";
  if (sheet.rounds.length === 0) {
    return [make("p", { class: "hint" }, over ? gettext("No round was scored.") : gettext("No round is scored yet."))];
  }
  const names = players.map((player) => player.name);
  const checks = sheet.balance.map((line) =>
    make("p", { class: sheet.balanced ? "check" : "check wrong" }, icon(sheet.balanced ? "tick" : "cross"), line),
  );
  return [
    over ? null : make("p", { class: "leads" }, sheet.leads),
    endWords() && make("p", { class: "hint" }, endWords()),
    sheetElement(sheet, names),
    ...checks,
    edition.stars
      ? make(
          "p",
          { class: "hint" },
          gettext("Stars after each round. Then all stars go back, and the rounds won count."),
        )
      : null,
    chart(sheet.running, names, inColumn),
  ];
}

/**
 * The panel at the end of a round, and of the game night.
 * @param {HTMLElement} panel
 */
function drawScore(panel) {
  const { phase, sheet, first_acquaintance: firstGame } = gameNight();
  const over = phase === "over";
  fill(
    panel,
    make(
      "p",
      { class: "eyebrow" },
      over ? gettext("The final score") : gettext("After round {number}", { number: sheet.rounds.length }),
    ),
    make("h2", {}, over ? finalTitle(sheet) : roundTitle(sheet)),
    alarmLines(),
    firstGame && over ? starBoard() : over ? finalScore() : make("div", { class: "result" }, ...sheetElements(true)),
    over ? null : missedTurns(() => fitResult(panel)),
    make(
      "div",
      { class: "ways" },
      ...(over ? afterwards() : []),
      may("end") && !over ? button(gettext("End the evening here"), () => act("end")) : null,
      over ? playAgain() : button(gettext("Next round"), () => act("next-round"), "main large"),
    ),
  );
  fitResult(panel);
}

export const SCORE = { shows: scoreShows, draw: drawScore, fit: fitResult };

/**
 * Leaves out the chart of a result where it would be cut; it is on the score sheet as well.
 * @param {HTMLElement} panel
 */
function fitResult(panel) {
  const drawn = panel.querySelector(":is(.result, .final) .chart");
  if (!drawn) return;
  drawn.classList.remove("left-out");
  drawn.classList.toggle("left-out", panel.scrollHeight > panel.clientHeight + 1);
}

const finalScore = () =>
  make(
    "div",
    { class: "final" },
    podium(),
    make("div", { class: "final-sheet" }, ...sheetElements(true)),
    make("div", { class: "to-puzzles" }, highlightList(), puzzleButton(gameNight().id, String(gameNight().revision))),
  );

// The same people play another evening with the same rules.
const playAgain = () =>
  button(gettext("Play again"), () => send("evenings/again", { id: gameNight().id }), "main large");

const afterwards = () => [
  make("a", { class: "button", href: "/setup" }, gettext("New game night")),
  make(
    "a",
    { class: "button", href: `/evenings/${gameNight().id}` },
    hasCamera() ? gettext("Send it, or watch it again") : gettext("Send the score sheet"),
  ),
];

// Alarms of the ledger are shown until they are corrected, or people go on.
function alarmLines() {
  const { alarms } = gameNight();
  if (alarms.length === 0) return null;
  return make(
    "div",
    { class: "alarm-box" },
    make("ul", { class: "alarms" }, ...alarms.map((alarm) => make("li", {}, alarm.text))),
    make(
      "div",
      { class: "ways" },
      may("undo") ? button(gettext("Look at the racks again"), () => act("undo")) : null,
      may("lost") ? button(gettext("A tile is lost"), askLostTile) : null,
    ),
  );
}

function starBoard() {
  const { players } = gameNight();
  const best = Math.max(...players.map((player) => player.stars ?? 0));
  const lines = players.map(({ name, stars }) =>
    make("li", { class: stars === best ? "best" : null }, make("b", {}, name), icon("star"), String(stars ?? 0)),
  );
  return make("ul", { class: "star-board" }, ...lines);
}

const downloads = () => [
  make(
    "a",
    { class: "button", href: "/api/evening/sheet.csv", download: "" },
    gettext("Score sheet for a spreadsheet"),
  ),
  make("a", { class: "button", href: "/api/evening/export.jsonl", download: "" }, gettext("The whole game as a file")),
];

export function openScore() {
  openDialog(gettext("Score sheet"), sheetElements(false), { wide: true, foot: downloads() });
}
