// The rack of the player of a private page: its count at the end of a round, and what it can lay.

import { asRefusal } from "../api.js";
import { openDialog } from "../dialog.js";
import { make } from "../dom.js";
import { askNumber } from "../entry/points_pad.js";
import { openRack } from "../entry/rack_entry.js";
import { shotOf } from "../entry/rack_scan.js";
import { gettext } from "../language.js";
import { openTurns } from "../play_steps.js";
import { toastRefusal } from "../toast.js";
import { postOwn, postPicture } from "./requests.js";

/** @typedef {Fetched<"me">} Mine */
/** @typedef {import("../entry/rows.js").RowTile} RowTile */
/** @typedef {(refusal: import("../api.js").Refusal) => boolean} OnRefusal */

// The entered tiles stay in the memory of this page.
/** @type {Record<"count" | "hint", { key: string, rows: RowTile[][] }>} */
const kept = { count: { key: "", rows: [] }, hint: { key: "", rows: [] } };

/**
 * The rack of the player, to be entered.
 * @param {"count" | "hint"} purpose
 * @param {string} key another one in each round
 * @param {Mine} mine
 * @param {Edition} edition
 */
function ownRack(purpose, key, mine, edition) {
  if (kept[purpose].key !== key) kept[purpose] = { key, rows: [] };
  return {
    ...{ title: gettext("My rack"), name: mine.name, edition, known: null, scanTable: null },
    draft: {
      rows: () => kept[purpose].rows,
      save: (/** @type {RowTile[][]} */ rows) => {
        kept[purpose].rows = rows;
      },
      remove: () => {}, // the tiles can still be changed
    },
    scanPhoto: (/** @type {File} */ photo) => shotOf(photo, postPicture("scan", photo)),
    nameOf: (/** @type {number} */ seat) => mine.players[seat] ?? "",
  };
}

/**
 * Counts the rack by a photo or by its tiles.
 * @param {Mine} mine
 * @param {Edition} edition
 * @param {(mine: Mine) => void} show shows the page after the count
 * @param {"picture"} [begin] the first step
 */
export function countTiles(mine, edition, show, begin) {
  const round = mine.counting?.round ?? 0;
  const send = async (/** @type {string} */ tiles, /** @type {boolean} */ sure, /** @type {OnRefusal} */ onRefusal) => {
    const mineAfter = await orRefusal(postOwn("rack", { round, tiles, sure }), onRefusal);
    if (mineAfter) show(mineAfter);
    return mineAfter !== null;
  };
  const rack = ownRack("count", String(round), mine, edition);
  openRack({ ...rack, label: gettext("Save"), expected: mine.rack, asksIfEmpty: true, send }, { begin });
}

/**
 * Counts the tiles of the rack, in an edition with stars.
 * @param {Mine} mine
 * @param {(mine: Mine) => void} show shows the page after the count
 */
export function countNumber(mine, show) {
  const round = mine.counting?.round ?? 0;
  const send = async (/** @type {number} */ count) => {
    const mineAfter = await orRefusal(postOwn("rack", { round, count }));
    if (mineAfter) show(mineAfter);
    return mineAfter !== null;
  };
  askNumber(gettext("How many tiles are left?"), { unit: gettext("tiles"), label: gettext("Save"), send });
}

/**
 * Enters the rack and shows what it can lay.
 * @param {Mine} mine
 * @param {Edition} edition
 */
export function askForHint(mine, edition) {
  const send = async (/** @type {string} */ tiles, /** @type {boolean} */ _, /** @type {OnRefusal} */ onRefusal) => {
    const hint = await orRefusal(postOwn("hint", { tiles }), onRefusal);
    if (hint) setTimeout(() => showHint(hint)); // after the dialog of the rack has closed
    return hint !== null;
  };
  const rack = ownRack("hint", mine.turn.split("-")[0], mine, edition);
  openRack({ ...rack, label: gettext("What can I lay?"), expected: null, send });
}

/** @param {Posted<"me/hint">} hint */
function showHint({ turn, text }) {
  if (turn) openTurns(gettext("What can I lay?"), [turn]);
  else openDialog(gettext("What can I lay?"), [make("p", {}, text)]);
}

/**
 * Returns the answer of a request; null after a refusal, which is shown.
 * @template Answer
 * @param {Promise<Answer>} asking
 * @param {OnRefusal} [onRefusal] returns true if it has handled the refusal
 */
async function orRefusal(asking, onRefusal = () => false) {
  try {
    return await asking;
  } catch (error) {
    if (!onRefusal(asRefusal(error))) toastRefusal(error);
    return null;
  }
}
