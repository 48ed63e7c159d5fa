// Says names and verdicts aloud, with the browser's own voice in the language of the page.
import { gettext } from "../language.js";
import { hears } from "./hearing.js";
import { gameNight, nameOf } from "./store.js";

export const canSpeak = () => "speechSynthesis" in window;

/** @type {string | null} whose turn was said last, and in which game night and round */
let turnSaid = null;

/** @param {string} text */
export function say(text) {
  if (!canSpeak() || !hears("speech") || !text) return;
  const words = new SpeechSynthesisUtterance(text);
  words.lang = document.documentElement.lang;
  speechSynthesis.speak(words);
}

/**
 * Says a verdict; what was to be said before it is old by now.
 * @param {string} text
 */
export function sayVerdict(text) {
  hush();
  say(text);
}

export function hush() {
  if (canSpeak()) speechSynthesis.cancel();
}

// Says whose turn it is once it has passed on; a page that has just been opened says nothing.
export function sayTurn() {
  const { id, round, player, phase } = gameNight();
  const turn = JSON.stringify([id, round, phase === "turns" ? player : null]);
  const first = turnSaid === null;
  if (turn === turnSaid) return;
  turnSaid = turn;
  if (!first && phase === "turns" && player !== null)
    say(gettext("{name}, it is your turn.", { name: nameOf(player) }));
}
