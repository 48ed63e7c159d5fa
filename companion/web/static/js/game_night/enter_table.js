// Enters the table by hand, starting from the table at the start of the turn.

import { asRefusal, post } from "../api.js";
import { button, openDialog } from "../dialog.js";
import { make } from "../dom.js";
import { draftOf } from "../entry/draft.js";
import { textOf } from "../entry/notation.js";
import { tilePad } from "../entry/pad.js";
import { rowEditor } from "../entry/rows.js";
import { gettext, ngettext } from "../language.js";
import { gathered, moreProblems } from "../verdict_card.js";
import { sentence } from "../words.js";
import { askStanding, nobodyHasPlayed } from "./standing.js";
import { act, gameNight, may, nameOf, showRefusal, state } from "./store.js";
import { closeWithTurn, turnKey } from "./turn_dialogs.js";

/** @typedef {"done" | "table" | "restored"} Purpose the action for which the table is entered */

const JUDGE_AFTER_MS = 250;
const ASK_AGAIN_MS = 1000;
/** @type {Record<Purpose, { title: (name: string) => string, label: string }>} */
const PURPOSES = {
  done: { title: (name) => gettext("The table after {name}'s turn", { name }), label: gettext("Done") },
  table: { title: () => gettext("This is the table now"), label: gettext("This is the table now") },
  restored: { title: () => gettext("The table now"), label: gettext("That's right") },
};
let isOpen = false;

/** @param {Purpose} purpose */
export function enterTable(purpose) {
  if (isOpen) return;
  const { player, edition } = gameNight();
  const { title, label } = PURPOSES[purpose];
  const line = make("p", { class: "judgement", "aria-live": "polite" });
  const judge = judging(line, purpose === "done");
  const draft = draftOf("table", `${turnKey()} ${purpose} ${JSON.stringify(gameNight().table)}`);
  const kept = draft.rows();
  const editor = rowEditor(kept ?? startRows(), () => {
    draft.save(editor.rows());
    judge(textOf(editor.rows()));
  });
  const clock = clockHolder();
  const send = async () => {
    await clock.release(); // Done stops the clock itself, and continues it if the table is illegal
    const begun = purpose === "table" && nobodyHasPlayed();
    const table = textOf(editor.rows());
    if (!(await (purpose === "restored" ? act(purpose, { table, as_it_lies: true }) : act(purpose, { table })))) {
      if (purpose === "done") clock.hold();
      return;
    }
    draft.remove();
    dialog.close();
    if (begun) askStanding();
  };
  const dialog = openDialog(title(nameOf(player)), [editor.element, line, tilePad(edition, editor.add)], {
    wide: true,
    onclose: () => {
      isOpen = false;
      clock.release();
    },
    foot: [
      button(gettext("Remove"), editor.remove),
      button(gettext("Undo"), editor.undo),
      button(gettext("As before"), () => editor.set(gameNight().table)),
      button(label, send, "main"),
    ],
  });
  isOpen = true;
  if (purpose === "done") clock.hold();
  if (kept) editor.moveTo({ row: kept.length - 1, place: kept.at(-1)?.length ?? 0 });
  closeWithTurn(dialog);
  judge(textOf(editor.rows()));
}

/** Stops a running clock while a table is entered, since typing is not thinking time. */
function clockHolder() {
  const key = turnKey();
  let held = Promise.resolve(false);
  return {
    hold: () => {
      if (gameNight().clock.running && may("pause")) held = act("pause");
    },
    // Does nothing if the turn has ended, or if somebody has started the clock.
    release: async () => {
      if (!(await held) || turnKey() !== key || !may("resume")) return;
      held = act("resume").then((done) => !done);
      await held;
    },
  };
}

/**
 * Returns the rows to start from: a table to restore, an illegal table to correct, the camera's, or the turn's start.
 * @returns {Tile[][]}
 */
function startRows() {
  const { wrong, exceeded, table, failing } = gameNight();
  const { verdict, reading } = state();
  if (failing) return failing.wanted.map((meld) => meld.tiles);
  if (verdict && (exceeded || (wrong && verdict.kind === "illegal"))) return verdict.melds;
  if (reading?.judged && reading.tiles.length > 0) {
    return reading.melds.map((row) => row.map((index) => reading.tiles[index]));
  }
  return table;
}

/**
 * Returns a function that requests the verdict on a table after a short pause in the entry.
 *
 * One request runs at a time, since the app refuses more; after its answer the newest table is judged.
 * @param {HTMLElement} line shows the verdict
 * @param {boolean} wanted whether to request verdicts at all
 */
function judging(line, wanted) {
  let timer = 0;
  let running = false;
  /** @type {string | null} */
  let newest = null;
  async function judge() {
    if (running) return;
    running = true;
    while (newest !== null) {
      const table = newest;
      newest = null;
      if (await showVerdictOn(table, line)) continue;
      newest ??= table;
      await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));
      if (!line.isConnected) newest = null;
    }
    running = false;
  }
  /** @param {string} table */
  return (table) => {
    clearTimeout(timer);
    if (!wanted) return;
    timer = setTimeout(() => {
      newest = table;
      judge();
    }, JUDGE_AFTER_MS);
  };
}

/**
 * @param {string} table
 * @param {HTMLElement} line
 * @returns {Promise<boolean>} whether the app has answered
 */
async function showVerdictOn(table, line) {
  try {
    showJudgement(line, (await post("evening/judge", { table })).verdict);
  } catch (error) {
    const { code, message } = asRefusal(error);
    if (code === "stale") showRefusal(error);
    line.textContent = message;
    line.dataset.kind = "illegal";
    return code !== "unreachable";
  }
  return true;
}

/**
 * @param {number} points
 * @param {number} needed
 */
const openingWords = (points, needed) =>
  points > needed
    ? sentence(ngettext("{count} point", "{count} points", points))
    : gettext("{points} of {needed} points to open.", { points, needed });

/**
 * @param {HTMLElement} line
 * @param {Verdict} verdict
 */
function showJudgement(line, verdict) {
  // No fault is shown before a tile was added.
  if (verdict.faults.length === 1 && verdict.faults[0].code === "nothing-placed") {
    line.dataset.kind = "wait";
    line.textContent = gettext("Tap where a tile goes, then the tile.");
    return;
  }
  const needed = gameNight().edition.opening_points;
  const points = verdict.points === null ? "" : openingWords(verdict.points, needed);
  const faults = gathered(verdict.faults).map((fault) => fault.text);
  const more = faults.length > 1 ? sentence(moreProblems(faults.length - 1)) : "";
  line.dataset.kind = verdict.kind;
  const said = verdict.kind === "legal" ? [gettext("Allowed.")] : [faults[0] ?? verdict.headline, more];
  line.textContent = [...said, points].filter(Boolean).join(" ");
}
