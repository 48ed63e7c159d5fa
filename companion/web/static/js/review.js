// The review of a game night: fetches what players could have laid; the app needs some seconds to find it.

import { abortAfter } from "./abort_after.js";
import { button } from "./dialog.js";
import { gettext } from "./language.js";
import { onceLoaded } from "./late.js";

/** @typedef {{ missed: PossibleTurn[], puzzles: PossibleTurn[] }} Review */

const ASK_EVERY_MS = 1000;
const MOST_ASKS = 60;
const ANSWERS_WITHIN_MS = 10_000;

/** Loads the drawing of turns step by step. */
export const loadTurns = () => import("./play_steps.js");

/** @type {Map<string, Promise<Review | null>>} */
const fetched = new Map();

/**
 * Returns the review of a game night; null if the app has none or does not answer.
 * @param {string} evening
 * @param {string} key changes with each step of the game night
 */
export function reviewOf(evening, key) {
  const name = `${evening} ${key}`;
  const asked = fetched.get(name);
  if (asked) return asked;
  // After a failure the page asks again when the review is needed next.
  const asking = ask(evening).catch(() => {
    fetched.delete(name);
    return null;
  });
  fetched.set(name, asking);
  return asking;
}

/**
 * Returns the review; rejects if the app does not answer or has none.
 * @param {string} evening
 * @returns {Promise<Review>}
 */
async function ask(evening) {
  for (let asks = 0; asks < MOST_ASKS; asks += 1) {
    const response = await fetch(`/api/evenings/${encodeURIComponent(evening)}/review`, {
      signal: abortAfter(ANSWERS_WITHIN_MS),
    });
    if (response.status === 200) return await response.json();
    if (response.status !== 204) break;
    await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS));
  }
  throw new Error("no review");
}

/**
 * The button for the puzzles of a game night; hidden until the app has found some.
 * @param {string} evening
 * @param {string} key changes with each step of the game night
 */
export function puzzleButton(evening, key) {
  /** @type {PossibleTurn[]} */
  let puzzles = [];
  const title = gettext("Find the turn");
  const open = button(
    title,
    onceLoaded(loadTurns, ({ openTurns }) => openTurns(title, puzzles, { puzzle: true })),
  );
  open.hidden = true;
  reviewOf(evening, key).then((review) => {
    puzzles = review?.puzzles ?? [];
    open.hidden = puzzles.length === 0;
  });
  return open;
}
